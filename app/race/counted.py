"""Counted: what kernels that really ran counted, beside the sums of what the lanes draw."""
from dataclasses import dataclass

from app.race.receipts import schedule_cells
from app.race.rungs import Rung
from app.records import of_shape, sources
from app.running import power_of_ten
from app.settings import Settings
from traffic_model import Ledger, predict
from traffic_model.ledger import Cell
from traffic_model.schedule import Schedule
from traffic_model.vocabulary import Measure, Space


@dataclass(frozen=True)
class Counted:
    """Per lane the requested HBM bytes of all heads, and ‖out − ref‖/‖ref‖ against float64; and where they ran."""

    ledgers: tuple[Ledger, ...]
    errors: tuple[float, ...]
    source: str


def counted(runs: list[dict], settings: Settings, rungs: tuple[Rung, ...]) -> Counted | None:
    """The last runs of both lanes at exactly these settings and with the layouts that they resolve to, or None."""
    found = [_last(runs, settings, rung) for rung in rungs]
    if not all(found):
        return None
    ledgers = [Ledger.from_records(run["ledger"], run["measures"]).only(Measure.REQUESTED) for run in found]
    return Counted(tuple(map(in_hbm, ledgers)), tuple(run["relative_error"] for run in found), sources(found))


def in_hbm(ledger: Ledger) -> Ledger:
    """Its cells of HBM, which are all that the lanes draw."""
    return Ledger({key: size for key, size in ledger.items() if key[1] == Space.HBM}, ledger.measures)


def disagreements(of: Counted, plans: list[Schedule], heads: int) -> list[str]:
    """Every cell in which the lanes' requested bytes, times `heads`, are not the counted ones, in words. Empty when all are equal."""
    differing = []
    for plan, ledger in zip(plans, of.ledgers):
        cells = {Cell(array, Space.HBM, way): heads * size for (array, way), size in schedule_cells(plan, Measure.REQUESTED).items()}
        differing += [f"{plan.algorithm}: {words}" for words in Ledger.of(Measure.REQUESTED, cells).disagreements(ledger)]
    return differing


def tick(of: Counted, differing: list[str]) -> list[str]:
    """What the end says of it, longest first."""
    if not differing:
        return [f"requested bytes counted: equal, {of.source}", f"counted: equal, {of.source}", "counted: equal"]
    more = f" and {len(differing) - 1} more" * (len(differing) > 1)
    return [f"{differing[0]}{more}, {of.source}", f"{differing[0]}{more}"]


def error(of: Counted, lane: int) -> str:
    """How far a lane's output is off, in words."""
    return f"output against float64: ‖Δ‖/‖ref‖ = {power_of_ten(of.errors[lane])}"


def _last(runs: list[dict], settings: Settings, rung: Rung) -> dict | None:
    layout = predict(rung.algorithm, settings.problem, settings.tiling, settings.gpu).layout.record()
    alike = [run for run in filter(of_shape(settings), runs) if run["algorithm"] == rung.algorithm
             and run["problem"]["seq_len"] == settings.n and not run.get("out_of_memory") and run["layout"] == layout]
    return next((run for run in reversed(alike) if Measure.REQUESTED in run["measures"]), None)
