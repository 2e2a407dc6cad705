"""Names: what a text reads and assigns, and names for what the generated source adds."""
import ast
from collections.abc import Iterable


class Names:
    """Hands out names that nothing else has; a name that is taken gets underscores behind it."""

    def __init__(self, taken: Iterable[str]):
        self.taken = set(taken)

    def __call__(self, wanted: str) -> str:
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted


def name_nodes(nodes: ast.AST | Iterable[ast.AST], context: type = ast.expr_context) -> list[ast.Name]:
    """Every name in one or several pieces of text, in no particular order; only those loaded or stored if `context` says so."""
    pieces = [nodes] if isinstance(nodes, ast.AST) else nodes
    return [n for piece in pieces for n in ast.walk(piece) if isinstance(n, ast.Name) and isinstance(n.ctx, context)]


def mentioned(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    return {node.id for node in name_nodes(nodes)}


def stored(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that are assigned; storing an element of an array does not assign the array's name."""
    return {node.id for node in name_nodes(nodes, ast.Store)}


def loaded(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that are read; `x += 1` stores x only, its reading is the caller's to see."""
    return {node.id for node in name_nodes(nodes, ast.Load)}


def dotted(node: ast.AST) -> str:
    """`cuda.threadIdx.x` as a string, "" for anything but a name with attributes."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=base, attr=name):
            return f"{dotted(base)}.{name}" if dotted(base) else ""
    return ""


def name(identifier: str, like: ast.AST) -> ast.Name:
    """A name to be read, at the place of `like`."""
    return ast.copy_location(ast.Name(identifier, ast.Load()), like)
