"""occupancy: blocks per multiprocessor of the ladder's kernels, or of any kernel by its numbers."""
import json

from traffic_model import options
from traffic_model.errors import Refusal
from traffic_model.occupancy import BLOCKS, REGISTERS, SHARED, WARPS, BlockUse, Occupancy, occupancy
from traffic_model.occupancy_of_tiles import occupancies, smaller_tile
from traffic_model.tables import table
from traffic_model.tiling import Tiling
from traffic_model.units import percent

UNITS = {REGISTERS: ("registers per thread", "registers"), SHARED: ("bytes of shared memory", "shared_bytes"),
         WARPS: ("warps per block", "warps")}


def add(commands) -> None:
    command = commands.add_parser("occupancy", help="blocks per multiprocessor, and what stops the next one")
    options.add_problem_options(command)
    command.add_argument("--registers", type=options.whole_number, metavar="R",
                         help="per thread, as compiled (the most that the launch bounds leave)")
    command.add_argument("--threads", type=options.whole_number, metavar="T", help="any kernel: threads per block, with --registers")
    command.add_argument("--shared-bytes", type=options.whole_number, metavar="B", help="any kernel: of shared memory per block (0)")
    command.set_defaults(command=show)


def show(arguments) -> None:
    rows = list(_any_kernel(arguments) if arguments.threads is not None else _ladder(arguments))
    if arguments.json:
        for algorithm, kernel, found, smaller in rows:
            tile = smaller and dict(tiling=smaller[0].record(), blocks=smaller[1].blocks, occupancy=smaller[1].share)
            print(json.dumps(dict(algorithm=algorithm, kernel=kernel, **found.record(), smaller_tile=tile)))
        return
    cells = [[f"{a} {k}".strip(), u.threads, u.registers, u.shared_bytes, o.blocks, f"{o.warps} of {o.gpu.warps_per_multiprocessor}",
              percent(o.share), " and ".join(o.limiting)] for a, k, o, _ in rows for u in [o.use]]
    print(f"{rows[0][2].gpu.name}, per multiprocessor\n")
    print(table(["kernel", "threads", "registers", "shared B", "blocks", "warps", "occupancy", "limited by"], cells))
    print()
    for algorithm, kernel, found, smaller in rows:
        print(f"{algorithm} {kernel}: {_another(found)}{_smaller(algorithm, smaller)}".strip())
    if arguments.registers is None:
        print("Registers: the most that the launch bounds leave the compiler, so blocks are no fewer; --registers gives the real ones.")


def _ladder(arguments):
    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    if arguments.shared_bytes is not None:
        raise Refusal("--shared-bytes describes any kernel and needs --threads; the ladder's kernels know their own.")
    for algorithm in arguments.algorithm:
        for kernel, found in occupancies(algorithm, problem, tiling, gpu, arguments.registers).items():
            yield algorithm, kernel, found, smaller_tile(algorithm, kernel, problem, tiling, gpu, arguments.registers)


def _any_kernel(arguments):
    if arguments.registers is None:
        raise Refusal("--threads describes any kernel and needs --registers, such as --registers 64.")
    use = BlockUse(arguments.threads, arguments.registers, arguments.shared_bytes or 0)
    yield "any", "kernel", occupancy(use, options.gpu_of(arguments)), None


def _another(found: Occupancy) -> str:
    """What would let one more block in."""
    if BLOCKS in found.limiting:
        return f"no more than {found.blocks} blocks fit a multiprocessor, whatever they take"
    parts = []
    for name, most in found.for_another.items():
        unit, field = UNITS[name]
        less = getattr(found.use, field) - most
        parts.append(f"at most {most:,} {unit} ({less:,} less)" if most else f"fewer threads than its {found.use.threads} for {name}")
    return f"block {found.blocks + 1} would need {' and '.join(parts)}"


def _smaller(algorithm: str, smaller: tuple[Tiling, Occupancy] | None) -> str:
    if algorithm in ("any", "naive"):
        return "."
    if smaller is None:
        return "; no smaller tile raises it."
    return f"; a {smaller[0]} tile would raise it to {percent(smaller[1].share)}."
