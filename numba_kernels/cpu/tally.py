"""The tally: found between its start and its flush, and turned into one number of bytes per cell, or into the sites of its accesses."""
import ast
from dataclasses import dataclass, field
from typing import NamedTuple

from numba_kernels.cpu.names import Names, name_nodes
from numba_kernels.cpu.text import Role, Text, intrinsic
from numba_kernels.cpu.unfaithful import Unfaithful
from numba_kernels.ports import REQUESTS, WARPS
from numba_kernels.spec import KernelSpec
from numba_kernels.storage import ELEMENT_BYTES

TRACE = "trace"  # the form of the source that keeps every warp access, beside the modes of counting
BY_WARP = (WARPS, TRACE)  # forms of the source that look at warps
FP32_BYTES = 4  # of an element of scratch or of shared memory


class Site(NamedTuple):
    """One access in the kernel's text: its number in the order of the text, its cell and line, the array it names there, and the bytes of
    an element."""

    number: int
    cell: int
    line: int
    array: str
    bytes: int


@dataclass(frozen=True)
class Tally:
    """name: of the kernel's local array; totals: one name per cell; bytes: of one access, per space; counting: what the source is
    for; where it looks at warps each access notes its index: `notes[number of its site] = index`."""

    name: str
    totals: tuple[str, ...]
    bytes: dict[str, int]
    counting: str
    notes: str
    sites: list[Site] = field(default_factory=list)

    @property
    def adds(self) -> bool:
        """Whether an access adds its bytes to its cell's total at once."""
        return self.counting == REQUESTS

    @property
    def by_warp(self) -> bool:
        """Whether accesses are noted, to be looked at a warp at a time."""
        return self.counting in BY_WARP


def take_out(text: Text, spec: KernelSpec, names: Names, counting: str) -> tuple[Text, Tally]:
    """The text without its tally's declaration, start and flush, and the tally. counts: the kernel's parameter after its arrays."""
    counts = text.parameters[len(spec.arrays)]
    tally = _tally_name(text, counts)
    body = [statement for statement in text.tree.body if not _is_booking(text, statement, tally)]
    for node in name_nodes(body):
        if node.id == counts:
            raise Unfaithful(node, f"uses {counts}, which only flush may touch")
    text.tree.body = body or [ast.copy_location(ast.Pass(), text.tree)]
    totals = tuple(names(f"{cell.array.letter}_{cell.space}_{cell.direction}_bytes") for cell in spec.cells)
    sizes = dict(hbm=ELEMENT_BYTES[spec.dtype], scratch=FP32_BYTES, shared=FP32_BYTES)
    return text, Tally(tally, totals, sizes, counting, names("notes"))


def require_untouched(text: Text, tally: Tally) -> None:
    """Raises Unfaithful where the kernel uses its tally outside a port."""
    for node in name_nodes(text.tree):
        if node.id == tally.name:
            raise Unfaithful(node, f"uses {tally.name} outside a port")


def _tally_name(text, counts):
    """The array between start(tally) and flush(tally, counts), "" for a kernel without ports."""
    used = [(statement, call, role.action) for statement in text.tree.body for call in ast.walk(statement)
            if isinstance(call, ast.Call) and isinstance(role := text.value(call.func), Role)]
    if not used:
        return ""
    for place, (statement, call, action) in enumerate(used):
        wanted = {0: "start", len(used) - 1: "flush"}.get(place, "read or write")
        if action not in wanted or (action in ("start", "flush") and getattr(statement, "value", None) is not call):
            raise Unfaithful(call, "ports are used between one start(tally) and one flush(tally, counts), both outside any branch or loop")
    tally = ast.unparse(used[0][1].args[0])
    if ast.unparse(used[-1][1]).partition("(")[2] != f"{tally}, {counts})":
        raise Unfaithful(used[-1][1], f"flush takes the tally that was started and the kernel's counts: flush({tally}, {counts})")
    return tally


def _is_booking(text, statement, tally):
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=function)):
            return target == tally and intrinsic(function) == "local.array"
        case ast.Expr(value=ast.Call(func=function)):
            role = text.value(function)
            return isinstance(role, Role) and role.action in ("start", "flush")
    return False
