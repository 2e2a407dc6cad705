"""Members: what each GPU of a ring holds, and once round the ring."""
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np

from numba_kernels import fused_ring
from traffic_model.layout.fused_ring import FusedRingLayout
from traffic_model.layout.ring import RingPart, ring_parts, shared_out
from traffic_model.problem import AttentionProblem

BUFFERS = 2  # for blocks on their way; a ring of two needs one
FP32 = "float32"


class Member:
    """A GPU's share: its rows of Q and O, its own block of K and V, buffers for others' blocks, and what it keeps between steps.

    It leaves its own block where it is and takes the others into the buffers in turn: what comes for step s + 1 overwrites what it worked
    on in step s − 1. specs: its launch in each step, None where the block is skipped.
    """

    def __init__(self, seat, inputs: dict[str, np.ndarray], parts: list[RingPart], layout: FusedRingLayout, queries: list, keys: list):
        """seat: of ring_gpu or ring_host; queries, keys: where each GPU's rows of Q begin, and each one's of K and V."""
        number = parts[0].gpu
        rows = lambda name, bounds: seat.put(inputs[name][:, :, bounds[number]:bounds[number + 1]].ravel())
        self.seat, self.parts, self.problem = seat, parts, parts[0].problem
        self.specs = [part.problem and fused_ring.kernel(part.problem, replace(layout, first=part.first, last=part.last)) for part in parts]
        self.queries, self.own = rows("Q", queries), {name: rows(name, keys) for name in "KV"}
        self.sizes = [inputs["K"][:, :, first:end].size for first, end in pairwise(keys)]  # elements of each GPU's K, and of its V
        self.buffers = [{name: seat.allocate(max(self.sizes), self.problem.dtype) for name in "KV"}
                        for _ in range(min(BUFFERS, len(parts) - 1))]

    def poison(self) -> None:
        """Forgets everything that launches write."""
        rows, d = self.problem.query_heads * self.problem.seq_len, self.problem.head_dim
        written = dict(O=(rows * d, self.problem.dtype), o=(rows * d, FP32), STATS=(2 * rows, FP32))
        self.written = {name: self.seat.allocate(*how) for name, how in written.items()}

    def block(self, step: int) -> dict:
        """K and V of the block that it has in a step."""
        if step == 0:
            return self.own
        size = self.sizes[self.parts[step].owner]
        return {name: buffer[:size] for name, buffer in self.buffers[(step - 1) % BUFFERS].items()}

    def launch(self, step: int, counting: str, after: list):
        """Its work of a step, once all of `after` has ended; as its seat's `launch`."""
        arrays = dict(Q=self.queries) | self.block(step) | self.written
        return self.seat.launch(self.specs[step], arrays, counting, after)

    def hand_on(self, step: int, to: "Member", after: list):
        """The block of a step to where the next member has it in the step after; as its seat's `hand_on`."""
        block, target = self.block(step), to.block(step + 1)
        return self.seat.hand_on([(block[name], target[name]) for name in "KV"], to.seat, after)


def members(seats: list, problem: AttentionProblem, inputs: dict[str, np.ndarray], layout: FusedRingLayout) -> list[Member]:
    """One on each seat."""
    gpus, parts = len(seats), list(ring_parts(problem, len(seats)))
    bounds = shared_out(problem.seq_len, gpus), shared_out(problem.kv_len, gpus)
    return [Member(seat, inputs, parts[number * gpus:(number + 1) * gpus], layout, *bounds) for number, seat in enumerate(seats)]


def once_round(members: list[Member], counting: str) -> tuple[dict, dict, float]:
    """({(gpu, step): launch}, {(gpu, step): copy}, ms from the first being queued to all having ended, by the host's clock).

    A launch waits for its block. A copy waits for the block too, and from the third on until the next GPU is done with what lies where it
    goes: with working on it and with handing it on. Nothing else waits, so that copies and launches go on at once.
    """
    gpus, launched, copied = len(members), {}, {}
    for member in members:
        member.poison()
        member.seat.finish()  # so that nothing is poisoned after a copy from elsewhere has come
    started = time.perf_counter()
    for step in range(gpus):
        for number, member in enumerate(members):
            arrived = copied.get(((number - 1) % gpus, step - 1))
            if member.specs[step]:
                launched[number, step] = member.launch(step, counting, _known(arrived))
        for number, member in enumerate(members if step < gpus - 1 else []):
            arrived, onto = copied.get(((number - 1) % gpus, step - 1)), ((number + 1) % gpus, step - 1)
            done_with = [launched.get(onto), copied.get(onto)] if step >= BUFFERS else []
            copied[number, step] = member.hand_on(step, members[(number + 1) % gpus], _known(arrived, *done_with))
    for member in members:
        member.seat.finish()
    return launched, copied, (time.perf_counter() - started) * 1e3


def bytes_of_each(problem: AttentionProblem, gpus: int) -> int:
    """Bytes that the arrays of the largest share take."""
    q_rows, kv_rows = (-(-rows // gpus) for rows in (problem.seq_len, problem.kv_len))
    share = replace(problem, seq_len=q_rows, kv_len=kv_rows, mask="full")
    between = share.query_heads * q_rows * (share.head_dim + 2) * np.dtype(FP32).itemsize
    return 2 * share.query_bytes + 2 * share.key_bytes * (1 + min(BUFFERS, gpus - 1)) + between


def _known(*earlier) -> list:
    return [each for each in earlier if each is not None]
