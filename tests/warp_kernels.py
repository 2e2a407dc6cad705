"""Kernels of one warp that access memory once, in the pattern of tests/warp_patterns.py whose number they are given.

The patterns lie in constant memory, which neither global nor shared memory is counted with. What is loaded is compared with a number, and
stored where it is equal, so that the compiler keeps the load.
"""
import re
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import int64, types, uint32, uint64
from warp_patterns import ELEMENTS, patterns

from numba_kernels.device import cuda
from numba_kernels.ports import COPIES, MEASURES, SPACING, WARPS, flush_bytes, gpu_counters, tallies
from numba_kernels.ptx.assembly import instruction
from numba_kernels.ptx.common import global_address, shared_address
from numba_kernels.validate import MNEMONIC
from numba_kernels.votes import vote
from traffic_model.layout.common import WARP
from traffic_model.vocabulary import WORD, Direction, Space

SIZES = 2, 4, 8, 16  # bytes
WIDTHS = {2: "U16", 4: "", 8: "64", 16: "128"}  # as the machine code says them
LINES = {  # PTX for an element of so many bytes; all its words take part
    Direction.READ: {2: "{{ .reg .b16 a; ld.{0}.b16 a, [$1]; cvt.u32.u16 $0, a; }}",
                     4: "ld.{0}.b32 $0, [$1];",
                     8: "{{ .reg .b32 a, b; ld.{0}.v2.b32 {{a, b}}, [$1]; xor.b32 $0, a, b; }}",
                     16: "{{ .reg .b32 a, b, c, d; ld.{0}.v4.b32 {{a, b, c, d}}, [$1]; "
                         "xor.b32 a, a, b; xor.b32 c, c, d; xor.b32 $0, a, c; }}"},
    Direction.WRITE: {2: "{{ .reg .b16 a; cvt.u16.u32 a, $1; st.{0}.b16 [$0], a; }}",
                      4: "st.{0}.b32 [$0], $1;",
                      8: "st.{0}.v2.b32 [$0], {{$1, $1}};",
                      16: "st.{0}.v4.b32 [$0], {{$1, $1, $1, $1}};"}}
SIGNATURE = types.Array(uint32, 1, "C"), int64, uint32, types.Array(int64, 1, "C")
device = cuda.jit(device=True, forceinline=True)


class Kind(NamedTuple):
    """What one kernel does."""

    size: int
    space: Space
    direction: Direction


KINDS = [Kind(*kind) for kind in product(SIZES, Space, Direction)]


def text(kind: Kind, counting: str) -> Callable:
    """The kernel: (memory, number of the pattern, a word, counts)."""
    table = np.array([[-1 if element is None else element for element in lanes] for lanes in patterns(kind.size).values()], np.int16)
    kept, start, flush = gpu_counters(counting, 1, WARP)
    book = device(vote(kind.space, kind.direction, kind.size, MEASURES[WARPS]) if counting == WARPS else _nothing)
    begin, touch, scale = device(_begin(kind)), device(_touch(kind)), kind.size

    def access(memory, number, word, counts):
        tally = cuda.local.array(kept, int64)
        start(tally)
        elements = cuda.const.array_like(table)
        index = int64(elements[number, cuda.laneid])
        address = begin(memory)
        cuda.syncwarp()
        if index >= 0:
            book(tally, 0, index)
            touch(memory, address + index * scale, word)
        flush(tally, counts)

    return access


def compiled(kind: Kind, counting: str):
    """The kernel on the current device."""
    kernel = cuda.jit(text(kind, counting))
    kernel.compile(SIGNATURE)
    return kernel


def launch(kernel, number: int, counting: str, memory, counts) -> None:
    """One warp, on one pattern."""
    kernel[1, WARP, 0, flush_bytes(tallies(counting, 1), WARP)](memory, np.int64(number), np.uint32(1), counts)


def memory():
    """Zeros for ELEMENTS elements of any size."""
    return cuda.to_device(np.zeros(ELEMENTS * max(SIZES) // WORD, np.uint32))


def counted(kernel, number: int, memory) -> dict:
    """The measures that the votes of a counting kernel come to, in bytes."""
    counts = cuda.to_device(np.zeros(COPIES * SPACING, np.int64))
    launch(kernel, number, WARPS, memory, counts)
    return dict(zip(MEASURES[WARPS], counts.copy_to_host().reshape(COPIES, SPACING).sum(axis=0).tolist()))


def wrong_width(kind: Kind, sass: str) -> str | None:
    """What the machine code does instead of one access of the size meant; None if it does that."""
    mnemonic = MNEMONIC[kind.space, kind.direction]
    found = re.findall(rf"\b{mnemonic}((?:\.\w+)*)", sass)
    widths = [next((width for width in WIDTHS.values() if width and width in said.split(".")), "") for said in found]
    return None if widths == [WIDTHS[kind.size]] else f"{' '.join(mnemonic + said for said in found) or f'no {mnemonic}'}"


def _begin(kind):
    words = ELEMENTS * kind.size // WORD

    def shared(memory):
        return int64(shared_address(cuda.shared.array(words, uint32)))

    def hbm(memory):
        return int64(global_address(memory))

    return shared if kind.space == Space.SHARED else hbm


def _touch(kind):
    pointer = uint32 if kind.space == Space.SHARED else uint64
    line = LINES[kind.direction][kind.size].format("shared" if kind.space == Space.SHARED else "global")
    load, store = instruction(line, uint32, (pointer,)), instruction(line, None, (pointer, uint32))

    def read(memory, address, word):
        if load(pointer(address)) == word:
            memory[0] = word

    def write(memory, address, word):
        store(pointer(address), word)

    return read if kind.direction == Direction.READ else write


def _nothing(tally, cell, index):
    pass
