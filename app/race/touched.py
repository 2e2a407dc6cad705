"""Touched: the compulsory bytes that the lanes draw beside the first touches of the same kernels, traced."""
from app.race.executed import SOURCE, Executed
from app.race.receipts import schedule_cells
from traffic_model import Ledger
from traffic_model.ledger import Cell
from traffic_model.schedule import Schedule
from traffic_model.vocabulary import Measure, Space


def first_touches(run: Executed, plans: list[Schedule]) -> list[str]:
    """What the end says when every requested byte was counted as drawn, longest first: that the compulsory ones were touched too, or which
    were not. Compulsory counts all of an input, also rows and keys that the mask leaves without a partner."""
    differing = [f"{plan.algorithm}: {words}" for plan, touched in zip(plans, run.touched)
                 for words in _drawn(plan).disagreements(touched, "drawn", "touched")]
    if not differing:
        return [f"requested bytes counted, compulsory bytes touched: equal, {SOURCE}", "requested counted, compulsory touched: equal",
                "counted, touched: equal"]
    more = f" and {len(differing) - 1} more" * (len(differing) > 1)
    return [f"requested bytes counted: equal, {SOURCE}; {differing[0]}{more}", f"requested: equal; {differing[0]}{more}", differing[0],
            "requested: equal, compulsory: not"]


def _drawn(plan: Schedule) -> Ledger:
    cells = schedule_cells(plan, Measure.COMPULSORY)
    return Ledger.of(Measure.COMPULSORY, {Cell(array, Space.HBM, way): size for (array, way), size in cells.items()})
