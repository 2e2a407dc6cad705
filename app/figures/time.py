"""Time: milliseconds against sequence length, recorded on a GPU, as a whole, beside the model, or kernel by kernel."""
from app import modelled, recordings, records
from app.charts import time as chart
from app.charts import time_gpus
from app.charts.time_kernels import kernels_claim, time_kernels
from app.figures.figure import Figure, Sources
from app.settings import Settings
from traffic_model.units import milliseconds

STEPS_NOTE = "Read the steps one by one: what tiling gains is not to fusion's credit."
GPUS_NOTE = "The same kernel in the same layout asks for the same bytes on every GPU; only the time is the GPU's."


class Timed:
    """What the Time page knows at these settings: the shown recording, its times and the floor; beside: other GPUs' times, unless alone."""

    def __init__(self, settings: Settings, sources: Sources, alone: bool = False):
        recorded = recordings.chosen(sources.recordings, sources.gpus)
        self.shown = recordings.nearest(recorded, settings)
        others = {} if alone else recordings.beside(recorded, self.shown)
        self.beside = [(gpu, records.timed(runs)) for gpu, runs in others.items()][:time_gpus.MOST]
        self.records = records.timed(self.shown.runs + list(filter(records.of_task(self.shown.settings), sources.live)))
        self.too_large, self.floor = records.out_of_memory(self.shown.too_large), recordings.unfused_floor(self.shown)
        self.bandwidth = self.shown.header.get("copy_gb_per_s")

    def caption(self, kernels: list[dict] | None = None) -> str:
        """Its length first, where it is not the sidebar's. kernels: what is claimed, if not the whole."""
        gpu, n = self.shown.settings.gpu.name, self.shown.settings.n
        gpus = time_gpus.conditions(gpu, self.beside, bool(self.too_large)) if self.beside else gpu
        across = time_gpus.said_length(self.records, self.beside, n) if self.beside else None
        length = chart.said_length(kernels or self.records, n) if across is None else across
        return " · ".join([*filter(None, [length]), self.shown.settings.conditions, gpus, f"L2 {self.shown.header['l2']}"])

    @property
    def every(self) -> list[dict]:
        """The records, those of other GPUs with their names."""
        return self.records + [record | dict(gpu=gpu) for gpu, some in self.beside for record in some]

    @property
    def provenance(self) -> str:
        return f"timed, {records.sources(self.every)}, median and 10–90 %"

    def claim(self, n: int) -> str:
        """Across GPUs where they share a point; else of the one that is shown, which it then names if it is not alone."""
        own = chart.claim(self.records, self.floor, n)
        if not self.beside:
            return own
        gpu = self.shown.settings.gpu.name
        return time_gpus.gpus_claim(gpu, self.records, self.beside, n) or f"{own} on {time_gpus.short(gpu)}"


def figure(settings: Settings, sources: Sources, with_model: bool = False) -> Figure:
    timed = Timed(settings, sources)
    model = modelled.modelled(timed.shown, timed.records) if with_model else []
    title, caption = timed.claim(settings.n), timed.caption()
    draw = lambda look: chart.time(timed.records, timed.too_large, timed.floor, timed.bandwidth, settings.n, look, caption, model,
                                   timed.beside, title)
    medians = ", ".join(f"{r['algorithm']} {milliseconds(r['median_ms'])}" for r in _nearest(timed.records, settings.n))
    also = f", on {timed.shown.settings.gpu.name}; beside it {', '.join(dict(timed.beside))}" if timed.beside else ""
    return Figure("time-model" if with_model else "time", title, caption, timed.provenance, timed.shown.settings, draw,
                  timed.every + model,
                  note=f"{title}. {GPUS_NOTE if timed.beside else STEPS_NOTE}",
                  alt="Device time against sequence length on logarithmic axes, one line per algorithm. "
                      f"Near N = {settings.n:,}: {medians}{also}.", aside=timed.shown.note)


def with_model(settings: Settings, sources: Sources) -> Figure:
    return figure(settings, sources, with_model=True)


def by_kernel(settings: Settings, sources: Sources) -> Figure:
    timed = Timed(settings, sources, alone=True)
    kernels = records.timed_kernels(timed.shown.runs)
    title, caption = kernels_claim(kernels, settings.n), timed.caption(kernels)
    draw = lambda look: time_kernels(kernels, settings.n, look, caption)
    medians = ", ".join(f"{r['algorithm']} {r['kernel']} {milliseconds(r['median_ms'])}" for r in _nearest(kernels, settings.n))
    return Figure("time-by-kernel", title, caption, timed.provenance, timed.shown.settings, draw, kernels,
                  note=f"{title}. The products and softmax of an unfused order are launches of their own; fused is one.",
                  alt=f"Device time of each kernel against sequence length on logarithmic axes. Near N = {settings.n:,}: {medians}.",
                  aside=timed.shown.note)


def _nearest(timed: list[dict], n: int) -> list[dict]:
    at = chart.nearest_length(timed, n)
    return [r for r in timed if r["n"] == at]
