"""Flow: which names a run of statements reads before it has surely assigned them."""
import ast

from numba_kernels.cpu.names import loaded, name_nodes, stored


def exposed(statements: list[ast.stmt], assigned: frozenset[str] = frozenset()) -> tuple[set[str], frozenset[str]]:
    """(names read while not surely assigned, names surely assigned afterwards). assigned: those assigned before.

    A loop may run no round; a branch that ends in break or continue counts as if it went on, which only exposes more.
    """
    reads = set()
    for statement in statements:
        match statement:
            case ast.If():
                reads |= loaded(statement.test) - assigned
                first, after_body = exposed(statement.body, assigned)
                second, after_orelse = exposed(statement.orelse, assigned)
                reads |= first | second
                assigned = after_body & after_orelse
            case ast.For():
                reads |= loaded(statement.iter) - assigned
                reads |= exposed(statement.body, assigned | stored(statement.target))[0]
            case ast.While():
                reads |= (loaded(statement.test) | exposed(statement.body, assigned)[0]) - assigned
            case ast.AugAssign():
                reads |= (loaded(statement) | stored(statement.target)) - assigned
                assigned |= stored(statement.target)
            case _:
                reads |= loaded(statement) - assigned
                assigned |= stored(statement)
    return reads, assigned


def assignments(statements: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """name -> the statements that assign it; a loop for its variable."""
    found = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.For):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name in {name.id for target in targets for name in name_nodes(target, ast.Store)}:
                    found.setdefault(name, []).append(node)
    return found
