"""The guided path: five questions, each on the page whose picture answers it, asked before the page says so."""
from collections.abc import Callable
from typing import NamedTuple

from app import figures, records
from app.charts.traffic import fitted_slope
from app.figures import Sources
from app.figures.traffic import curve
from app.formulas import compulsory_ratio
from app.settings import Settings


class Step(NamedTuple):
    """page: its address; answer: from the settings and runs on show."""

    page: str
    question: str
    answer: Callable[[Settings, Sources], str]


def _grows(settings: Settings, sources: Sources) -> str:
    lines = records.totals(curve(settings.at(1)))
    slope = {measure: fitted_slope(lines["fused", measure, "predicted"]) for measure in ("compulsory", "requested")}
    return (f"Fitted from N = 1,024 on, compulsory bytes grow as N to the {slope['compulsory']:.2f} and requested bytes as N to the "
            f"{slope['requested']:.2f}. As long as K and V stay in L2 caches serve the difference.")


STEPS = (
    Step("race", "Same attention, same rate: how many times as many bytes must naive move?",
         lambda settings, sources: f"{compulsory_ratio(settings)} S and P alone make the difference."),
    Step("softmax", "The largest score of a row may come last. Must everything before it be computed again?",
         lambda settings, sources: "No: one factor α = e^(m − m′) corrects the sum and the output, however many scores came before."),
    Step("traffic", "N doubles. Which bytes of the fused kernel double, and which grow fourfold?", _grows),
    Step("time", "From naive to fused: how much is tiling, how much is fusion?",
         lambda settings, sources: f"{figures.FIGURES['time'](settings, sources).title}."),
    Step("roofline", "Is unfused attention held back by arithmetic or by memory?",
         lambda settings, sources: f"{figures.FIGURES['roofline-tensor-cores'](settings, sources).title}."),
)
