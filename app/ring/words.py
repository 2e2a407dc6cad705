"""What the ring's film says at each of its moments: before the first step, in each step, at the end."""
from traffic_model.layout.ring import SKIPPED
from traffic_model.ring import Ring
from traffic_model.units import decimal_bytes, percent, plural, ratio
from traffic_model.vocabulary import Measure

TIE = 0.05  # within which two numbers of bytes are equal
UNEVEN = 1.05  # from where on the busiest GPU is worth a word


def titles(ring: Ring, measure: Measure) -> list[str]:
    """One for the start, one for each step, one for the end."""
    start = f"One sequence over {plural(ring.gpus, 'GPU')}: queries stay, K and V go round"
    return [start, *(_step(ring, step) for step in range(ring.gpus)), claim(ring, measure)]


def claim(ring: Ring, measure: Measure) -> str:
    """What the whole comes to."""
    sent, hbm, what = ring.sent_bytes, sum(step.ledger.total(measure) for step in ring.steps), f"{measure} HBM bytes"
    needless = sum(step.needless_bytes for step in ring.steps)
    if needless and ring.imbalance > UNEVEN:
        return f"Nobody needs {percent(needless / sent)} of what crosses NVLink, and the busiest GPU does {ring.imbalance:.2f}× the mean"
    if sent > (1 + TIE) * hbm:
        return f"NVLink carries {decimal_bytes(sent)}, {ratio(sent / hbm)} the {what}"
    if sent > hbm / (1 + TIE):
        return f"NVLink carries as many bytes as the {what}: {decimal_bytes(sent)}"
    return f"NVLink carries {decimal_bytes(sent)}, {percent(sent / hbm)} of the {what}"


def spoken(ring: Ring, measure: Measure) -> list[str]:
    """The same moments for those who do not see the picture, with what has moved by then."""
    moved, said = [0, 0], []
    for number, title in enumerate(titles(ring, measure)):
        done = [step for step in ring.steps if step.step == number - 1]
        moved = [moved[0] + sum(step.ledger.total(measure) for step in done), moved[1] + sum(step.sent_bytes for step in done)]
        works = [f"GPU {step.gpu} {'skips' if step.kind == SKIPPED else 'works on'} K/V {step.owner}" for step in done]
        bytes_so_far = f"{decimal_bytes(moved[0])} through HBM, {decimal_bytes(moved[1])} over NVLink"
        said.append(". ".join([title, *(["; ".join(works)] if works else []), bytes_so_far]) + ".")
    return said


def _step(ring: Ring, step: int) -> str:
    now = ring.steps[step::ring.gpus]
    skipping = sum(each.kind == SKIPPED for each in now)
    where = f"Step {step + 1} of {ring.gpus}:"
    if skipping:
        working = ring.gpus - skipping
        skip = "skips a block its" if skipping == 1 else "skip a block their"
        return f"{where} {plural(working, 'GPU')} work{'s' * (working == 1)}, {skipping} {skip} queries cannot see"
    if step == ring.gpus - 1:
        return f"{where} the last block for each, and nothing to hand on"
    return f"{where} each works on the block it has, and hands it on meanwhile"
