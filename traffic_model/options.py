"""The options that every command line shares, and how they become a problem, a tiling and a GPU."""
import argparse
import io
import os
import re
import sys
from collections.abc import Callable

from traffic_model.errors import Refusal, sentence
from traffic_model.gpu_file import read_gpu
from traffic_model.gpus import DEFAULT_GPU, Gpu, find_gpu
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

FAILED, INTERRUPTED = 2, 130  # exit statuses: of a request that was refused, of one that was stopped by Ctrl-C
NEGATIVE_NUMBER = re.compile(r"-(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|-inf$", re.IGNORECASE)


class Parser(argparse.ArgumentParser):
    """A parser that answers a bad option with one sentence on stderr and exit status 2."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._negative_number_matcher = NEGATIVE_NUMBER  # argparse's own takes -1e3 for an option

    def error(self, message: str):
        self.exit(FAILED, f"{message[0].upper()}{message[1:].rstrip('.')}.\n")


def run_command(command: Callable[[argparse.Namespace], None], arguments: argparse.Namespace) -> int:
    """Runs a sub-command; a Refusal becomes its sentence on stderr and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no × shows ? instead
    try:
        command(arguments)
        if sys.stdout:  # a shell can start a command without one
            sys.stdout.flush()
    except Refusal as refusal:
        print(sentence(str(refusal)), file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("\nStopped. What was written so far is whole; a sweep goes on where it stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a table, such as head, has seen enough
        _no_more_output()
    except OSError as error:
        print(f"The output could not be written: {error.strerror}.", file=sys.stderr)
        _no_more_output()
        return FAILED
    return 0


def _no_more_output() -> None:
    """What is left to be written goes nowhere, instead of failing again at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def add_problem_options(parser: argparse.ArgumentParser, lists: bool = False) -> None:
    """--algorithm and what add_one_problem_options adds. Defaults are texts: a command that sets others shows its own in its help."""
    parser.add_argument("--algorithm", type=words, default="naive,fused", metavar="NAME[,NAME]",
                        help="naive, tiled, fused, fused_kv_outer, fused_tensor_core (%(default)s)")
    add_one_problem_options(parser, lists)


def add_one_problem_options(parser: argparse.ArgumentParser, lists: bool = False,
                            json_help: str = "one JSON object per algorithm and line") -> None:
    """The shape, --kv-len, --scale and --json."""
    add_shape_options(parser, lists)
    parser.add_argument("--kv-len", type=whole_number, metavar="M", help="keys (N)")
    parser.add_argument("--scale", type=float_number, metavar="X", help="softmax scale (1/√d)")
    parser.add_argument("--json", action="store_true", help=json_help)


def add_shape_options(parser: argparse.ArgumentParser, lists: bool = False) -> None:
    """--seq-len, --head-dim, …, the tiling and --gpu.

    With lists, --seq-len, --head-dim, --dtype and --mask take several values and --tiles replaces --block-*.
    """
    several, some = (whole_numbers, words) if lists else (whole_number, str)
    parser.add_argument("--seq-len", type=several, default="4096", metavar="N", help="queries (%(default)s)")
    parser.add_argument("--head-dim", type=several, default="64", metavar="D", help="head size (%(default)s)")
    parser.add_argument("--heads", type=whole_number, default="1", metavar="H", help="query heads (%(default)s)")
    parser.add_argument("--kv-heads", type=whole_number, metavar="H", help="key/value heads, a divisor of the query heads (as many)")
    parser.add_argument("--batch", type=whole_number, default="1", metavar="B", help="batch size (%(default)s)")
    parser.add_argument("--dtype", type=some, default="float32", help="storage: float32, float16, bfloat16 (%(default)s)")
    parser.add_argument("--mask", type=some, default="full", help="full or causal (%(default)s)")
    add_gpu_options(parser)
    if lists:
        parser.add_argument("--tiles", type=tilings, default="64x64", metavar="BQxBK[,…]", help="query × key tile (%(default)s)")
    else:
        parser.add_argument("--block-q", type=whole_number, default="64", metavar="BR", help="rows of a query tile (%(default)s)")
        parser.add_argument("--block-k", type=whole_number, default="64", metavar="BC", help="rows of a key/value tile (%(default)s)")


def add_gpu_options(parser: argparse.ArgumentParser) -> None:
    """--gpu, or --gpu-file for one that the table lacks."""
    parser.add_argument("--gpu", metavar="NAME", help=f"whose limits hold, by its name or the driver's ({DEFAULT_GPU})")
    parser.add_argument("--gpu-file", metavar="FILE", help="a GPU that the table lacks: JSON or CSV, in the words of `gpus --json`")


def problem_of(arguments: argparse.Namespace, **changes) -> AttentionProblem:
    """The problem the options describe, with some fields replaced. Raises Refusal."""
    names = ("seq_len", "kv_len", "head_dim", "heads", "kv_heads", "batch", "dtype", "mask", "scale")
    return AttentionProblem(**{name: getattr(arguments, name) for name in names} | changes)


def tiling_of(arguments: argparse.Namespace) -> Tiling:
    """The tiling the options describe. Raises Refusal."""
    return Tiling(arguments.block_q, arguments.block_k)


def gpu_of(arguments: argparse.Namespace) -> Gpu:
    """The GPU the options name or describe. Raises Refusal."""
    if arguments.gpu_file is None:
        return find_gpu(DEFAULT_GPU if arguments.gpu is None else arguments.gpu)
    if arguments.gpu is not None:
        raise Refusal("--gpu and --gpu-file both say which GPU; leave one out.")
    return read_gpu(arguments.gpu_file)


def whole_number(text: str) -> int:
    """An int option; a value that is none is answered in words."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, such as 64") from None


def whole_numbers(text: str) -> list[int]:
    """512,1024,2048; one that is named twice counts once."""
    return list(dict.fromkeys(whole_number(part) for part in text.split(",")))


def float_number(text: str) -> float:
    """A float option; a value that is none is answered in words."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, such as 0.125") from None


def words(text: str) -> list[str]:
    """naive,fused; one that is named twice counts once."""
    return list(dict.fromkeys(part.strip() for part in text.split(",")))


def tilings(text: str) -> list[Tiling]:
    """64x64,128x64; one that is named twice counts once."""
    try:
        pairs = [tuple(map(int, part.lower().split("x"))) for part in text.split(",")]
        return list(dict.fromkeys(Tiling(block_q, block_k) for block_q, block_k in pairs))
    except Refusal as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None
    except (TypeError, ValueError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of tilings, such as 64x64,128x64") from None
