"""run: one algorithm on one problem, really executed; its counts, its errors against float64 and, on a GPU, its times."""
import importlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from numba_kernels import fused, fused_kv_outer, fused_tensor_core, naive, reference, simulator, tiled
from numba_kernels.device import cuda
from numba_kernels.ports import COUNTING_MODES, OFF, WARPS
from numba_kernels.results import KernelRun, Run, ledger_of
from numba_kernels.spec import KernelSpec
from numba_kernels.storage import ELEMENT_BYTES, decode, encode
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout import LAYOUTS, Layout
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.units import decimal_bytes

BACKENDS = ("auto", "gpu", "cpu", "simulator")
ALGORITHMS = {"naive": naive.kernels, "tiled": tiled.kernels, "fused": fused.kernels, "fused_kv_outer": fused_kv_outer.kernels,
              "fused_tensor_core": fused_tensor_core.kernels}
L2_STATES = ("warm", "cold")
COUNTED_SAMPLES, LONG_MS = 5, 1000.0  # what counting costs is timed with so few, and for kernels that take long not at all
SAMPLE_LENGTH = {"gpu": 2048, "cpu": 1024, "simulator": 16}  # of the run that an estimate is made from
ONE_AT_A_TIME = threading.RLock()  # compile, launch and the GPU are shared by all sessions of a process


class OutOfMemory(Refusal):
    """The arrays would not fit; needed_bytes says what they take."""

    def __init__(self, sentence: str, needed_bytes: int):
        super().__init__(sentence)
        self.needed_bytes = needed_bytes


def run(algorithm: str, problem: AttentionProblem, tiling: Tiling, target: Gpu, backend: str = "auto", counting: str = "requests",
        seed: int = 0, repeat: int = 0, warmup: int = 1, l2: str = "warm", progress: Callable[[int, int], None] | None = None,
        check: bool = False) -> Run:
    """Runs the algorithm's kernels on seeded normal inputs with poisoned outputs.

    target: the GPU whose shared-memory limit the tiling must respect. counting: "off", "requests" or, not on the simulator, "warps".
    repeat: time samples per kernel, gpu only; l2: "warm" or "cold" before each. progress(done, total), in blocks, is called from this
    thread; an exception it raises stops the run and comes out of here. check: look at every access for races, reads of shared memory
    that nobody wrote and indices outside their array before each kernel, cpu only.
    Raises Refusal for what cannot run: an illegal tiling, no GPU, OutOfMemory; and cpu.Faulty for what `check` finds.
    """
    layout, backend = resolve(algorithm, problem, tiling, target, backend, counting, seed, repeat, warmup, l2, check)
    device = importlib.import_module(f"numba_kernels.{backend}")  # gpu, cpu and simulator offer the same functions
    specs = ALGORITHMS[algorithm](problem, layout)
    with ONE_AT_A_TIME:
        _require_memory(algorithm, problem, device)
        inputs, rows, expected = inputs_and_expected(problem, seed)
        arrays = {name: device.put(array.ravel()) for name, array in inputs.items()}
        arrays |= {name: device.allocate(elements, dtype) for name, (elements, dtype) in written_arrays(algorithm, problem).items()}
        runs = tuple(_run_kernel(spec, arrays, device, counting, repeat, warmup, l2, said, check)
                     for spec, said in zip(specs, _shares(specs, progress)))
        output = decode(device.get(arrays["O"]), problem.dtype).reshape(inputs["Q"].shape)
    errors = reference.errors(output[:, :, rows], expected)
    if not math.isfinite(errors[0]):
        raise Refusal(f"{algorithm} gave values that are not finite: at scale {problem.scale:g} its scores do not fit {problem.dtype}; "
                      f"take float32 or a smaller scale.")
    return Run(algorithm, problem, tiling, layout, backend, counting, seed, runs, len(rows), *errors, output, check)


def resolve(algorithm: str, problem: AttentionProblem, tiling: Tiling, target: Gpu, backend: str = "auto", counting: str = "requests",
            seed: int = 0, repeat: int = 0, warmup: int = 1, l2: str = "warm", check: bool = False) -> tuple[Layout, str]:
    """(layout, backend) that `run` would use. Raises Refusal as `run` does, for all but too little memory, before anything runs."""
    layout = layout_of(algorithm, problem, tiling, target)
    for name, value, choices in (("counting", counting, COUNTING_MODES), ("l2", l2, L2_STATES)):
        if value not in choices:
            raise Refusal(f"{name} {value} is not known; choose {' or '.join(choices)}.")
    if algorithm == "fused_tensor_core":
        fused_tensor_core.require(pick_backend("auto" if backend == "gpu" else backend), counting)
    backend = pick_backend(backend)
    if backend == "simulator":
        simulator.require_small(problem)
    require_how(backend, counting, repeat, seed, warmup, check)
    return layout, backend


def layout_of(algorithm: str, problem: AttentionProblem, tiling: Tiling, target: Gpu) -> Layout:
    """The layout the algorithm would run with. Raises Refusal for an unknown algorithm or a tiling the GPU cannot hold."""
    require_algorithm(algorithm)
    return LAYOUTS[algorithm].resolve(problem, tiling, target)


def require_algorithm(algorithm: str) -> None:
    """Raises Refusal for an unknown one."""
    if algorithm not in ALGORITHMS:
        raise Refusal(f"algorithm {algorithm} is not known; choose {', '.join(ALGORITHMS)}.")


def require_how(backend: str, counting: str, repeat: int, seed: int, warmup: int, check: bool = False) -> None:
    """Raises Refusal for what a backend does not count or check, for a negative number and for times that are not a GPU's."""
    if counting == WARPS and backend == "simulator":
        raise Refusal("the simulator backend has no warps to count; take the cpu backend, which runs the same kernel text.")
    if check and backend != "cpu":
        raise Refusal(f"the {backend} backend does not check accesses; take the cpu backend, which runs the same kernel text.")
    for name, value in (("seed", seed), ("repeat", repeat), ("warmup", warmup)):
        if value < 0:
            raise Refusal(f"{name} {value} is below zero; the smallest is 0.")
    if repeat and backend != "gpu":
        raise Refusal(f"times come only from a GPU, not from the {backend} backend; leave repeat at 0.")


def estimate_seconds(algorithm: str, problem: AttentionProblem, tiling: Tiling, target: Gpu, backend: str) -> float:
    """About how long `run` will take here, the comparison with float64 included, compilation not.

    Found by running one head of a short sequence once per process and head size, tiling and mask: both the kernels and the
    reference take time in proportion to the visible pairs.
    """
    per_pair = _seconds_per_pair(algorithm, problem.head_dim, problem.mask, tiling, target, pick_backend(backend))
    return per_pair * problem.visible_pairs * problem.query_heads


@lru_cache
def _seconds_per_pair(algorithm, head_dim, mask, tiling, target, backend) -> float:
    sample = AttentionProblem(SAMPLE_LENGTH[backend], head_dim=head_dim, mask=mask)
    once = lambda: run(algorithm, sample, tiling, target, backend)
    once()  # compiles
    started = time.perf_counter()
    once()
    return (time.perf_counter() - started) / sample.visible_pairs


def pick_backend(name: str) -> str:
    """"auto" becomes gpu where there is one, else cpu. Raises Refusal for gpu without a GPU and for an unknown name."""
    if name not in BACKENDS:
        raise Refusal(f"backend {name} is not known; choose {', '.join(BACKENDS)}.")
    if name == "auto":
        return "gpu" if gpu_available() else "cpu"
    if name == "gpu" and not gpu_available():
        raise Refusal("backend gpu needs a CUDA device and this machine shows none; use cpu, which runs the same kernel text.")
    return name


def gpu_available() -> bool:
    """Whether a CUDA device can be used here."""
    try:
        return cuda.is_available()
    except Exception:  # a driver that is present but broken: whatever it raises, there is no GPU to use
        return False


def make_inputs(problem: AttentionProblem, seed: int) -> dict[str, np.ndarray]:
    """Seeded normal inputs as they are stored: Q [batch, heads, N, d], K and V [batch, kv heads, M, d]."""
    random = np.random.default_rng(seed)
    queries = (problem.batch, problem.heads, problem.seq_len, problem.head_dim)
    keys = (problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim)
    normal = lambda shape: encode(random.standard_normal(shape, np.float32), problem.dtype)
    return {name: normal(shape) for name, shape in (("Q", queries), ("K", keys), ("V", keys))}


@lru_cache(maxsize=1)  # the rungs of a sweep run on the same problem one after the other
def inputs_and_expected(problem: AttentionProblem, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """(inputs as they are stored, query rows of each head that are checked, what float64 makes of the stored inputs in those rows)"""
    inputs = make_inputs(problem, seed)
    stored = (decode(inputs[name], problem.dtype) for name in "QKV")
    rows = reference.checked_rows(problem.seq_len, problem.kv_len)
    return inputs, rows, reference.attention(*stored, problem.mask, problem.scale, rows)


def memory_bytes(algorithm: str, problem: AttentionProblem) -> int:
    """Bytes the arrays in HBM take: inputs, output, and what the algorithm keeps between (S and P, or scratch)."""
    written = sum(elements * ELEMENT_BYTES[dtype] for elements, dtype in written_arrays(algorithm, problem).values())
    return problem.query_bytes + 2 * problem.key_bytes + written


def written_arrays(algorithm: str, problem: AttentionProblem) -> dict[str, tuple[int, str]]:
    """(elements, dtype) of each array that kernels write."""
    rows = problem.query_heads * problem.seq_len
    matrix, output = (rows * problem.kv_len, problem.dtype), (rows * problem.head_dim, problem.dtype)
    between = {"naive": {"S": matrix, "P": matrix}, "tiled": {"S": matrix, "P": matrix},
               "fused_kv_outer": {"o": (output[0], "float32"), "STATS": (2 * rows, "float32")}}
    return between.get(algorithm, {}) | {"O": output}


def _run_kernel(spec: KernelSpec, arrays: dict, device, counting: str, repeat: int, warmup: int, l2: str, progress,
                check: bool) -> KernelRun:
    if check:
        device.require_no_faults(spec, {name: arrays[name].copy() for name in spec.arrays})
    counts = device.launch(spec, arrays, counting, progress)
    ledger = ledger_of(spec.cells, counting, counts)
    if not repeat:
        return KernelRun(spec.launch, ledger, resources=device.resources(spec))
    times = tuple(device.times_ms(spec, arrays, repeat, warmup, l2, OFF))
    counted = None
    if counting != OFF and times[0] < LONG_MS:
        counted = tuple(device.times_ms(spec, arrays, COUNTED_SAMPLES, warmup, l2, counting))
    return KernelRun(spec.launch, ledger, times, counted, device.resources(spec))


def _shares(specs: list[KernelSpec], progress) -> Iterator[Callable | None]:
    """One progress function per kernel, telling of the blocks of all kernels together."""
    total, before = sum(spec.blocks for spec in specs), 0
    for spec in specs:
        yield None if progress is None else lambda done, _, before=before: progress(before + done, total)
        before += spec.blocks


def _require_memory(algorithm: str, problem: AttentionProblem, device) -> None:
    needed, free = memory_bytes(algorithm, problem), device.free_bytes()
    if free is not None and needed > 0.9 * free:
        raise OutOfMemory(f"{algorithm} at N = {problem.seq_len:,} needs {decimal_bytes(needed)} and {decimal_bytes(free)} are free; "
                          f"take a smaller N, fewer heads, or fused, which needs {decimal_bytes(memory_bytes('fused', problem))}.", needed)
