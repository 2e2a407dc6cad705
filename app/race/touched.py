"""Touched: the compulsory bytes that the lanes draw beside the first touches of the same kernels, traced."""
from app.race.executed import SEED, SOURCE, Executed
from app.race.receipts import schedule_cells
from traffic_model import Ledger
from traffic_model.ledger import Cell
from traffic_model.schedule import Schedule
from traffic_model.vocabulary import Measure, Space


def untouched(run: Executed, plans: list[Schedule]) -> list[str]:
    """Every cell in which a lane draws other compulsory bytes than its kernels touched, in words. Compulsory counts all of an input, also
    the rows that see no key; where every row sees one, the list is empty."""
    return [f"{plan.algorithm}: {words}" for plan, touched in zip(plans, run.touched)
            for words in _drawn(plan).disagreements(touched, "drawn", "touched")]


def tick(differing: list[str]) -> list[str]:
    """What the end says where the requested bytes are those counted, longest first. differing: by `untouched`."""
    if not differing:
        return [f"requested bytes counted and first touches traced: equal, {SOURCE}",
                f"requested counted, first touches traced: equal, seed {SEED}", "requested, first touches: equal"]
    more = f" and {len(differing) - 1} more" * (len(differing) > 1)
    return [f"requested bytes counted: equal; {differing[0]}{more}", f"requested: equal; {differing[0]}{more}", differing[0]]


def _drawn(plan: Schedule) -> Ledger:
    cells = schedule_cells(plan, Measure.COMPULSORY)
    return Ledger.of(Measure.COMPULSORY, {Cell(array, Space.HBM, way): size for (array, way), size in cells.items()})
