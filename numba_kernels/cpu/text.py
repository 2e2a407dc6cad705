"""A kernel's text: its syntax tree, where it stands, and the values it closes over."""
import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import NamedTuple

from numba_kernels.cpu.names import dotted
from numba_kernels.cpu.unfaithful import Unfaithful, reading
from numba_kernels.ports import Port, Ports
from numba_kernels.spec import KernelSpec

MISSING = object()


class Role(NamedTuple):
    """What a stand-in for a port stands for: start, flush, read or write; hbm, scratch or shared."""

    action: str
    space: str = ""


STAND_INS = Ports(0, Role("start"), Role("flush"), *(Port(Role("read", space), Role("write", space))
                                                     for space in ("hbm", "scratch", "shared")))


class Text(NamedTuple):
    """tree: the function's definition with the line numbers of `file`; values: what its free names mean."""

    tree: ast.FunctionDef
    values: dict[str, object]
    file: str
    module: str

    @property
    def parameters(self) -> list[str]:
        return [argument.arg for argument in self.tree.args.args]

    def value(self, node: ast.AST) -> object:
        """What a name, or a name with attributes, means outside the function; MISSING for its own variables and for anything else.

        The CUDA intrinsics are MISSING too: the simulator swaps that module for another while it runs in another thread.
        """
        match node:
            case ast.Name(id=name):
                return MISSING if name == "cuda" else self.values.get(name, MISSING)
            case ast.Attribute(value=base, attr=name):
                owner = self.value(base)
                return MISSING if owner is MISSING else getattr(owner, name, MISSING)
        return MISSING


def kernel_text(spec: KernelSpec) -> Text:
    """The text of the spec's kernel, with stand-ins where its ports would be."""
    return read(spec.text(spec.layout, spec.keys_seen, STAND_INS))


def read(function: Callable) -> Text:
    """The text of a function written with `def` in a file, its docstring left out. Raises OSError if the file cannot be read."""
    free, code = inspect.getclosurevars(function), function.__code__
    if function.__name__ == "<lambda>":
        with reading(code.co_filename):
            raise Unfaithful(ast.Pass(lineno=code.co_firstlineno), "a lambda cannot be taken over into the source; write it with `def`")
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:] or [ast.copy_location(ast.Pass(), tree)]
    tree.decorator_list = []
    values = free.builtins | free.globals | free.nonlocals
    for name in values.keys() & set(code.co_varnames):  # getclosurevars takes an attribute's name, like the x of threadIdx.x, for a global
        del values[name]
    return Text(tree, values, code.co_filename, function.__module__)


def intrinsic(node: ast.AST) -> str:
    """`threadIdx.x` for cuda.threadIdx.x, `syncthreads` for cuda.syncthreads; "" for anything else."""
    base, _, rest = dotted(node).partition(".")
    return rest if base == "cuda" else ""


def is_barrier(node: ast.AST) -> bool:
    """Whether a statement is cuda.syncthreads()."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and intrinsic(node.value.func) == "syncthreads"


def has_barrier(node: ast.AST) -> bool:
    """Whether a statement is a barrier or contains one."""
    return is_barrier(node) or any(map(has_barrier, getattr(node, "body", []) + getattr(node, "orelse", [])))


def first_line(node: ast.AST) -> str:
    """A statement's first line, to quote it: `if thread < 8`."""
    return ast.unparse(node).splitlines()[0].rstrip(":")
