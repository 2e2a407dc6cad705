"""The words every count, prediction, trace, saved run and chart is written in.

Each word is a lower-case string, so that it is the same in the code, in JSON and in a table.
"""
from enum import StrEnum

SECTOR = 32  # bytes
BANKS, WORD = 32, 4  # of shared memory; bytes
WAVEFRONT = BANKS * WORD  # bytes


class Array(StrEnum):
    """What is moved. A shared buffer is booked under what it holds: scores S, exponentials P, reductions STATS."""

    Q = "q"
    K = "k"
    V = "v"
    S = "s"
    P = "p"
    O = "o"
    STATS = "stats"

    @property
    def letter(self) -> str:
        """As the papers and the charts print it: Q, K, V, S, P, O, STATS."""
        return self.upper()


class Space(StrEnum):
    """Where it lives: HBM (global memory) or SHARED (shared memory of one multiprocessor)."""

    HBM = "hbm"
    SHARED = "shared"


class Direction(StrEnum):
    """Which way it moves, as the kernel sees it."""

    READ = "read"
    WRITE = "write"


class Measure(StrEnum):
    """What a number of bytes means.

    requested:  bytes named by each thread's access, lanes × access size.
    compulsory: each kernel reads each of its inputs once and writes each of its outputs once (HBM only).
    distinct:   different bytes named by one warp access: a broadcast counts once.
    sectors:    different sectors named by one warp access, × SECTOR (HBM only).
    wavefronts: the most different words that one warp access names in one of the banks, × WAVEFRONT (SHARED only). Elements of 8 and 16
                bytes are served in parts, whose wavefronts add up: warps/banks.py.
    """

    REQUESTED = "requested"
    COMPULSORY = "compulsory"
    DISTINCT = "distinct"
    SECTORS = "sectors"
    WAVEFRONTS = "wavefronts"
