"""PyTorch's attention on the same inputs: its math, memory-efficient, flash and cuDNN backends. Optional; asked for only by compare."""
import importlib
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from numba_kernels.timing import FEWEST_SAMPLES, MOST_COPIES, TARGET_MS
from traffic_model.errors import Refusal
from traffic_model.problem import AttentionProblem

PACKAGES = ("torch", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13")  # whose versions a recording names, where they are installed
BACKENDS = {"math": "MATH", "memory-efficient": "EFFICIENT_ATTENTION", "flash": "FLASH_ATTENTION", "cuDNN": "CUDNN_ATTENTION"}
CEILING_SIZE, CEILING_REPEAT = 8192, 20
ENOUGH_MS = 250.0


@dataclass(frozen=True)
class LibraryRun:
    """One backend: its output [batch, heads, N, d] in fp32 and time samples in ms, or why it does not take the problem."""

    name: str
    output: np.ndarray | None = None
    times_ms: tuple[float, ...] = ()
    refused: str = ""


def torch_or_refuse():
    """The module. Raises Refusal where PyTorch is not installed or sees no GPU."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise Refusal("compare measures PyTorch's kernels too and PyTorch is not installed here; pip install torch.") from None
    if not torch.cuda.is_available():
        raise Refusal("compare needs a GPU that PyTorch can use and it finds none.")
    return torch


def require_alike(problem: AttentionProblem) -> None:
    """Raises Refusal for what PyTorch computes otherwise: a causal mask with N ≠ M, which it aligns top-left."""
    if problem.mask == "causal" and problem.seq_len != problem.kv_len:
        raise Refusal(f"PyTorch aligns a causal mask top-left and Tilescope bottom-right: with N = {problem.seq_len} and M = "
                      f"{problem.kv_len} they differ; leave --kv-len out.")


def run_libraries(problem: AttentionProblem, inputs: dict[str, np.ndarray], repeat: int) -> Iterator[LibraryRun]:
    """Every backend on inputs as they are stored. Raises Refusal as require_alike does."""
    require_alike(problem)
    torch = torch_or_refuse()
    attention = importlib.import_module("torch.nn.attention")
    q, k, v = (_tensor(torch, inputs[name], problem.dtype) for name in "QKV")
    grouped = dict(enable_gqa=True) if problem.heads != problem.kv_heads else {}
    how = dict(is_causal=problem.mask == "causal", scale=problem.scale) | grouped

    def attend(backend):
        with attention.sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, **how)

    for name, backend in BACKENDS.items():
        once = partial(attend, getattr(attention.SDPBackend, backend))
        try:
            output = once().float().cpu().numpy()
            yield LibraryRun(f"PyTorch {name}", output, tuple(_times_ms(torch, once, repeat)))
        except RuntimeError as error:  # PyTorch's way to say no, out of memory included
            yield LibraryRun(f"PyTorch {name}", refused=str(error).strip().splitlines()[0])


def measured_ceiling(problem: AttentionProblem) -> float:
    """TFLOP/s of a large matrix product in the problem's dtype, random numbers, median: what the tensor cores reach here."""
    torch = torch_or_refuse()
    a, b = (torch.randn(CEILING_SIZE, CEILING_SIZE, device="cuda", dtype=getattr(torch, problem.dtype)) for _ in range(2))
    return 2 * CEILING_SIZE**3 / statistics.median(_times_ms(torch, lambda: a @ b, CEILING_REPEAT)) / 1e9


def _tensor(torch, stored: np.ndarray, dtype: str):
    """On the GPU; bf16 comes as its bits."""
    tensor = torch.from_numpy(stored.view(np.int16) if dtype == "bfloat16" else stored).cuda()
    return tensor.view(torch.bfloat16) if dtype == "bfloat16" else tensor


def _times_ms(torch, once: Callable, repeat: int) -> list[float]:
    """As numba_kernels/timing.py does it: copies in a row in a CUDA graph that fill a millisecond, replayed between two events."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        once()
        single, = _samples(torch, once, 1)
    fitting = max(FEWEST_SAMPLES, int(ENOUGH_MS // single))
    copies = int(min(MOST_COPIES, max(1, TARGET_MS // single)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(copies):
            once()
    _samples(torch, graph.replay, FEWEST_SAMPLES)
    return [sample / copies for sample in _samples(torch, graph.replay, min(repeat, fitting))]


def _samples(torch, launch: Callable, repeat: int) -> list[float]:
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeat)]
    for start, end in events:
        start.record()
        launch()
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) for start, end in events]
