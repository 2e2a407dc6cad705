"""Modelled DRAM bytes beside recorded ones. `python tests/compare_dram.py` prints the errors of the half of the sweep that the fit has not
seen and of what was recorded once all of the model stood, where the model fails, and how far the hardware repeats itself; `python
tests/compare_dram.py fit SECONDS` looks for better constants on the other half."""
import json
import math
import random
import sys
import time
import zlib
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)] * (__name__ == "__main__")

from numba_kernels.hardware import recorded_launches  # noqa: E402
from traffic_model import AttentionProblem, Tiling, find_gpu, predict  # noqa: E402
from traffic_model.dram import CONSTANTS, Constants, DramBytes, dram_bytes  # noqa: E402
from traffic_model.gpus import Gpu  # noqa: E402

FITS, CROSSES, BEYOND = REGIMES = ("fits in L2", "crosses it", "far beyond")
EDGES = (.25, 1)  # of what is named between two visits, over L2's size
TARGETS = (.03, .10)  # median and worst
FITTED = ("capacity_share", "sharpness", "copied", "favour", "crowd", "fill", "stall")  # the others are read off


class Launch(NamedTuple):
    """One recorded launch. held_out: not used by the fit; all kernels of a configuration are on one side."""

    algorithm: str
    problem: AttentionProblem
    tiling: Tiling
    gpu: Gpu
    kernel: str
    read_bytes: int
    write_bytes: int
    registers: int
    held_out: bool

    def modelled(self, constants: Constants = CONSTANTS) -> DramBytes:
        layout = predict(self.algorithm, self.problem, self.tiling, self.gpu).layout
        return next(each for each in dram_bytes(self.algorithm, self.problem, layout, self.gpu, constants, self.registers)
                    if each.name == self.kernel)

    def error(self, constants: Constants = CONSTANTS) -> float:
        """Of DRAM reads, relative."""
        return self.modelled(constants).read_bytes / self.read_bytes - 1

    @property
    def regime(self) -> str:
        return REGIMES[sum(self.modelled().between_bytes / (self.gpu.l2_mib * 2**20) > edge for edge in EDGES)]


@cache
def launches(kind: str = "dram") -> list[Launch]:
    """Every launch of the recorded sweeps, or of another kind of recording."""
    return [Launch(line["algorithm"], AttentionProblem(**line["problem"]), Tiling(**line["tiling"]), find_gpu(recording.header["gpu"]),
                   line["kernel"], line["dram_read_bytes"], line["dram_write_bytes"], line["registers_per_thread"], _held_out(line))
            for recording in recorded_launches(kind) for line in recording.lines]


def _held_out(line: dict) -> bool:
    configuration = json.dumps([line["algorithm"], line["problem"], line["tiling"]], sort_keys=True)
    return zlib.crc32(configuration.encode()) % 2 == 1


def show() -> None:
    for words, judged in (("The half of the sweep that the fit has not seen", [launch for launch in launches() if launch.held_out]),
                          ("Drawn at random, recorded once all of the model stood", launches("dram_unseen"))):
        print(f"{words}:")
        _show_errors(judged)
    print("DRAM reads of launches of which many are among the worst, measured again, largest over smallest:")
    for (algorithm, kernel, p, tiling), reads in repeated().items():
        print(f"  {max(reads) / min(reads) - 1:+7.1%}  {_said(algorithm, kernel, p, tiling)}; {len(reads)} times")


def _show_errors(judged: list[Launch]) -> None:
    for regime in REGIMES:
        errors = sorted(((abs(launch.error()), launch) for launch in judged if launch.regime == regime), key=lambda each: each[0])
        sizes = [error for error, _ in errors]
        print(f"{regime}: {len(errors)} of {len(judged)} launches, median {median(sizes):.2%}, nine of ten within "
              f"{sizes[len(sizes) * 9 // 10]:.0%}, {sum(size <= TARGETS[1] for size in sizes) / len(sizes):.0%} within {TARGETS[1]:.0%}, "
              f"worst {sizes[-1]:.0%}")
        for _, launch in errors[:-9:-1]:
            p = launch.problem
            print(f"  {launch.error():+7.1%}  {_said(launch.algorithm, launch.kernel, p, launch.tiling)}")


def repeated() -> dict[tuple[str, str, AttentionProblem, Tiling], list[int]]:
    """{launch: the DRAM reads of each time that it was measured, in the sweep first}, the steadiest first."""
    found, name = defaultdict(list), lambda line: (line["algorithm"], line["kernel"], AttentionProblem(**line["problem"]),
                                                   Tiling(**line["tiling"]))
    again = {name(line) for recording in recorded_launches("dram_repeated") for line in recording.lines}
    for recording in [*recorded_launches(), *recorded_launches("dram_repeated")]:
        for line in recording.lines:
            if name(line) in again:
                found[name(line)].append(line["dram_read_bytes"])
    return dict(sorted(found.items(), key=lambda each: max(each[1]) / min(each[1])))


def _said(algorithm: str, kernel: str, p: AttentionProblem, tiling: Tiling) -> str:
    return f"{algorithm} {kernel}, N {p.seq_len:,}, {p.heads} heads, d {p.head_dim}, {p.dtype}, {p.mask}, {tiling}"


def fit(seconds: float) -> None:
    """A random walk from the constants as they are: it keeps what lowers the mean error, of which each launch counts a half at most."""
    seen = [launch for launch in launches()
            if not launch.held_out and launch.problem.heads < 64 and launch.regime != FITS and launch.kernel in ("fused", "output")]
    score = lambda constants: sum(min(.5, abs(launch.error(constants))) for launch in seen) / len(seen)
    best, draw, until = CONSTANTS, random.Random(0), time.monotonic() + seconds
    least = score(best)
    while time.monotonic() < until:
        tried = replace(best, **{name: getattr(best, name) * math.exp(draw.gauss(0, .15)) for name in draw.sample(FITTED, 2)})
        if (now := score(tried)) < least:
            best, least = tried, now
            print(f"{least:.4f} {best}", flush=True)


if __name__ == "__main__":
    fit(float(sys.argv[2])) if sys.argv[1:2] == ["fit"] else show()
