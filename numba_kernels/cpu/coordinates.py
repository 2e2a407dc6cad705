"""Coordinates: cuda.threadIdx and its kin become plain names and, since the block's shape is known, literals."""
import ast
from dataclasses import dataclass

from numba_kernels.cpu.names import Names
from numba_kernels.cpu.text import Text, intrinsic

AXES = "xyz"


@dataclass(frozen=True)
class Coordinates:
    """The names that stand for threadIdx, blockIdx and gridDim, along x, y, z, and the threads of a block."""

    thread: tuple[str, str, str]
    block: tuple[str, str, str]
    grid: tuple[str, str, str]
    threads: tuple[int, int, int]

    @classmethod
    def choose(cls, names: Names, threads: tuple[int, int, int]) -> "Coordinates":
        along = lambda word: tuple(names(f"{word}_{axis}") for axis in AXES)
        return cls(along("thread"), along("block"), along("grid"), threads)


def place(text: Text, at: Coordinates) -> Text:
    """The text with its coordinates replaced. Along an axis with one thread threadIdx is 0."""
    thread = [ast.Name(name, ast.Load()) if size > 1 else ast.Constant(0) for name, size in zip(at.thread, at.threads)]
    known = {"threadIdx": thread, "blockDim": [ast.Constant(size) for size in at.threads],
             "blockIdx": [ast.Name(name, ast.Load()) for name in at.block], "gridDim": [ast.Name(name, ast.Load()) for name in at.grid]}
    meaning = {f"{word}.{axis}": node for word, nodes in known.items() for axis, node in zip(AXES, nodes)}
    return text._replace(tree=ast.fix_missing_locations(_Place(meaning).visit(text.tree)))


class _Place(ast.NodeTransformer):
    def __init__(self, meaning):
        self.meaning = meaning

    def visit_Attribute(self, node):
        found = self.meaning.get(intrinsic(node))
        if found is None:
            return self.generic_visit(node)
        return ast.copy_location(type(found)(**dict(ast.iter_fields(found))), node)  # a node of its own: names are renamed in place
