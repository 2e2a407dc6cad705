"""How fast the cpu backend is here; run by hand: python tests/benchmark_cpu.py

For each kernel the best of five launches, counting and not, and what its first use costs a process: compiling it, or loading it from
the cache on disk. Then the same small problem on Numba's simulator.
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from numba_kernels import cpu, fused, naive, simulator  # noqa: E402
from traffic_model import AttentionProblem, Tiling, find_gpu, predict  # noqa: E402

KERNELS = {"naive": naive.kernels, "fused": fused.kernels}
BENCHMARKS = {
    "fused d=64": ("fused", AttentionProblem(4096, head_dim=64)),
    "naive d=64": ("naive", AttentionProblem(4096, head_dim=64)),
    "fused d=128": ("fused", AttentionProblem(1024, head_dim=128)),
    "fused long": ("fused", AttentionProblem(16384, head_dim=64)),
}
SMALL = 64


def specs_and_arrays(algorithm: str, problem: AttentionProblem) -> tuple[list, dict]:
    """The kernels of an algorithm and random inputs for them."""
    random = np.random.default_rng(0)
    draw = lambda size: random.standard_normal(size // problem.element_bytes, np.float32)
    arrays = dict(Q=draw(problem.query_bytes), K=draw(problem.key_bytes), V=draw(problem.key_bytes), O=draw(problem.query_bytes))
    if algorithm == "naive":
        arrays |= dict(S=draw(problem.score_matrix_bytes), P=draw(problem.score_matrix_bytes))
    return KERNELS[algorithm](problem, predict(algorithm, problem, Tiling(), find_gpu("H200 SXM")).layout), arrays


def seconds(backend, specs: list, arrays: dict, counting: str) -> float:
    """One run of all kernels."""
    start = time.perf_counter()
    for spec in specs:
        backend.launch(spec, arrays, counting)
    return time.perf_counter() - start


def first_use(name: str, folder: str) -> float:
    """Seconds until the kernels have run once on a small problem, after import, in a process of its own."""
    command = [sys.executable, __file__, name]
    return float(subprocess.run(command, env=os.environ | {"TILESCOPE_CACHE": folder}, capture_output=True, text=True, check=True).stdout)


def small(name: str) -> tuple[list, dict]:
    """The kernels of a benchmark on a problem so small that its run takes no time."""
    algorithm, problem = BENCHMARKS[name]
    return specs_and_arrays(algorithm, AttentionProblem(SMALL, head_dim=problem.head_dim))


def main() -> None:
    print(f"{'':14}{'N':>7}{'counted':>10}{'plain':>10}{'compile':>10}{'load':>10}   seconds, counted and plain the best of five")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TILESCOPE_CACHE"] = folder
        for name, (algorithm, problem) in BENCHMARKS.items():
            compiling, loading = first_use(name, folder), first_use(name, folder)
            specs, arrays = specs_and_arrays(algorithm, problem)
            counted, plain = (min(seconds(cpu, specs, arrays, counting) for _ in range(5)) for counting in ("requests", "off"))
            print(f"{name:14}{problem.seq_len:7,}{counted:10.3f}{plain:10.3f}{compiling:10.2f}{loading:10.2f}")
        here, there = (seconds(backend, *small("fused d=64"), "requests") for backend in (cpu, simulator))
        print(f"fused at N = {SMALL}: cpu {1e3 * here:.1f} ms, Numba's simulator {1e3 * there:,.0f} ms, {there / here:,.0f} times as long")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(seconds(cpu, *small(sys.argv[1]), "requests"))
    else:
        main()
