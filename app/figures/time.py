"""Time: milliseconds against sequence length, recorded on a GPU, as a whole, beside the model, or kernel by kernel."""
from app import modelled, recordings, records
from app.charts import time as chart
from app.charts.time_kernels import kernels_claim, time_kernels
from app.figures.figure import Figure, Sources
from app.settings import Settings
from traffic_model.units import milliseconds


class Timed:
    """What the Time page knows at these settings: the shown recording, its times and the floor."""

    def __init__(self, settings: Settings, sources: Sources):
        self.shown = recordings.nearest(sources.recordings, settings)
        self.records = records.timed(self.shown.runs + [run for run in sources.live if records.same_task(run, self.shown.settings)])
        self.too_large, self.floor = records.out_of_memory(self.shown.too_large), recordings.unfused_floor(self.shown)
        self.bandwidth = self.shown.header.get("copy_gb_per_s")

    @property
    def caption(self) -> str:
        return f"{self.shown.settings.conditions} · {self.shown.settings.gpu.name} · L2 {self.shown.header['l2']}"

    @property
    def provenance(self) -> str:
        return f"timed, {records.sources(self.records)}, median and 10–90 %"


def figure(settings: Settings, sources: Sources, with_model: bool = False) -> Figure:
    timed = Timed(settings, sources)
    model = modelled.modelled(timed.shown, timed.records) if with_model else []
    title = chart.claim(timed.records, timed.floor, settings.n)
    draw = lambda look: chart.time(timed.records, timed.too_large, timed.floor, timed.bandwidth, settings.n, look, timed.caption, model)
    medians = ", ".join(f"{r['algorithm']} {milliseconds(r['median_ms'])}" for r in _nearest(timed.records, settings.n))
    return Figure("time-model" if with_model else "time", title, timed.caption, timed.provenance, timed.shown.settings, draw,
                  timed.records + model,
                  note=f"{title}. Read the steps one by one: what tiling gains is not to fusion's credit.",
                  alt="Device time against sequence length on logarithmic axes, one line per algorithm. "
                      f"Near N = {settings.n:,}: {medians}.", aside=timed.shown.note)


def with_model(settings: Settings, sources: Sources) -> Figure:
    return figure(settings, sources, with_model=True)


def by_kernel(settings: Settings, sources: Sources) -> Figure:
    timed = Timed(settings, sources)
    kernels = records.timed_kernels(timed.shown.runs)
    title = kernels_claim(kernels, settings.n)
    draw = lambda look: time_kernels(kernels, settings.n, look, timed.caption)
    medians = ", ".join(f"{r['algorithm']} {r['kernel']} {milliseconds(r['median_ms'])}" for r in _nearest(kernels, settings.n))
    return Figure("time-by-kernel", title, timed.caption, timed.provenance, timed.shown.settings, draw, kernels,
                  note=f"{title}. The products and softmax of an unfused order are launches of their own; fused is one.",
                  alt=f"Device time of each kernel against sequence length on logarithmic axes. Near N = {settings.n:,}: {medians}.",
                  aside=timed.shown.note)


def _nearest(timed: list[dict], n: int) -> list[dict]:
    at = chart.nearest_length(timed, n)
    return [r for r in timed if r["n"] == at]
