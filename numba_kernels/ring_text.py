"""A ring that ran, as the terminal shows it."""
from statistics import median

from numba_kernels.ring_results import RingRun, RingStepRun
from traffic_model.tables import table
from traffic_model.units import decimal_bytes, milliseconds

HEADER = ["GPU", "step", "K/V of", "block", "HBM requested B", "sent B", "received B"]
TIMED = ["launch", "copy", "copy GB/s"]
WAYS = {True: " from GPU to GPU", False: " through the host's memory", None: ""}


def ring_text(run: RingRun) -> str:
    """A row per GPU and step, then the whole."""
    timed = run.ring_times_ms
    several = "s" * (run.gpus > 1)
    members = f"{run.gpus} GPU{several}" if run.backend == "gpu" else f"{run.gpus} member{several} on {run.backend}"
    counted = "not counted" if run.requested_bytes is None else f"counted: {decimal_bytes(run.requested_bytes)} requested of HBM"
    said = [f"ring over {members}: {run.problem.words} · {run.tiling} tiles; {counted}",
            "",
            table(HEADER + TIMED * bool(timed), [_row(step, bool(timed)) for step in run.steps]),
            "",
            f"Copied {decimal_bytes(run.sent_bytes)}{WAYS[run.peer_access]}; error against float64 {run.relative_error:.1e}."]
    if timed:
        said.append(f"Once round takes {milliseconds(median(timed))} by the host's clock (median of {len(timed)}, counting off). Each "
                    "launch and copy is timed by its GPU, with what the host takes to queue it where the GPU waits for that.")
    return "\n".join(said)


def _row(step: RingStepRun, timed: bool) -> list:
    part, dash = step.part, "–"
    moved = [dash if step.ledger is None else step.requested_bytes, step.sent_bytes, step.received_bytes]
    times = [milliseconds(median(samples)) if samples else dash for samples in (step.times_ms, step.copy_times_ms)]
    rate = f"{step.copy_gb_per_s:.0f}" if step.copy_gb_per_s else dash
    return [part.gpu, part.step, part.owner, part.kind, *moved, *([*times, rate] if timed else [])]
