"""Names: what a text reads and assigns, and names for what the generated source adds."""
import ast
from collections.abc import Iterable

PARTS = (ast.expr, ast.stmt, ast.keyword)  # of a piece of text, that names can stand in


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
    """Every name in one or several pieces of text, in no particular order; only those loaded or stored if `context` says so.

    Not by ast.walk: every step asks for names, and two thirds of what that meets are operators and contexts.
    """
    found, open_ = [], [nodes] if isinstance(nodes, ast.AST) else [*nodes]
    for node in open_:  # grows as it goes
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, context):
                found.append(node)
            continue
        for part in vars(node).values():
            if isinstance(part, list):
                open_ += part
            elif isinstance(part, PARTS):
                open_.append(part)
    return found


def mentioned(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    return {node.id for node in name_nodes(nodes)}


def stored(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Names that are assigned; storing an element of an array does not assign the array's name."""
    return {node.id for node in name_nodes(nodes, ast.Store)}


def changed(nodes: Iterable[ast.AST]) -> set[str]:
    """Arrays that have elements assigned."""
    return {dotted(node.value) for piece in nodes for node in ast.walk(piece)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)}


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
