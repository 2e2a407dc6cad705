"""Webs: a name that is used for several unrelated values gets one name for each.

A loop over `j` that every thread runs for itself and a later one over `j` that contains a barrier are two variables; only when they
are told apart can the second be recognised as the same for the whole block. A web is a set of assignments whose values may reach a
common use (union of reaching definitions). Loops are taken generously: anything assigned in one may reach its start and its end.
"""
import ast
from collections.abc import Set

from numba_kernels.cpu.names import Names, name_nodes
from numba_kernels.cpu.text import Text


def separate(text: Text, names: Names, given: tuple[str, ...]) -> tuple[Text, dict[str, str]]:
    """The text with the second web of `x` renamed x_2, and so on, and the original name of each web.

    given: what has a value before the kernel starts, its parameters too.
    """
    webs = _Webs(text, given)
    webs.statements(text.tree.body)
    return text, webs.rename(names)


def rejoin(text: Text, originals: dict[str, str], private: Set[str]) -> None:
    """Gives the webs of a name one name again where each lives within one interval: the generated source stays close to the text."""
    chosen = {}
    for web in sorted(originals.keys() & private, key=list(originals).index):
        chosen.setdefault(originals[web], web)
    for node in name_nodes(text.tree):
        if node.id in private:
            node.id = chosen[originals[node.id]]


class _Webs:
    def __init__(self, text: Text, given: tuple[str, ...]):
        self.union = {}  # definition -> a definition of the same web
        self.sites = []  # (name node, a definition of its web)
        self.given = dict(enumerate(given))  # definitions are numbered, those before the first statement from 0
        self.number = {node: place for place, node in enumerate(name_nodes(text.tree, ast.Store), len(given))}
        self.reaching = {name: {place} for place, name in self.given.items()}

    def statements(self, statements):
        for statement in statements:
            self._statement(statement)

    def rename(self, names):
        chosen = {self._find(definition): name for definition, name in self.given.items()}
        webs_of = dict.fromkeys(self.given.values(), 1)
        for node, definition in self.sites:
            web = self._find(definition)
            if web not in chosen:
                webs_of[node.id] = webs_of.get(node.id, 0) + 1
                chosen[web] = node.id if webs_of[node.id] == 1 else names(f"{node.id}_{webs_of[node.id]}")
        originals = {}
        for node, definition in self.sites:
            originals.setdefault(chosen[self._find(definition)], node.id)
            node.id = chosen[self._find(definition)]
        return originals

    def _statement(self, statement):
        match statement:
            case ast.If():
                self._use(statement.test)
                before = self._copy()
                self.statements(statement.body)
                after, self.reaching = self.reaching, before
                self.statements(statement.orelse)
                self._merge(after)
            case ast.For():
                self._use(statement.iter)
                self._loop(statement, lambda: self._define(statement.target))
            case ast.While():
                self._loop(statement, lambda: self._use(statement.test))
            case ast.AugAssign(target=ast.Name() as target):
                self._use(statement.value)
                self._join(self.reaching.get(target.id, set()) | {self.number[target]})
                self._define(target)
            case ast.Assign():
                self._use(statement.value)
                for target in statement.targets:
                    self._use(target)  # an index in it; the array's own name counts as read
                    self._define(target)
            case _:
                self._use(statement)

    def _loop(self, loop, enter):
        for node in name_nodes(loop, ast.Store):
            self.reaching.setdefault(node.id, set()).add(self.number[node])
        around = self._copy()
        enter()
        self.statements(loop.body)
        self._merge(around)

    def _use(self, node):
        for used in name_nodes(node, ast.Load):
            definitions = self.reaching.get(used.id)
            if definitions:
                self._join(definitions)
                self.sites.append((used, next(iter(definitions))))

    def _define(self, target):
        for node in name_nodes(target, ast.Store):
            self.sites.append((node, self.number[node]))
            self.reaching[node.id] = {self.number[node]}

    def _join(self, definitions):
        first, *others = definitions
        for other in others:
            self.union[self._find(other)] = self._find(first)

    def _find(self, definition):
        while self.union.get(definition, definition) != definition:
            definition = self.union[definition]
        return definition

    def _copy(self):
        return {name: set(definitions) for name, definitions in self.reaching.items()}

    def _merge(self, other):
        for name, definitions in other.items():
            self.reaching.setdefault(name, set()).update(definitions)
