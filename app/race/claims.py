"""Titles that the script cannot compute from its two lanes alone."""
from app.race.rungs import Rung
from traffic_model import AttentionProblem, Gpu, Measure, Space, Tiling, predict
from traffic_model.units import decimal_bytes


def identity(rungs: tuple[Rung, ...], problem: AttentionProblem) -> str | None:
    """1 + N/d, where three kernels move 4U + 4W compulsory bytes and one moves 4U with U = N·d, W = N²."""
    one_of_each = {rung.fused for rung in rungs} == {True, False}
    return "1 + N/d" if one_of_each and problem.mask == "full" and problem.seq_len == problem.kv_len else None


def reversal(rungs: tuple[Rung, ...], problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> str | None:
    """Where a fused lane requests more bytes than three ideal kernels must move, the sentence that says so, with both measures.

    Full and square, in elements for large N: each of N/Br query tiles asks for K and V, 2·N·d, against S and P out and back, 4·N².
    """
    fused = next((rung for rung in rungs if rung.fused), None)
    if fused is None or all(rung.fused for rung in rungs):
        return None
    requested = predict(fused.algorithm, problem, tiling, gpu).ledger.total(Measure.REQUESTED, space=Space.HBM)
    if requested <= problem.compulsory_three_kernel_bytes:
        return None
    simple = fused == Rung.FUSED and problem.mask == "full" and problem.seq_len == problem.kv_len and not problem.seq_len % tiling.block_q
    asked, least = ((f"{2 * problem.head_dim / tiling.block_q:g}·N² elements", "4·N²") if simple else
                    (decimal_bytes(requested), decimal_bytes(problem.compulsory_three_kernel_bytes)))
    name = fused if fused == Rung.KV_OUTER else fused.capitalize()
    return f"{name} requests more ({asked}) than three ideal kernels must move ({least})"
