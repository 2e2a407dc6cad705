"""Naive attention: three kernels, no shared memory, S and P through HBM.

    S = scale · Q Kᵀ        a thread per score, lanes along keys
    P = softmax(S)          a thread per row, three passes over S
    O = P V                 a thread per output element, lanes along the head

Arrays are contiguous: Q, O [heads, N, d], K, V [kv heads, M, d], S, P [heads, N, M], heads counted over the batch. Pairs that the
mask hides are neither read nor stored, so S and P stay unwritten there.
"""
import math

from numba import float32, int64

from numba_kernels.device import cuda
from numba_kernels.spec import KernelSpec
from traffic_model.layout import NaiveLayout
from traffic_model.ledger import Cell
from traffic_model.masks import MASKS
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Space

MINUS_INFINITY = float32(-math.inf)


def kernels(problem: AttentionProblem, layout: NaiveLayout) -> list[KernelSpec]:
    """The three launches in order."""
    cell = lambda array, direction: Cell(array, Space.HBM, direction)
    sizes = [("N", problem.seq_len), ("M", problem.kv_len)]
    grouped = [("d", problem.head_dim), ("queries_per_kv", problem.heads // problem.kv_heads)]
    steps = [
        (scores, "QKS", (cell(Array.Q, Direction.READ), cell(Array.K, Direction.READ), cell(Array.S, Direction.WRITE)),
         sizes + grouped + [("scale", problem.scale)]),
        (softmax, "SP", (cell(Array.S, Direction.READ), cell(Array.P, Direction.WRITE)), sizes),
        (output, "PVO", (cell(Array.P, Direction.READ), cell(Array.V, Direction.READ), cell(Array.O, Direction.WRITE)), sizes + grouped),
    ]
    return [KernelSpec(text, layout, MASKS[problem.mask], problem.dtype, cells, launch, tuple(arrays), tuple(scalars))
            for (text, arrays, cells, scalars), launch in zip(steps, layout.launches(problem))]


def scores(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    Q_READ, K_READ, S_WRITE = range(3)

    def scores(Q, K, S, counts, N, M, d, queries_per_kv, scale):
        """S[i, j] = scale · Q[i] · K[j]"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
        head = cuda.blockIdx.z
        if i < N and j < keys_seen(i, N, M):
            q_row = (head * N + i) * d
            k_row = (head // queries_per_kv * M + j) * d
            s = float32(0)
            for c in range(d):
                s += hbm.read(tally, Q_READ, Q, q_row + c) * hbm.read(tally, K_READ, K, k_row + c)
            hbm.write(tally, S_WRITE, S, (head * N + i) * M + j, scale * s)
        flush(tally, counts)

    return scores


def softmax(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    S_READ, P_WRITE = range(2)

    def softmax(S, P, counts, N, M):
        """P[i] = exp(S[i] − m) / ℓ, with m the row's maximum and ℓ the sum of its exponentials"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        head = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
        if i < N:
            row = (head * N + i) * M
            keys = keys_seen(i, N, M)
            m = MINUS_INFINITY
            for j in range(keys):
                m = max(m, hbm.read(tally, S_READ, S, row + j))
            l = float32(0)
            for j in range(keys):
                l += math.exp(hbm.read(tally, S_READ, S, row + j) - m)
            for j in range(keys):
                p = math.exp(hbm.read(tally, S_READ, S, row + j) - m) / l
                hbm.write(tally, P_WRITE, P, row + j, p)
        flush(tally, counts)

    return softmax


def output(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    P_READ, V_READ, O_WRITE = range(3)

    def output(P, V, O, counts, N, M, d, queries_per_kv):
        """O[i, c] = Σⱼ P[i, j] · V[j, c]"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        c = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
        head = cuda.blockIdx.z
        if i < N and c < d:
            p_row = (head * N + i) * M
            v_column = head // queries_per_kv * M * d + c
            o = float32(0)
            for j in range(keys_seen(i, N, M)):
                o += hbm.read(tally, P_READ, P, p_row + j) * hbm.read(tally, V_READ, V, v_column + j * d)
            hbm.write(tally, O_WRITE, O, (head * N + i) * d + c, o)
        flush(tally, counts)

    return output
