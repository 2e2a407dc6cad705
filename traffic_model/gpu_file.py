"""A GPU that the table lacks, described in a file: JSON (one object) or CSV (a header and one row), in the words of `gpus --json`."""
import csv
import json
import math
from dataclasses import fields
from pathlib import Path

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu, capabilities, gpu_of_figures

OPTIONAL = ("note", "driver_name", "tf32_tflops", "fp16_bf16_tflops", "fp8_tflops", "l2_bytes_per_clock")  # what a GPU may lack
SHARED_BY_CAPABILITY = tuple(name for name in next(iter(capabilities().values())) if name != "compute_capability")
NEEDED = tuple(field.name for field in fields(Gpu) if field.name not in OPTIONAL + SHARED_BY_CAPABILITY)

SMALLEST, LARGEST = 1e-3, 10**9  # of any figure, in its own unit
LONGEST = 300  # characters of a text


def read_gpu(path: str | Path) -> Gpu:
    """The one GPU of the file. Raises Refusal for a file that cannot be read, and as `gpu_described`."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise Refusal(f"{path} cannot be read: it is no file.")
    return gpu_described(_figures(path), path.name)


def gpu_described(described: dict, where: str) -> Gpu:
    """The GPU of these figures by field name, texts or numbers; empty ones count as left out. Its limits per multiprocessor may be left out
    where its compute capability is in the table. where: what the figures stand in, for the sentences.

    Raises Refusal that names the fields which are missing, unknown or no positive number.
    """
    figures = {name: value for name, value in described.items() if value not in ("", None)}
    unknown = sorted(figures.keys() - {field.name for field in fields(Gpu)})
    if unknown:
        named = ", ".join(each if each.isidentifier() and len(each) < 40 else repr(each[:40]) for each in unknown[:5])
        raise Refusal(f"{where} has {named}, which no GPU is described by; the fields are those of `gpus --json`.")
    known = capabilities().get(str(figures.get("compute_capability")), {})
    complete = dict(driver_name=figures.get("name"), **dict.fromkeys(OPTIONAL[2:]), note="") | known | figures
    missing = [name for name in NEEDED + SHARED_BY_CAPABILITY if name not in complete]
    if missing:
        may_lack = [name for name in missing if name in SHARED_BY_CAPABILITY]
        hint = f" (the last {len(may_lack)} may be left out for compute capability {', '.join(capabilities())})" if may_lack else ""
        raise Refusal(f"{where} lacks {', '.join(missing)}{hint}.")
    try:
        gpu = gpu_of_figures(complete)
    except (TypeError, ValueError, OverflowError) as error:
        raise Refusal(f"{where} is not usable: {error}.") from None
    for name, value in vars(gpu).items():
        if isinstance(figures.get(name), bool):
            raise Refusal(f"{where} gives {name} {figures[name]}; it is a number above 0.")
        if isinstance(value, int | float) and not (math.isfinite(value) and value > 0) and name != "reserved_shared_bytes":
            raise Refusal(f"{where} gives {name} {value}; it is a number above 0.")
        if isinstance(value, int | float) and value and not SMALLEST <= value <= LARGEST:
            raise Refusal(f"{where} gives {name} {value:g}; it is a number from {SMALLEST:g} to {LARGEST:,}.")
        if isinstance(value, str) and not (value.isprintable() and len(value) <= LONGEST):
            raise Refusal(f"{where} gives a {name} of more than {LONGEST} characters, or with some that cannot be printed.")
    return gpu


def _figures(path: Path) -> dict:
    try:
        text = path.read_text(encoding="utf-8-sig")
        described = json.loads(text) if path.suffix.lower() == ".json" else list(csv.DictReader(text.splitlines()))
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise Refusal(f"{path} cannot be read: {error}.") from None
    if isinstance(described, list) and len(described) == 1:
        described = described[0]
    if not isinstance(described, dict) or None in described:
        raise Refusal(f"{path.name} does not describe one GPU: a JSON object, or in CSV a header and one row.")
    return described
