"""Memory: the arrays a kernel declares. Shared ones belong to the block, local ones to a thread, views to what they are cut from."""
import ast
from dataclasses import dataclass, field

import numpy as np

from numba_kernels.cpu.meaning import scalar_dtype
from numba_kernels.cpu.names import dotted, name_nodes
from numba_kernels.cpu.text import Text, intrinsic
from numba_kernels.cpu.unfaithful import Unfaithful

UNROLLED = 32  # rounds of a loop


@dataclass(frozen=True)
class Array:
    """One declaration. shape: (0,) stands for the block's dynamic shared memory."""

    shape: tuple[int, ...]
    dtype: np.dtype


@dataclass
class Memory:
    """hbm: the kernel's array parameters. views: name -> the array or view, in shared memory or HBM, that it is cut from."""

    hbm: set[str]
    shared: dict[str, Array] = field(default_factory=dict)
    local: dict[str, Array] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)

    @property
    def registers(self) -> set[str]:
        """Local arrays that a compiler takes apart into registers, for it unrolls the loops over them."""
        return {name for name, array in self.local.items() if max(array.shape, default=1) <= UNROLLED}

    @property
    def names(self) -> set[str]:
        """Everything that is an array."""
        return self.hbm | self.shared.keys() | self.local.keys() | self.views.keys()

    def space(self, name: str) -> str:
        """Where an array or a view lies, in the ports' words; "" for a local array and for anything else."""
        origin = self.origin(name)
        return "shared" if origin in self.shared else "hbm" if origin in self.hbm else ""

    def origin(self, name: str) -> str:
        """The array that a view is cut from; any other name itself."""
        return self.origin(self.views[name]) if name in self.views else name


def take_out_arrays(text: Text, arrays: tuple[str, ...]) -> tuple[Text, Memory]:
    """The text without its shared and local declarations, and its memory. arrays: the parameters that are arrays.

    Views stay in the text. Raises Unfaithful for a declaration or a view anywhere but at the kernel's top level.
    """
    memory = Memory(set(arrays))
    body = []
    for statement in text.tree.body:
        if not _declare(statement, memory, text):
            body.append(statement)
            _view(statement, memory)
    text.tree.body = body or [ast.copy_location(ast.Pass(), text.tree)]
    _require_fixed(text, memory)
    return text, memory


def is_view(statement: ast.stmt) -> bool:
    """Whether this is `name = array[first:last]`."""
    return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Subscript) and isinstance(statement.value.slice, ast.Slice)


def _declare(statement, memory, text):
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function, args=args, keywords=keywords)):
            kind = {"shared.array": memory.shared, "local.array": memory.local}.get(intrinsic(function))
            given = dict(zip(("shape", "dtype"), args)) | {keyword.arg: keyword.value for keyword in keywords}
            if kind is not None and given.keys() == {"shape", "dtype"}:
                if name in memory.names:
                    raise Unfaithful(statement, f"declares {name} twice")
                kind[name] = Array(_shape(given["shape"]), _dtype(given["dtype"], text))
                if len({array.dtype for array in memory.shared.values() if array.shape == (0,)}) > 1:
                    raise Unfaithful(statement, "takes the dynamic shared memory as two types")
                return True
    return False


def _shape(node):
    sizes = node.elts if isinstance(node, ast.Tuple) else [node]
    if not all(isinstance(size, ast.Constant) and isinstance(size.value, int) for size in sizes):
        raise Unfaithful(node, f"shape {ast.unparse(node)} is not known when the kernel is compiled")
    return tuple(size.value for size in sizes)


def _dtype(node, text):
    found = scalar_dtype(text.value(node))
    if found is None:
        raise Unfaithful(node, f"`{ast.unparse(node)}` is not a scalar type")
    return found


def _view(statement, memory):
    if is_view(statement):
        target, array = statement.targets[0], dotted(statement.value.value)
        if not isinstance(target, ast.Name) or array not in memory.names - memory.local.keys() or statement.value.slice.step:
            raise Unfaithful(statement, "a view is a name for a piece [first:last] of an array in shared memory or HBM")
        memory.views[target.id] = array


def _require_fixed(text, memory):
    """Arrays and views keep their names' meaning throughout."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef) and is_view(node) and node not in text.tree.body:
            raise Unfaithful(node, "a view is cut inside a branch or loop; cut it at the kernel's top level")
    given = [node for node in name_nodes(text.tree, ast.Store) if node.id in memory.names]
    for place, node in enumerate(given):
        if node.id not in memory.views or any(earlier.id == node.id for earlier in given[:place]):
            raise Unfaithful(node, f"gives {node.id}, an array, another meaning")
