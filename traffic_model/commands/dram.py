"""dram: bytes that cross L2 and DRAM per kernel, as modelled, beside what is compulsory and what is requested."""
import json
import textwrap

from traffic_model import options
from traffic_model.dram import MODEL
from traffic_model.predict import Prediction, predict
from traffic_model.tables import table
from traffic_model.units import binary_bytes, decimal_bytes
from traffic_model.vocabulary import Direction, Measure, Space

WIDE = 120  # characters


def add(commands) -> None:
    command = commands.add_parser("dram", help="bytes that cross L2 and DRAM, modelled per GPU")
    options.add_problem_options(command)
    command.set_defaults(command=show)


def show(arguments) -> None:
    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    found = [(algorithm, record) for algorithm in arguments.algorithm for record in records(predict(algorithm, problem, tiling, gpu))]
    if arguments.json:
        for algorithm in arguments.algorithm:
            print(json.dumps(dict(algorithm=algorithm, problem=problem.record(), tiling=tiling.record(), gpu=gpu.name,
                                  kernels=[record for name, record in found if name == algorithm])))
        return
    print(f"{problem.words} · {tiling} tiles")
    print(f"{gpu.name}, {binary_bytes(gpu.l2_mib * 2**20)} of L2, emptied before each kernel; modelled\n")
    rows = [[algorithm, r["name"], *(decimal_bytes(r[name]) for name in ("compulsory_read_bytes", "read_bytes", "requested_read_bytes")),
             binary_bytes(r["between_bytes"]), decimal_bytes(r["write_bytes"])] for algorithm, r in found]
    print(table(["algorithm", "kernel", "compulsory reads", "DRAM reads", "requested reads", "to be held", "DRAM writes"], rows))
    print("\nTo be held: what is named between two visits to the same line; where L2 has less, lines are read again.")
    print(textwrap.fill(MODEL, WIDE))


def records(prediction: Prediction) -> list[dict]:
    """Per launch: the model's bytes beside compulsory and requested reads."""
    read = lambda kernel, measure: kernel.ledger.total(measure, space=Space.HBM, direction=Direction.READ)
    beside = lambda kernel: {f"{measure}_read_bytes": read(kernel, measure) for measure in (Measure.COMPULSORY, Measure.REQUESTED)}
    return [each._asdict() | beside(kernel) for kernel, each in zip(prediction.kernels, prediction.dram)]
