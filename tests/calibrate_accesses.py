"""python tests/calibrate_accesses.py OUT.jsonl, on a machine with a GPU and Nsight Compute: what single warp accesses name and cost.

Elements of 2, 4, 8 and 16 bytes, HBM and shared memory, loads and stores, in every pattern of tests/warp_patterns.py: what the hardware
counts, beside what the model says (traffic_model/warps) and what the kernel's own votes count (numba_kernels/votes.py). Prints what
differs, and has exit status 1 if anything does; writes what the hardware counts to OUT.jsonl, as numba_kernels/hardware.py reads it, and
what ncu printed beside it, to OUT.csv.
"""
import importlib.metadata
import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from warp_kernels import KINDS, Kind, compiled, counted, launch, memory, wrong_width  # noqa: E402
from warp_patterns import patterns  # noqa: E402

from numba_kernels import machine, nsight  # noqa: E402
from numba_kernels.device import cuda  # noqa: E402
from numba_kernels.gpu import new_counts  # noqa: E402
from numba_kernels.ports import OFF, WARPS  # noqa: E402
from traffic_model import Array, Cell, Measure, Refusal, Space  # noqa: E402
from traffic_model.tables import table  # noqa: E402
from traffic_model.vocabulary import SECTOR, WAVEFRONT  # noqa: E402
from traffic_model.warps import MEASURES, Access  # noqa: E402

FEW = 6  # differences in distinct bytes that are printed
PROFILED = "--profiled"  # how the command starts itself under ncu
SOURCES = "hardware", "counted", "predicted"
UNITS = {Measure.DISTINCT: ("distinct_bytes", 1), Measure.SECTORS: ("sectors", SECTOR), Measure.WAVEFRONTS: ("wavefronts", WAVEFRONT)}


def cases() -> Iterator[tuple[Kind, int, str, tuple[int | None, ...]]]:
    """(kind, number of the pattern, its name, its lanes) in the order of the launches."""
    for kind in KINDS:
        for number, (name, lanes) in enumerate(patterns(kind.size).items()):
            yield kind, number, name, lanes


def profiled() -> None:
    """Every access once."""
    kernels, words, counts = {kind: compiled(kind, OFF) for kind in KINDS}, memory(), new_counts()
    for kind, number, _, _ in cases():
        launch(kernels[kind], number, OFF, words, counts)
    cuda.synchronize()


def check_widths() -> None:
    """Raises Refusal where the machine code of what is profiled has another access than the one meant."""
    for kind in KINDS:
        if wrong := wrong_width(kind, next(iter(compiled(kind, OFF).overloads.values())).inspect_sass()):
            raise Refusal(f"an access of {kind.size} bytes became {wrong}.")


def measured(text: str) -> list[dict]:
    """A line per access: what the hardware says, what the kernel counts and what the model says. text: what ncu printed."""
    launches, words = nsight.read(text, "what ncu printed"), memory()
    everything = list(cases())
    if len(launches) != len(everything):
        raise Refusal(f"{len(everything)} launches were made, but the profiler saw {len(launches)}.")
    kernels = {kind: compiled(kind, WARPS) for kind in KINDS}
    return [line(kind, name, lanes, seen, counted(kernels[kind], number, words))
            for (kind, number, name, lanes), seen in zip(everything, launches)]


def line(kind: Kind, name: str, lanes: tuple, seen: nsight.Profiled, votes: dict) -> dict:
    """hardware, counted and predicted: each the measures of its space, distinct in bytes, the others as numbers."""
    access = Access(Cell(Array.S, kind.space, kind.direction), kind.size, 0, lanes, 1)
    bytes_of = dict(hardware=lambda measure: seen.bytes(kind.space, kind.direction, measure), counted=votes.get, predicted=access.bytes)
    number = lambda bytes, unit: bytes // unit if bytes % unit == 0 else bytes / unit
    found = {how: {UNITS[m][0]: number(of(m), UNITS[m][1]) for m in MEASURES[kind.space]} for how, of in bytes_of.items()}
    return dict(size=kind.size, space=kind.space, direction=kind.direction, pattern=name, lanes=lanes) | found


def recording(lines: list[dict]) -> list[dict]:
    """A line per pattern and size: what the hardware says alone, by space and direction."""
    found = {}
    for each in lines:
        kept = {name: each[name] for name in ("pattern", "size", "lanes")} | {space: {} for space in Space}
        found.setdefault((each["pattern"], each["size"]), kept)[each["space"]][each["direction"]] = each["hardware"]
    return list(found.values())


def header() -> dict:
    """Where it was measured; nothing else of the machine."""
    about = machine.describe()
    packages = {name: importlib.metadata.version(name) for name in ("numba", "numba-cuda", "numpy")}
    return dict(schema=1, packages=packages, date=datetime.now(UTC).date().isoformat(), gpu=about["gpu"], driver=about["driver"],
                cuda=about["cuda"])


def shown(lines: list[dict], space: Space, measure: Measure) -> str:
    """The patterns in which anything differs, a column per size and direction: the hardware's number; in brackets the model's, and the
    votes' where they say yet another."""
    word, rows = UNITS[measure][0], {}
    for each in lines:
        if each["space"] == space:
            hardware, votes, model = (each[how][word] for how in SOURCES)
            other = "" if hardware == votes == model else f" ({model})" if votes == model else f" ({model}, {votes})"
            rows.setdefault(each["pattern"], {})[f"{each['direction']} {each['size']}"] = f"{hardware}{other}"
    differ = {name: row for name, row in rows.items() if any("(" in cell for cell in row.values())}
    columns = next(iter(rows.values()))
    return "\n".join([f"{space} {word}: {len(rows) - len(differ)} of {len(rows)} patterns agree",
                      table(["pattern", *columns], [[name, *row.values()] for name, row in differ.items()]) if differ else ""])


def main() -> int:
    if sys.argv[1:] == [PROFILED]:
        profiled()
        return 0
    out = Path(sys.argv[1])
    check_widths()
    print("every access has the width that is meant", flush=True)
    began = time.monotonic()
    text = nsight.profile([sys.executable, __file__, PROFILED], nsight.NAMES, cold=False)
    out.with_suffix(".csv").write_text(text)
    profiling = time.monotonic() - began
    lines = measured(text)
    out.write_text("".join(json.dumps(each) + "\n" for each in [header(), *recording(lines)]))
    print(shown(lines, Space.HBM, Measure.SECTORS), shown(lines, Space.SHARED, Measure.WAVEFRONTS), sep="\n\n")
    wrong = [each for each in lines if not each["hardware"] == each["counted"] == each["predicted"]]
    distinct = [each for each in wrong if len({each[how]["distinct_bytes"] for how in SOURCES}) > 1]
    print(f"{len(lines)} accesses, {profiling:.0f} s under ncu; {len(wrong)} differ, {len(distinct)} in distinct bytes")
    for each in distinct[:FEW]:
        print(*(each[name] for name in ("size", "space", "direction", "pattern", *SOURCES)))
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refusal as refusal:
        sys.exit(str(refusal))
