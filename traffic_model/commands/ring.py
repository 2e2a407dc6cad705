"""ring: attention over several GPUs, what each moves through its HBM and over NVLink in each step."""
import json

from traffic_model import options
from traffic_model.layout.ring import SKIPPED
from traffic_model.ring import Ring, ring
from traffic_model.tables import table
from traffic_model.units import decimal_bytes
from traffic_model.vocabulary import Measure


def add(commands) -> None:
    command = commands.add_parser("ring", help="ring attention over several GPUs: bytes over NVLink beside bytes through HBM, per step")
    options.add_shape_options(command)
    command.add_argument("--kv-len", type=options.whole_number, metavar="M", help="keys (N)")
    command.add_argument("--gpus", type=options.whole_number, default=8, metavar="G", help="in the ring, 1 to 256 (8)")
    command.add_argument("--json", action="store_true", help="one JSON object per GPU and step, then one of all")
    command.set_defaults(command=show, scale=None)


def show(arguments) -> None:
    found = ring(options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments), arguments.gpus)
    if arguments.json:
        print("\n".join(json.dumps(record) for record in [*(step.record() for step in found.steps), summary(found)]))
        return
    print(f"{found.problem.words} · {found.tiling} tiles · {found.gpus} × {found.gpu.name}; predicted\n")
    print(table(["GPU", "step", "K/V of", "block", "GFLOP", "HBM requested", "of it combining", "HBM compulsory", "NVLink out", "needless"],
                [_row(step.record()) for step in found.steps]))
    all_of_it = summary(found)
    print(f"\nOver NVLink {decimal_bytes(all_of_it['sent_bytes'])}, {decimal_bytes(all_of_it['needless_bytes'])} of them to GPUs that skip "
          f"the block; a copy also reads and writes HBM once. The busiest GPU does {found.imbalance:.3g}× the mean of the work; "
          f"if every step waits for its busiest GPU, the ring takes {found.in_step:.3g}× an even share.")
    print("Combining: the running O, m and ℓ of a GPU's queries, in fp32, in and out of HBM between its steps.")


def summary(found: Ring) -> dict:
    """All GPUs and steps."""
    total = lambda name: sum(getattr(step, name) for step in found.steps)
    measured = lambda measure: sum(step.ledger.total(measure) for step in found.steps)
    skipped = sum(step.kind == SKIPPED for step in found.steps)
    return dict(algorithm="ring", problem=found.problem.record(), tiling=found.tiling.record(), gpu=found.gpu.name, gpus=found.gpus,
                flops=total("flops"), skipped_steps=skipped, requested_bytes=measured(Measure.REQUESTED),
                compulsory_bytes=measured(Measure.COMPULSORY), combined_bytes=total("combined_bytes"), sent_bytes=found.sent_bytes,
                needless_bytes=total("needless_bytes"), imbalance=found.imbalance, in_step=found.in_step)


def _row(r: dict) -> list:
    moved = [decimal_bytes(r[name]) for name in ("requested_bytes", "combined_bytes", "compulsory_bytes", "sent_bytes", "needless_bytes")]
    return [r["gpu"], r["step"], r["owner"], r["kind"], f"{r['flops'] / 1e9:,.3g}", *moved]
