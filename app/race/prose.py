"""Prose: what a clock counts and what the race leaves out, for below the picture."""
from app.race.rungs import Clock
from traffic_model.dram import MODEL

COUNTS = {
    Clock.COMPULSORY: """Compulsory bytes: each kernel reads each of its inputs from HBM once and writes each of its outputs once. Both
lanes move them at the same rate. A tile that a kernel asks for again costs nothing on this clock; the caches column counts those
re-reads, which are requested bytes beyond the compulsory ones.""",
    Clock.REQUESTED: """Requested bytes: what every thread's accesses to HBM name, however often. Caches serve most of what is asked for
again, so this clock says how much the caches must do, not how much HBM moves.""",
    Clock.DRAM: """DRAM bytes: what crosses L2 and DRAM, modelled per kernel for this GPU and for all heads, L2 emptied before each kernel.
The model does not say which move they belong to: what is touched first counts in full, or in proportion where L2 keeps part of it, and
what crosses beyond that is spread over what is asked for again, in proportion to it. A move that L2 serves costs nothing.""",
    Clock.STEPS: """Steps: one block of one array, moved once, is one step, whatever its size. It says how many things happen, not how
large they are.""",
    Clock.TIME: """Measured time: the median of each kernel on a GPU, recorded at exactly these settings, over all heads. Within a kernel
the time is spread over its moves in proportion to their requested bytes, since nothing measured says which move took how long.""",
}
LEAVES_OUT = """
**What it leaves out.** Time: the race says how much must move, not how long it takes. DRAM: re-reads that the caches do not hold come
on top of the compulsory bytes, and a write that another kernel soon reads may never leave L2. Order: a GPU works on many blocks at
once; here they follow one another.
"""


def below(clock: Clock) -> str:
    """Markdown."""
    beside = f"\n**The model.** {MODEL}" if clock == Clock.DRAM else LEAVES_OUT
    return f"**What the clock counts.** {COUNTS[clock]}\n{beside}"
