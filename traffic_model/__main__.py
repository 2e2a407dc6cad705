"""python -m traffic_model predict | gpus | …: what attention should move and cost, before anything runs."""
import json
import sys

from traffic_model import options
from traffic_model.commands import capacity, dram, occupancy, paper, ring, roofline, time, warps
from traffic_model.gpus import all_gpus
from traffic_model.predict import predict
from traffic_model.tables import ledger_rows, table, totals


def show_prediction(arguments) -> None:
    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    predictions = [predict(algorithm, problem, tiling, gpu) for algorithm in arguments.algorithm]
    if not arguments.json:
        print(f"{problem.words} · {tiling} tiles\n")
    for prediction in predictions:
        if arguments.json:
            print(json.dumps(prediction.record()))
            continue
        print(f"{prediction.algorithm}, predicted: {totals(prediction.ledger)} through HBM, {problem.flops:,} FLOP")
        for kernel in prediction.kernels:
            header, rows = ledger_rows(kernel.ledger)
            print(f"\n  {kernel.name}: grid {kernel.launch.grid}, block {kernel.launch.block}")
            print("  " + table(header, rows).replace("\n", "\n  "))
        print()


def show_gpus(arguments) -> None:
    gpus = all_gpus().values()
    if arguments.json:
        print("\n".join(json.dumps(vars(gpu)) for gpu in gpus))
        return
    print(table(["name", "compute capability", "multiprocessors", "L2 MiB", "DRAM GB/s", "fp32 TFLOP/s", "shared KiB/block"],
                [[g.name, g.compute_capability, g.multiprocessors, g.l2_mib, g.dram_gb_per_s, g.fp32_tflops, g.shared_kib_per_block]
                 for g in gpus]))


def main(argv: list[str] | None = None) -> int:
    parser = options.Parser(prog="python -m traffic_model", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=options.Parser)
    predicting = commands.add_parser("predict", help="bytes per array, space, direction and measure")
    options.add_problem_options(predicting)
    predicting.set_defaults(command=show_prediction)
    listing = commands.add_parser("gpus", help="the GPUs that are known, with their limits")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(command=show_gpus)
    for command in (paper, capacity, occupancy, dram, roofline, time, ring, warps):
        command.add(commands)
    arguments = parser.parse_args(argv)
    return options.run_command(arguments.command, arguments)


if __name__ == "__main__":
    sys.exit(main())
