"""Singles: `a, b = x, y` becomes a = x and b = y where that means the same; only swaps stay as they are."""
import ast

from numba_kernels.cpu.names import loaded, stored
from numba_kernels.cpu.text import Text


def take_apart(text: Text) -> Text:
    """The text with its tuple assignments taken apart, so that later steps can tell the values' fates apart too."""
    return text._replace(tree=_Singles().visit(text.tree))


class _Singles(ast.NodeTransformer):
    def visit_Assign(self, node):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if (
                    len(targets) == len(values) and not stored(targets) & loaded(values)):
                return [ast.copy_location(ast.Assign([target], value), node) for target, value in zip(targets, values)]
        return node
