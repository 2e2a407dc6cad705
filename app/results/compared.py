"""The tensor cores' table: the rate of fused_tensor_core beside PyTorch's kernels, which were timed on the same inputs in the same run."""
from collections.abc import Iterable
from textwrap import fill

from app import records
from numba_kernels import saved
from traffic_model import AttentionProblem
from traffic_model.layout.tensor_core import NAME

LENGTHS = (1024, 2048, 4096, 16384)
HEADS, DTYPE = 16, "bfloat16"
PROBLEMS = [AttentionProblem(n, d, heads=HEADS, dtype=DTYPE, mask=mask) for d in (64, 128) for mask in ("full", "causal") for n in LENGTHS]
LIBRARIES = tuple(f"PyTorch {name}" for name in ("cuDNN", "flash", "memory-efficient", "math"))
HEADER = ("d", "mask", "N", f"`{NAME}`", *LIBRARIES, "beside cuDNN", "error ÷ flash's")


def rows(files: Iterable[saved.SavedRuns]) -> dict[AttentionProblem, dict[str, dict]]:
    """{problem: {kernel or library: its saved run}}. Of several runs of one, the last one stands."""
    runs = [run for file in files for run in file.runs if run["algorithm"] in (NAME, *LIBRARIES)]
    return {problem: {run["algorithm"]: run for run in runs if run["problem"] == problem.record()} for problem in PROBLEMS}


def markdown(found: dict[AttentionProblem, dict[str, dict]]) -> str:
    """As a Markdown table."""
    lines = [HEADER, ["---:", "---", *["---:"] * (len(HEADER) - 2)], *(_cells(problem, runs) for problem, runs in found.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table() -> str:
    """The table and what it rests on."""
    files = saved.recorded()
    found = rows(files)
    mine = [run for runs in found.values() for run in runs.values()]
    stamped = records.sources([run for file in files for run in records.shipped(file.header, [run for run in file.runs if run in mine])])
    packages = next(file.header["packages"] for file in files if found[PROBLEMS[0]][NAME] in file.runs)
    cudnn = next(version for name, version in packages.items() if "cudnn" in name)
    said = (f"TFLOP/s at the median device time, of the products that the mask leaves; {HEADS} heads, {DTYPE}, L2 warm, "
            f"{stamped}, PyTorch {packages['torch']} with cuDNN {cudnn}. Errors are against float64 of the stored inputs.")
    return f"{markdown(found)}\n\n{fill(said, 140)}"


def _cells(problem: AttentionProblem, runs: dict[str, dict]) -> list[str]:
    against = saved.tflops(runs[NAME]) / saved.tflops(runs["PyTorch cuDNN"])
    error = runs[NAME]["relative_error"] / runs["PyTorch flash"]["relative_error"]
    rates = (f"{saved.tflops(runs[name]):.0f}" for name in (NAME, *LIBRARIES))
    return [str(problem.head_dim), problem.mask, f"{problem.seq_len:,}", *rates, f"{against:.2f}×", f"{error:.2f}"]
