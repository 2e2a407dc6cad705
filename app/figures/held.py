"""Held: the memory that each order takes, whole matrices included, against the GPU's."""
from functools import lru_cache

from app import records
from app.charts.held import held, held_claim
from app.figures.figure import Figure, Sources
from app.settings import Settings
from traffic_model.capacity import longest
from traffic_model.units import decimal_bytes


def figure(settings: Settings, sources: Sources) -> Figure:
    """sources: not asked, memory is arithmetic."""
    line, here = curve(settings.at(1)), records.held(settings, [settings.n])
    ends = {algorithm: longest(algorithm, settings.problem, settings.gpu) for algorithm in records.ALGORITHMS}
    memory = settings.gpu.dram_gb * 1e9
    title = held_claim(here, memory, settings.n)
    naive, fused = (decimal_bytes(r["bytes"]) for r in here)
    return Figure("traffic-held", title, settings.caption, "predicted: inputs, output, S and P where they are stored", settings,
                  lambda look: held(line, here, ends, memory, look, settings.caption), line + here,
                  note=f"{title}. Only the N×N matrices grow as N²: without them memory grows as N.",
                  alt=f"Bytes in GPU memory against sequence length on logarithmic axes. At N = {settings.n:,} naive holds {naive}, fused "
                      f"{fused}; the GPU has {decimal_bytes(memory)}, which naive fills at N = {ends['naive']:,}.")


@lru_cache(256)
def curve(settings: Settings) -> list[dict]:
    """The chart's lines, whatever the current N: call it with `settings.at(1)`."""
    return records.held(settings, records.LENGTHS)
