"""Header: what stands above the kernel in its generated source: imports, named constants, and copies of its device functions."""
import ast
import math
from collections.abc import Callable

import numba
import numpy as np

from numba_kernels.cpu.constants import fold
from numba_kernels.cpu.grammar import check_device_function
from numba_kernels.cpu.meaning import device_function, is_constant, is_scalar_type
from numba_kernels.cpu.names import Names, name_nodes
from numba_kernels.cpu.text import Text, read
from numba_kernels.cpu.unfaithful import reading

FAST_MATH = "{'contract', 'arcp', 'afn', 'nsz', 'reassoc'}"  # all but nnan and ninf: masks rely on infinity


class Header:
    """Collects what a kernel and its device functions refer to, each once, under a name that clashes with nothing else."""

    def __init__(self, names: Names):
        self.names = names
        self.imports, self.constants, self.functions = {}, {}, {}  # what it is -> its name in the generated source
        self.texts = {}  # device functions by that name, callees first
        self.np = self._import("import numpy", "np")
        self.njit = self._import("from numba import njit", "njit")
        self.decorator = names("compiled")

    def type(self, numba_type: numba.types.Type) -> str:
        """The name of one of Numba's scalar types."""
        name = numba_type.name if hasattr(numba, numba_type.name) else "boolean"
        return self._import(f"from numba import {name}", name)

    def bind(self, text: Text) -> Text:
        """The text with every name from outside it bound in this header."""
        for node in name_nodes(text.tree, ast.Load):
            node.id = self._bound(node.id, text.value(node))
        return text

    def source(self) -> str:
        """The lines, ready to stand above the kernel."""
        imports = [line if line.split()[-1] == name else f"{line} as {name}" for line, name in self.imports.items()]
        constants = [f"{name} = {value}" for (_, value), name in self.constants.items()]
        decorator = f"{self.decorator} = {self.njit}(nogil=True, cache=True, error_model='numpy', fastmath={FAST_MATH})"
        functions = [f"\n\n@{self.decorator}\n{ast.unparse(text.tree)}" for text in self.texts.values()]
        return "\n".join([*sorted(imports), "", *constants, decorator, *functions])

    def _bound(self, name, value):
        if value is math:
            return self._import("import math", name)
        if value is np:
            return self.np
        if isinstance(value, numba.types.Type):
            return self.type(value)
        if is_scalar_type(value):
            return self._constant(f"{self.np}.{value.__name__}", name)
        if is_constant(value):
            maker = f"{self.np}.{type(value).__name__}" if isinstance(value, np.floating) else "float"
            return self._constant(f"{maker}('{value!s}')", name)
        function = device_function(value)
        return self._function(name, function) if function else name

    def _import(self, line, name):
        if line not in self.imports:
            self.imports[line] = self.names(name)
        return self.imports[line]

    def _constant(self, value, name):
        if (name, value) not in self.constants:
            self.constants[name, value] = self.names(name)
        return self.constants[name, value]

    def _function(self, name, function: Callable):
        if function not in self.functions:
            text = read(function)
            with reading(text.file):
                text = fold(text)
                check_device_function(text)
            text = self.bind(text)
            text.tree.name = self.functions[function] = self.names(name)
            self.texts[text.tree.name] = text
        return self.functions[function]
