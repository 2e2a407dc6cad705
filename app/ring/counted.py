"""A short ring that is run on this machine, and whether it counts what the model says."""
import threading
from dataclasses import replace

from app import hosting
from app.settings import Settings
from numba_kernels import ring as kernels
from numba_kernels.ring_results import RingRun
from traffic_model import Gpu, Ledger, Measure, Refusal, Space
from traffic_model.ring import ring

SHORT, BACKEND = 512, "cpu"  # a length that takes a moment; all members in this process
_one_at_a_time = threading.Lock()


def counted(settings: Settings, gpus: int) -> str:
    """Runs the ring with one head and compares every launch and every copy with the prediction, in a sentence.

    Raises Refusal where the host wants no kernel to run, while another session's ring runs, and as the ring does.
    """
    hosting.require_kernels()
    if not _one_at_a_time.acquire(blocking=False):
        raise Refusal("busy: a ring of another session runs on this machine; try again in a minute.")
    try:
        return _counted(settings, gpus)
    finally:
        _one_at_a_time.release()


def _counted(settings: Settings, gpus: int) -> str:
    problem = replace(settings.problem, seq_len=SHORT, kv_len=SHORT, heads=1, kv_heads=1, batch=1)
    ran = kernels.ring(problem, settings.tiling, settings.gpu, gpus, BACKEND)
    return (f"Run on this machine ({BACKEND}), N = {SHORT}, one head, {gpus} members in one process: {verdict(ran, settings.gpu)}; "
            f"error against float64 {ran.relative_error:.1e}.")


def verdict(ran: RingRun, gpu: Gpu) -> str:
    """4 launches and 2 copies, every byte as predicted: of HBM's bytes and those handed on."""
    predicted = ring(ran.problem, ran.tiling, gpu, ran.gpus).steps
    launches = [_in_hbm(one.ledger) == two.ledger.only(Measure.REQUESTED) for one, two in zip(ran.steps, predicted)
                if one.part.problem]
    copies = [(one.sent_bytes, one.received_bytes) == (two.sent_bytes, two.received_bytes) for one, two in zip(ran.steps, predicted)
              if one.part.hands_on]
    right = "every byte as predicted" if all(launches + copies) else f"{sum(launches + copies):,} as predicted"
    return f"{len(launches)} launches and {len(copies)} copies, {right}"


def _in_hbm(ledger: Ledger) -> Ledger:
    return Ledger({cell: size for cell, size in ledger.items() if cell[1] == Space.HBM}, ledger.measures)
