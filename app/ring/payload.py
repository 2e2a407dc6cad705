"""payload: everything the ring's scripts draw, as one JSON object: the model's bytes, GPU by GPU and step by step."""
from functools import lru_cache
from itertools import pairwise

from app.ring.words import spoken, titles
from traffic_model import AttentionProblem, Gpu, Measure, Tiling
from traffic_model.layout.ring import shared_out
from traffic_model.ring import Ring, RingStep, ring
from traffic_model.units import plural

MEANS = {Measure.REQUESTED: "Requested: what every thread asks HBM for.",
         Measure.COMPULSORY: "Compulsory: each launch reads inputs once, writes outputs once."}


@lru_cache(maxsize=64)
def payload(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, gpus: int, measure: Measure) -> dict:
    """Of `gpus` GPUs, HBM by this measure. The answer is cached: treat it as read-only. Raises Refusal as `ring` does."""
    found = ring(problem, tiling, gpu, gpus)
    edges = lambda rows: [[first, end - 1] for first, end in pairwise(shared_out(rows, gpus))]
    name = f"ring_{gpus}gpus_N{problem.seq_len}_d{problem.head_dim}_{problem.mask}_{measure}"
    return dict(id=f"{problem} {tiling} {gpu} {gpus} {measure}", file=f"tilescope_{name}", gpus=gpus, measure=str(measure),
                queries=edges(problem.seq_len), keys=edges(problem.kv_len), steps=[_step(step, found, measure) for step in found.steps],
                conditions=_conditions(found), titles=titles(found, measure), spoken=spoken(found, measure),
                footer=f"Predicted, over all heads. {MEANS[measure]} {_aside(found)} Steps, not time.")


def _step(step: RingStep, found: Ring, measure: Measure) -> dict:
    """share: of the work of the busiest GPU in this step."""
    busiest = max(each.visible_pairs for each in found.steps[step.step::found.gpus])
    return dict(gpu=step.gpu, step=step.step, owner=step.owner, kind=step.kind, pairs=step.visible_pairs,
                share=step.visible_pairs / busiest, hbm=step.ledger.total(measure), combined=step.combined_bytes,
                sent=step.sent_bytes, needless=step.needless_bytes, received=step.received_bytes)


def _aside(found: Ring) -> str:
    hatched = any(step.needless_bytes for step in found.steps)
    return "Hatched: copies that no one needs." if hatched else "Copies also read and write HBM."


def _conditions(found: Ring) -> list[str]:
    p = found.problem
    heads = plural(p.heads, "head") + (f" ({p.kv_heads} key/value)" if p.kv_heads != p.heads else "")
    return [f"{found.gpus} × {found.gpu.name}", f"N = {p.seq_len:,}", f"d = {p.head_dim}", p.dtype, heads,
            *([f"batch {p.batch}"] if p.batch > 1 else []), f"{found.tiling} tiles", p.mask]
