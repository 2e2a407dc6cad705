"""roofline: arithmetic intensity of each kernel beside the ridge of the unit it computes on."""
import json

from traffic_model import options
from traffic_model.errors import Refusal
from traffic_model.flops import CONVENTION
from traffic_model.predict import predict
from traffic_model.rates import DATASHEET, MEASURED, UNITS, rate
from traffic_model.roofline import AT, LEFT, RIGHT, points, ridge
from traffic_model.tables import table

SIDES = {LEFT: "left of it", AT: "at it", RIGHT: "right of it"}


def add(commands) -> None:
    command = commands.add_parser("roofline", help="FLOP per byte beside the ridge of the unit in use")
    options.add_problem_options(command)
    command.add_argument("--unit", default="fp32", help=f"{', '.join(UNITS)} (fp32: what the ladder's kernels use)")
    command.add_argument("--roofs", default=DATASHEET, help=f"{DATASHEET} or {MEASURED} ({DATASHEET})")
    command.set_defaults(command=show)


def show(arguments) -> None:
    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    for name, value, choices in (("unit", arguments.unit, UNITS), ("roofs", arguments.roofs, (DATASHEET, MEASURED))):
        if value not in choices:
            raise Refusal(f"{name} {value} is not known: choose {' or '.join(choices)}.")
    compute, dram = (rate(gpu, name, arguments.roofs) for name in (arguments.unit, "dram"))
    at = ridge(gpu, arguments.unit, "dram", arguments.roofs)
    found = [(algorithm, point) for algorithm in arguments.algorithm for point in points(predict(algorithm, problem, tiling, gpu))]
    if arguments.json:
        for algorithm, p in found:
            print(json.dumps(dict(algorithm=algorithm, name=p.name, memory=p.memory, flops=p.flops, bytes=p.bytes, intensity=p.intensity,
                                  unit=arguments.unit, roofs=arguments.roofs, ridge=at, side=p.side(at),
                                  attainable_tflops=p.attainable_tflops(compute, dram))))
        return
    print(f"{problem.words} · {tiling} tiles")
    print(f"{gpu.name}, {UNITS[arguments.unit]}: {compute.value:g} {compute.unit}, DRAM {dram.value:g} {dram.unit} ({arguments.roofs}); "
          f"ridge at {at:.1f} FLOP/B\n")
    print(table(["algorithm", "", "FLOP/B, compulsory", "ridge", "at most TFLOP/s"],
                [[algorithm, p.name if p.name != algorithm else "as a whole", f"{p.intensity:.1f}", SIDES[p.side(at)],
                  f"{p.attainable_tflops(compute, dram):.3g}"] for algorithm, p in found]))
    print(f"\n{CONVENTION}.")
