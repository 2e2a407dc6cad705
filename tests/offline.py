"""Compiling kernels for compute capability 9.0 on a machine without a GPU, and reading what came out."""
import ast
import collections
import importlib.metadata
import inspect
import re
import subprocess
import tempfile
import textwrap
from functools import lru_cache
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import NamedTuple

import numba.cuda.dispatcher
from numba import types, uint64

from numba_kernels import gpu
from numba_kernels.device import cuda
from traffic_model.layout import Launch

CAPABILITY = (9, 0)
READS, WRITES = ({f"{port}.{way}" for port in ("hbm", "scratch", "shared")} for way in ("read", "write"))
OPCODE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")


class Machine(NamedTuple):
    """What the assembler made of a kernel."""

    opcodes: collections.Counter
    registers: int
    static_shared_bytes: int
    stack_bytes: int
    spill_bytes: int


def counted_text(spec, counting):
    """The kernel's text with its ports, and its signature."""
    return gpu.text_and_signature(spec, counting)


def bare_text(spec):
    """The kernel's text with the ports mechanically removed: an access is plain indexing, and nothing is tallied."""
    text, signature = counted_text(spec, "off")
    tree = ast.parse(textwrap.dedent(inspect.getsource(text)))
    tree = ast.fix_missing_locations(WithoutPorts().visit(tree))
    closed = inspect.getclosurevars(text)
    names = {**text.__globals__, **closed.nonlocals, "uint64": uint64}
    exec(compile(tree, f"<{text.__name__} without ports>", "exec"), names)
    return names[text.__name__], signature


class WithoutPorts(ast.NodeTransformer):
    """port.read(tally, cell, A, i) -> A[uint64(i)]; port.write(…, value) -> A[uint64(i)] = value; tallies go."""

    def visit_Expr(self, node):  # noqa: N802
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("start", "flush"):
            return None
        if isinstance(call, ast.Call) and ast.unparse(call.func) in WRITES:
            return ast.Assign([self._element(call, ast.Store())], self.visit(call.args[4]))
        return self.generic_visit(node)

    def visit_Call(self, node):  # noqa: N802
        if ast.unparse(node.func) in READS:
            return self._element(node, ast.Load())
        return self.generic_visit(node)

    def visit_Assign(self, node):  # noqa: N802
        return None if ast.unparse(node.targets[0]) == "tally" else self.generic_visit(node)

    def _element(self, call, context):
        index = ast.Call(ast.Name("uint64", ast.Load()), [self.visit(call.args[3])], [])
        return ast.Subscript(call.args[2], index, context)


def ptx(text: FunctionType, signature: tuple, launch: Launch, capability: tuple = CAPABILITY) -> str:
    """PTX for this compute capability. Device functions ask which device there is: a stand-in answers."""
    real = numba.cuda.dispatcher.get_current_device
    numba.cuda.dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        return cuda.compile(text, types.void(*signature), device=False, cc=capability, abi="numba", fastmath=gpu.FASTMATH,
                            launch_bounds=gpu.launch_bounds(launch))[0]
    finally:
        numba.cuda.dispatcher.get_current_device = real


def assemble(code: str, architecture: str = "sm_90") -> Machine:
    """PTX through ptxas and cuobjdump: opcodes with their number, and the resources of the kernel."""
    said, sass = listing(code, architecture)
    find = lambda pattern: sum(map(int, re.findall(pattern, said)))
    return Machine(collections.Counter(OPCODE.findall(sass)), find(r"Used (\d+) registers"), find(r"(\d+) bytes smem"),
                   find(r"(\d+) bytes stack frame"), find(r"(\d+) bytes spill"))


def listing(code: str, architecture: str) -> tuple[str, str]:
    """What ptxas says of the PTX, and the machine code."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(code)
        said = _tool("nvidia-cuda-nvcc", "ptxas", "-v", f"-arch={architecture}", "-O3", source, "-o", cubin)
        return said, _tool("nvidia-cuda-cuobjdump", "cuobjdump", "-sass", cubin)


@lru_cache
def _path(package: str, name: str) -> str:
    files = importlib.metadata.files(package) or []
    return str(next(file.locate() for file in files if file.stem == name and file.suffix in ("", ".exe")))


def _tool(package: str, name: str, *arguments) -> str:
    done = subprocess.run([_path(package, name), *map(str, arguments)], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr
