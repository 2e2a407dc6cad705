"""time: predicted milliseconds per kernel, by what each part of the GPU would need, and which part binds."""
import json

from traffic_model import options
from traffic_model.rates import best_known
from traffic_model.tables import table
from traffic_model.times import ARITHMETIC, ASSUMPTIONS, DRAM, L1, L2, LAUNCH, SHARED, issue_share, predicted_times
from traffic_model.units import milliseconds

ORDER = (DRAM, L2, L1, SHARED, ARITHMETIC, LAUNCH)


def add(commands) -> None:
    command = commands.add_parser("time", help="predicted device time, and what binds")
    options.add_problem_options(command)
    command.set_defaults(command=show)


def show(arguments) -> None:
    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    times = {algorithm: predicted_times(algorithm, problem, tiling, gpu) for algorithm in arguments.algorithm}
    if arguments.json:
        for algorithm, kernels in times.items():
            print(json.dumps(dict(algorithm=algorithm, problem=problem.record(), tiling=tiling.record(), gpu=gpu.name,
                                  ms=sum(kernel.ms for kernel in kernels), kernels=[kernel.record() for kernel in kernels])))
        return
    rows = [[f"{algorithm} {kernel.name}", *(milliseconds(kernel.parts[part]) if part in kernel.parts else "–" for part in ORDER),
             milliseconds(kernel.ms), kernel.binds] for algorithm, kernels in times.items() for kernel in kernels]
    print(f"{problem.words} · {tiling} tiles · {gpu.name}; predicted\n")
    print(table(["kernel", *ORDER, "predicted", "bound by"], rows))
    for algorithm, kernels in times.items():
        print(f"\n{algorithm}: {milliseconds(sum(kernel.ms for kernel in kernels))}", end="")
    print("\n\nRates:")
    for name in ("dram", "l2", "fp32"):
        known = best_known(gpu, name)
        print(f"  {name}: " + (f"{known.value:g} {known.unit}, {known.kind}: {known.source}" if known else "not known, left out"))
    print(f"  instructions: {100 * issue_share(gpu):.0f} % of one a clock and partition, as the fp32 product reaches of its peak")
    print("\nAssumed:")
    for part, assumption in ASSUMPTIONS.items():
        print(f"  {part}: {assumption}")
