"""The ring's sums, so that anyone can do them again: the formula of NVLink's bytes, and every step as a table."""
from traffic_model import AttentionProblem, Gpu, Measure, Tiling
from traffic_model.ring import ring


def formula(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, gpus: int) -> str:
    """Markdown: (G − 1) times K and V, with the numbers put in."""
    p, found = problem, ring(problem, tiling, gpu, gpus)
    needless, combined = (sum(getattr(step, name) for step in found.steps) for name in ("needless_bytes", "combined_bytes"))
    numbers = f"({gpus} − 1) · 2 · {p.batch} · {p.kv_heads} · {p.kv_len:,} · {p.head_dim} · {p.element_bytes}"
    lines = [f"NVLink: (G − 1) · 2 · B · Hkv · M · d · e = {numbers} = **{found.sent_bytes:,} B**, whatever the mask.",
             f"No GPU further on needs {needless:,} B of them." if needless else "All of them are needed by a GPU further on.",
             f"HBM: each launch asks for what `fused` asks for on its queries and its block; in all {combined:,} B are o, m and ℓ in and "
             f"out between the steps, which only a ring has.",
             f"Work: the busiest GPU has {found.imbalance:.3g}× the mean of the pairs; where every step waits for its busiest GPU, the "
             f"ring takes {found.in_step:.3g}× an even share."]
    return "\n\n".join(lines)


def steps(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, gpus: int) -> list[dict]:
    """A record per GPU and step, both measures side by side."""
    return [dict(gpu=step.gpu, step=step.step + 1, block=step.owner, kind=step.kind, pairs=step.visible_pairs, flops=step.flops,
                 requested=step.ledger.total(Measure.REQUESTED), of_it_combining=step.combined_bytes,
                 compulsory=step.ledger.total(Measure.COMPULSORY), NVLink_out=step.sent_bytes, needless=step.needless_bytes,
                 NVLink_in=step.received_bytes) for step in ring(problem, tiling, gpu, gpus).steps]
