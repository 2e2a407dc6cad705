"""Files of runs that a person drops in, and this session's runs as such a file."""
import json
import tempfile
from pathlib import Path

from app import records
from numba_kernels import saved
from numba_kernels.sweep import header
from traffic_model import Refusal, find_gpu


def read(name: str, content: bytes) -> tuple[dict, list[dict]]:
    """(header, runs) with their stamp, as the recordings are. Raises Refusal that names the line, or a GPU that is not known."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        about, runs = records.recording(saved.read(path))
    if any(records.has_times(run) for run in runs):
        try:
            find_gpu(about["gpu"])
        except Refusal:
            raise Refusal(f"{path.name} line 1: GPU {about['gpu']!r} is not in the table; its times cannot be drawn.") from None
    return about, runs


def written(runs: list[dict]) -> bytes:
    """This session's runs as a file that `read` takes: their stamp is left out, a header put before."""
    lines = [header(runs[0]["backend"], "warm"), *({k: v for k, v in run.items() if k not in ("when", "source")} for run in runs)]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()
