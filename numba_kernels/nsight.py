"""Nsight Compute: which of its metrics is which of our measures, running a command under it, and reading what it prints."""
import csv
import io
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from traffic_model.errors import Refusal
from traffic_model.vocabulary import WAVEFRONT, Direction, Measure, Space

HBM, SHARED, READ, WRITE = *Space, *Direction
# (metric, bytes per unit) of each measure. Nsight does not split by array.
METRICS = {
    (HBM, READ, Measure.DISTINCT): ("smsp__sass_data_bytes_mem_global_op_ld.sum", 1),
    (HBM, WRITE, Measure.DISTINCT): ("smsp__sass_data_bytes_mem_global_op_st.sum", 1),
    (SHARED, READ, Measure.DISTINCT): ("smsp__sass_data_bytes_mem_shared_op_ld.sum", 1),
    (SHARED, WRITE, Measure.DISTINCT): ("smsp__sass_data_bytes_mem_shared_op_st.sum", 1),
    (HBM, READ, Measure.SECTORS): ("l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum", 1),
    (HBM, WRITE, Measure.SECTORS): ("l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum", 1),
    (SHARED, READ, Measure.WAVEFRONTS): ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", WAVEFRONT),
    (SHARED, WRITE, Measure.WAVEFRONTS): ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", WAVEFRONT),
}
NAMES = tuple(metric for metric, _ in METRICS.values())
# Few enough for one pass: sectors of L2 that L1 read, bytes, bytes, ns.
MEMORY = ("lts__t_sectors_srcunit_tex_op_read.sum", "dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum")
NUMBER = re.compile(r"\d[\d,]{0,30}(\.\d{1,30})?")
FUNCTION = re.compile(r"(?:\w+::)*(\w*)")  # ncu writes module::name[...](arguments), or name[...](arguments)
NO_PERMISSION = "ERR_NVGPUCTRPERM"


class Unavailable(Refusal):
    """The hardware's counters cannot be read here; the sentence says why."""


class Profiled(NamedTuple):
    """One launch as Nsight Compute saw it: the kernel's name, and its metrics in bytes, sectors, wavefronts and ns."""

    name: str
    metrics: dict[str, float]

    def bytes(self, space: Space, direction: Direction, measure: Measure) -> int:
        """The hardware's number for this measure, in bytes. Raises Refusal if it was not profiled."""
        metric, unit = METRICS[space, direction, measure]
        if metric not in self.metrics:
            raise Refusal(f"the profile of {self.name} lacks {metric}; profile with --metrics {','.join(NAMES)}.")
        return round(self.metrics[metric]) * unit


def profile(command: list[str], metrics: Iterable[str], cold: bool) -> str:
    """The CSV that ncu prints for the command. cold: L2 emptied before every pass; otherwise as the launch before left it, which only
    holds if all metrics fit into one pass. Clocks are left alone. Raises Unavailable without ncu or without permission."""
    ncu = shutil.which("ncu")
    if ncu is None:
        raise Unavailable("Nsight Compute (ncu) is not installed here, so there is nothing to compare the counts with.")
    options = ["--clock-control", "none", "--cache-control", "all" if cold else "none", "--csv", "--page", "raw", "--print-units", "base",
               "--metrics", ",".join(metrics)]
    done = subprocess.run([ncu, *options, *command], capture_output=True, text=True)
    said = done.stdout + done.stderr
    if NO_PERMISSION in said:
        raise Unavailable("this user may not read the GPU's performance counters (ERR_NVGPUCTRPERM), so there is nothing to compare with.")
    if done.returncode:
        raise Unavailable(f"ncu stopped with status {done.returncode}: {said.strip().splitlines()[-1] if said.strip() else 'no output'}.")
    return done.stdout


def read(text: str, name: str = "the CSV") -> list[Profiled]:
    """The launches in a CSV of ncu's raw page, in order. Raises Refusal with the line and the reason for anything else."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise Refusal(f"{name} holds no launches: the header of ncu's raw page, which begins with \"ID\", is missing.")
    try:
        rows = list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))
    except csv.Error as error:
        raise Refusal(f"{name} cannot be read: {error}.") from None
    if len(rows) < 2:
        raise Refusal(f"{name} holds no launches, only a header.")
    if "Kernel Name" not in rows[0]:
        raise Refusal(f"{name}, line {start + 1}: the column Kernel Name is missing.")
    wanted = {*NAMES, *MEMORY}
    return [_launch(row, wanted, rows[0], f"{name}, line {start + number}") for number, row in enumerate(rows[1:], 3)]


def _launch(row: dict, wanted: set[str], units: dict, where: str) -> Profiled:
    if None in row or None in row.values():
        raise Refusal(f"{where}: a launch with {'too many' if None in row else 'missing'} columns.")
    metrics = {}
    for metric in wanted & row.keys():
        if units[metric] not in ("byte", "ns", "nsecond", "sector", ""):
            raise Refusal(f"{where}: {metric} is in {units[metric]}; export with --print-units base.")
        if not NUMBER.fullmatch(row[metric]):
            raise Refusal(f"{where}: {metric} is {row[metric][:40]!r}, not a number from 0 up.")
        metrics[metric] = float(row[metric].replace(",", ""))
    return Profiled(FUNCTION.match(row["Kernel Name"])[1], metrics)


def read_file(path: Path) -> list[Profiled]:
    """The launches in a file of ncu's raw page. Raises Refusal for one that cannot be read."""
    try:
        return read(path.read_text(encoding="utf-8-sig"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path.name} cannot be read: {error}.") from None
