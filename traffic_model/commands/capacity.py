"""capacity: what the N×N matrices take, what fits which GPU, and a layer without them."""
import json

from traffic_model import options, recurrent
from traffic_model.capacity import forward_bytes, longest
from traffic_model.gpus import all_gpus
from traffic_model.problem import LARGEST, AttentionProblem
from traffic_model.tables import table
from traffic_model.units import binary_bytes, decimal_bytes

LENGTHS = [512, 4096, 32768, 131072, 1048576]
COMPARED = ("naive", "fused")


def add(commands) -> None:
    command = commands.add_parser("capacity", help="bytes of the N×N matrices, and the longest sequence each GPU holds")
    command.add_argument("--seq-len", type=options.whole_numbers, default=LENGTHS, metavar="N,…", help="(512,4096,32768,131072,1048576)")
    for name, default, meaning in (("--head-dim", 64, "head size"), ("--heads", 12, "query heads"), ("--batch", 1, "batch size")):
        command.add_argument(name, type=options.whole_number, default=default, help=f"{meaning} ({default})")
    command.add_argument("--kv-heads", type=options.whole_number, help="key/value heads (as many)")
    command.add_argument("--dtype", default="float16", help="storage: float32, float16, bfloat16 (float16)")
    command.add_argument("--mask", default="full", help="full or causal; it changes the work alone (full)")
    options.add_gpu_options(command)
    command.add_argument("--json", action="store_true", help="one JSON object per length, then one per GPU")
    command.set_defaults(command=show)


def show(arguments) -> None:
    problems = [AttentionProblem(n, arguments.head_dim, arguments.heads, arguments.batch, arguments.kv_heads, None, arguments.dtype,
                                 arguments.mask) for n in arguments.seq_len]
    named = arguments.gpu or arguments.gpu_file
    gpus = [options.gpu_of(arguments)] if named else list(all_gpus().values())
    lengths = [_length(problem) for problem in problems]
    limits = [dict(gpu=gpu.name, dram_gb=gpu.dram_gb, longest={name: longest(name, problems[0], gpu) for name in COMPARED}) for gpu in gpus]
    if arguments.json:
        print("\n".join(map(json.dumps, lengths + limits)))
        return
    p = problems[0]
    print(f"{p.heads} heads, batch {p.batch}, d {p.head_dim}, {p.dtype}, {p.mask}; a recurrent layer of that width beside\n")
    work = lambda flops: f"{flops / 1e9:,.0f}" if flops >= 1e12 else f"{flops / 1e9:.3g}"
    print(table(["N", "one N×N matrix", "", "naive forward", "fused forward", "recurrent", "its state", "GFLOP attention", "recurrent"],
                [[r["seq_len"], decimal_bytes(r["matrix_bytes"]), binary_bytes(r["matrix_bytes"]),
                  *(decimal_bytes(r["forward_bytes"][name]) for name in (*COMPARED, "recurrent")), decimal_bytes(r["state_bytes"]),
                  work(r["flops"]["attention"]), work(r["flops"]["recurrent"])] for r in lengths]))
    print("\nThe longest sequence whose forward pass fits, with nothing else in memory:\n")
    most = LARGEST["seq_len"]
    print(table(["GPU", "DRAM GB", *COMPARED],
                [[r["gpu"], f"{r['dram_gb']:g}", *(f"{n:,}" + (" or more" if n == most else "") for n in r["longest"].values())]
                 for r in limits]))


def _length(problem: AttentionProblem) -> dict:
    held = {name: sum(forward_bytes(name, problem).values()) for name in COMPARED}
    return dict(seq_len=problem.seq_len, problem=problem.record(), matrix_bytes=problem.score_matrix_bytes,
                forward_bytes=held | dict(recurrent=recurrent.forward_bytes(problem)), state_bytes=recurrent.state_bytes(problem),
                flops=dict(attention=problem.flops, recurrent=recurrent.flops(problem)))
