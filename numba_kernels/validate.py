"""validate: what the kernels counted beside what the hardware counted, launch by launch."""
import sys
from collections.abc import Callable
from dataclasses import dataclass

from numba_kernels import gpu, nsight
from numba_kernels.nsight import Profiled, Unavailable
from numba_kernels.results import KernelRun, Run
from numba_kernels.run import ALGORITHMS
from numba_kernels.spec import KernelSpec
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.vocabulary import SECTOR, Direction, Measure, Space

MNEMONIC = {(Space.HBM, Direction.READ): "LDG", (Space.HBM, Direction.WRITE): "STG",
            (Space.SHARED, Direction.READ): "LDS", (Space.SHARED, Direction.WRITE): "STS"}
REPEATED = "the hardware counts a wavefront again that had to give way to other traffic; that changes from run to run"


@dataclass(frozen=True)
class Compared:
    """One measure of one launch, summed over arrays, in bytes."""

    space: Space
    direction: Direction
    measure: Measure
    counted: int
    hardware: int
    cause: str | None = None  # of a difference

    @property
    def agrees(self) -> bool:
        return self.counted == self.hardware

    def record(self) -> dict:
        return dict(space=str(self.space), direction=str(self.direction), measure=str(self.measure), counted=self.counted,
                    hardware=self.hardware, cause=self.cause)


@dataclass(frozen=True)
class ValidatedKernel:
    """One launch. cold, warm: bytes from L2 and through DRAM, and the duration, with L2 emptied before and as the launch before left it;
    None where that was not profiled."""

    name: str
    compared: tuple[Compared, ...]
    cold: dict[str, float] | None
    warm: dict[str, float] | None

    def record(self) -> dict:
        return dict(name=self.name, compared=[each.record() for each in self.compared], cold=self.cold, warm=self.warm)


@dataclass(frozen=True)
class Validation:
    """An algorithm whose counts stand beside the hardware's."""

    run: Run
    kernels: tuple[ValidatedKernel, ...]

    @property
    def disagreements(self) -> list[Compared]:
        """Those without a stated cause."""
        return [each for kernel in self.kernels for each in kernel.compared if not each.agrees and each.cause is None]

    def record(self) -> dict:
        """The JSON object that `python -m numba_kernels validate --json` prints."""
        return dict(algorithm=self.run.algorithm, problem=self.run.problem.record(), tiling=self.run.tiling.record(),
                    backend=self.run.backend, kernels=[kernel.record() for kernel in self.kernels])


def profiled_here(result: Run, target: Gpu, seed: int) -> tuple[list[Profiled], list[Profiled]]:
    """The run's launches under ncu on this machine, with L2 emptied before each and as it was left.

    Raises Unavailable where the hardware's counters cannot be read.
    """
    if result.backend != "gpu":
        raise Unavailable("there is no GPU here to compare the counts with.")
    command = _command(result, target, seed)
    return tuple(nsight.read(nsight.profile(command, metrics, cold), "what ncu printed")
                 for metrics, cold in (([*nsight.MEMORY, *nsight.NAMES], True), (nsight.MEMORY, False)))


def validate(result: Run, cold: list[Profiled], warm: list[Profiled] | None = None) -> Validation:
    """The counts of a run in the warps mode beside what the hardware counted for the same launches.

    Raises Refusal for launches that are not the run's.
    """
    names = [kernel.launch.name for kernel in result.kernels]
    for launches in filter(None, (cold, warm)):
        if [launch.name for launch in launches] != names:
            seen = ", ".join(launch.name for launch in launches) or "nothing"
            raise Refusal(f"{result.algorithm} launches {', '.join(names)}, but the profiler saw {seen}.")
    specs = ALGORITHMS[result.algorithm](result.problem, result.layout)
    kernels = zip(result.kernels, specs, cold, warm or [None] * len(cold))
    return Validation(result, tuple(ValidatedKernel(kernel.launch.name, _compared(kernel, _why(spec, result.backend), first),
                                                    _memory(first), _memory(second)) for kernel, spec, first, second in kernels))


def _command(result: Run, target: Gpu, seed: int) -> list[str]:
    p = result.problem
    options = dict(algorithm=result.algorithm, seq_len=p.seq_len, kv_len=p.kv_len, head_dim=p.head_dim, heads=p.heads, kv_heads=p.kv_heads,
                   batch=p.batch, dtype=p.dtype, mask=p.mask, scale=repr(p.scale), block_q=result.tiling.block_q,
                   block_k=result.tiling.block_k, gpu=target.name, backend="gpu", counting="off", seed=seed)
    return [sys.executable, "-m", "numba_kernels", "run", "--json",
            *(f"--{name.replace('_', '-')}={value}" for name, value in options.items())]


def _compared(kernel: KernelRun, why: Callable, launch: Profiled) -> tuple[Compared, ...]:
    pairs = []
    for space, direction, measure in nsight.METRICS:
        counted, hardware = kernel.ledger.total(measure, space=space, direction=direction), launch.bytes(space, direction, measure)
        if counted or hardware:
            cause = why(space, direction, measure, hardware < counted) if counted != hardware else None
            pairs.append(Compared(space, direction, measure, counted, hardware, cause))
    return tuple(pairs)


def _why(spec: KernelSpec, backend: str) -> Callable[[Space, Direction, Measure, bool], str | None]:
    """What explains a difference: sectors and wavefronts follow the width of the instructions that the compiler chose, which makes them
    fewer; wavefronts also how the accesses of a multiprocessor meet, which makes them more; distinct bytes neither."""
    def why(space, direction, measure, fewer):
        if measure == Measure.DISTINCT:
            return None
        if backend != "gpu":
            return "the width of the instructions is not known without the GPU"
        merged = [f"{number} {name}" for name, number in sorted(gpu.wide_accesses(spec).items())
                  if name.startswith(MNEMONIC[space, direction])]
        if merged and fewer:
            return f"the compiler merged accesses: {', '.join(merged)}"
        return REPEATED if measure == Measure.WAVEFRONTS else None

    return why


def _memory(launch: Profiled | None) -> dict[str, float] | None:
    if launch is None or not set(nsight.MEMORY) <= launch.metrics.keys():
        return None
    l2, read, written, ns = (launch.metrics[metric] for metric in nsight.MEMORY)
    return dict(l2_read_bytes=round(l2) * SECTOR, dram_read_bytes=round(read), dram_write_bytes=round(written), duration_us=ns / 1e3)
