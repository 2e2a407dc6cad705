"""How fast the cpu backend is here; run by hand: python tests/benchmark_cpu.py

For each kernel in seconds: the best of five launches, counting and not, beside attention written by hand for the processor and how many
times as long the counted one takes, and what its first use costs a process, compiling it or loading it from the cache on disk. Then a
small problem on Numba's simulator.
"""
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import float32, njit, prange

sys.path.insert(0, str(Path(__file__).parent.parent))
from numba_kernels import cpu, fused, naive, simulator  # noqa: E402
from numba_kernels.gpu import FASTMATH  # noqa: E402
from traffic_model import AttentionProblem, Tiling, find_gpu, predict  # noqa: E402

KERNELS = {"naive": naive.kernels, "fused": fused.kernels}
BENCHMARKS = {
    "fused d=64": ("fused", AttentionProblem(4096, head_dim=64)),
    "naive d=64": ("naive", AttentionProblem(4096, head_dim=64)),
    "fused d=128": ("fused", AttentionProblem(1024, head_dim=128)),
    "fused long": ("fused", AttentionProblem(16384, head_dim=64)),
}
SMALL, SIMULATED = 64, 128


@njit(parallel=True, fastmath=FASTMATH, error_model="numpy")
def by_hand(Q, K, V, O, scale):
    """Attention with an online softmax, a row at a time, as one would write it for a processor, rows in parallel; plain loops, which
    Numba vectorises along d, and neither tiles nor tuning. It does the same exponentials, sums and products. Q, O: [N, d]; K, V: [M, d]."""
    for i in prange(len(Q)):
        m, l, o = float32(-math.inf), float32(0), np.zeros(Q.shape[1], np.float32)
        for j in range(len(K)):
            s = float32(0)
            for c in range(Q.shape[1]):
                s += Q[i, c] * K[j, c]
            s *= scale
            if s > m:
                alpha = math.exp(m - s)
                l *= alpha
                for c in range(Q.shape[1]):
                    o[c] *= alpha
                m = s
            p = math.exp(s - m)
            l += p
            for c in range(Q.shape[1]):
                o[c] += p * V[j, c]
        for c in range(Q.shape[1]):
            O[i, c] = o[c] / l


def seconds_by_hand(problem: AttentionProblem, arrays: dict) -> float:
    Q, K, V, O = (arrays[name].reshape(-1, problem.head_dim) for name in "QKVO")
    start = time.perf_counter()
    by_hand(Q, K, V, O, np.float32(problem.scale))
    return time.perf_counter() - start


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


def small(name: str, length: int = SMALL) -> tuple[list, dict]:
    """The kernels of a benchmark on a problem so small that its run takes no time."""
    algorithm, problem = BENCHMARKS[name]
    return specs_and_arrays(algorithm, AttentionProblem(length, head_dim=problem.head_dim))


def main() -> None:
    print(f"{'':14}{'N':>7}{'counted':>10}{'not':>10}{'by hand':>10}{'times':>8}{'compile':>10}{'load':>10}  s")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TILESCOPE_CACHE"] = folder
        for name, (algorithm, problem) in BENCHMARKS.items():
            compiling, loading = first_use(name, folder), first_use(name, folder)
            specs, arrays = specs_and_arrays(algorithm, problem)
            counted, plain = (min(seconds(cpu, specs, arrays, counting) for _ in range(5)) for counting in ("requests", "off"))
            hand = min(seconds_by_hand(problem, arrays) for _ in range(5))
            running = f"{counted:10.3f}{plain:10.3f}{hand:10.3f}{counted / hand:8.1f}"
            print(f"{name:14}{problem.seq_len:7,}{running}{compiling:10.2f}{loading:10.2f}")
        here, there = (seconds(backend, *small("fused d=64", SIMULATED), "requests") for backend in (cpu, simulator))
        print(f"fused at N = {SIMULATED}: cpu {1e3 * here:.1f} ms, Numba's simulator {1e3 * there:,.0f} ms, {there / here:,.0f} times that")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(seconds(cpu, *small(sys.argv[1]), "requests"))
    else:
        main()
