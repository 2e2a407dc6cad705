"""Header: what stands above the kernel in its generated source: imports, named constants, and copies of its device functions."""
import ast
import hashlib
import inspect
import math
import sys
import textwrap
from collections.abc import Callable, Set

import numba
import numpy as np

from numba_kernels.cpu.constants import fold
from numba_kernels.cpu.grammar import check_device_function
from numba_kernels.cpu.meaning import device_function, is_constant, is_scalar_type, scalar_dtype
from numba_kernels.cpu.names import Names, name_nodes
from numba_kernels.cpu.text import Text, read
from numba_kernels.cpu.unfaithful import reading
from numba_kernels.storage import Conversion, cpu_conversion

FAST_MATH = ("contract", "arcp", "afn", "nsz")  # not nnan and ninf: masks rely on infinity
IN_ANY_ORDER = "reassoc"  # makes vectors of one long sum; but of sums side by side it mixes up the terms before they can become vectors


class Header:
    """Collects what a kernel and its device functions refer to, each once, under a name that clashes with nothing else."""

    def __init__(self, names: Names):
        self.names = names
        self.imports, self.constants, self.functions = {}, {}, {}  # what is meant -> its name in the generated source
        self.meanings = {}  # that name -> the dtype of a scalar type or of a constant, the Text of a device function
        self.np, self.njit = self._import("numpy", "", "np"), self._import("numba", "njit", "njit")
        self.uint64 = self._bound("uint64", numba.uint64)
        self.decorator = names("compiled")
        self.conversions = []  # sources of the functions between storage and fp32
        self.sums_side_by_side = False  # whether the kernel sums in registers
        self.packages = {}  # module of this package -> (name in it, name in the generated source) of what is imported

    def bind(self, text: Text, added: Set[str] = frozenset()) -> Text:
        """The text with every name from outside it bound in this header. added: names that are already the generated source's."""
        for node in name_nodes(text.tree, ast.Load):
            if node.id not in added:
                node.id = self._bound(node.id, text.value(node))
        return text

    def conversion(self, dtype: str) -> Conversion | None:
        """Names of the functions between storage and fp32, copied as they stand; None for float32."""
        if dtype == "float32":
            return None
        return Conversion(*(self._copied(way, function) for way, function in cpu_conversion(dtype)._asdict().items()))

    def shared(self, function: Callable) -> str:
        """The name of a compiled function of this package that sources import, so that it is compiled once for all of them."""
        self.packages.setdefault(function.__module__, []).append((function.__name__, self.names(function.__name__)))
        return self.packages[function.__module__][-1][1]

    def bound(self, scalar_type: numba.types.Type) -> str:
        """The name of one of Numba's types of number."""
        return self._bound(scalar_type.name, scalar_type)

    def constant(self, wanted: str, value: str) -> str:
        """Binds a name that nothing else has to a value, given as source."""
        self.constants[wanted, value] = wanted
        return wanted

    def meaning(self, node: ast.Name | ast.Attribute) -> np.dtype | Text | None:
        """What a name in the generated source means: the dtype of a type or of a constant, the text of a device function."""
        if isinstance(node, ast.Attribute) and node.value.id == self.np:
            return np.dtype(node.attr)
        return self.meanings.get(node.id) if isinstance(node, ast.Name) else None

    def source(self) -> str:
        """The lines, ready to stand above the kernel."""
        renamed = lambda wanted, name: name if wanted == name else f"{wanted} as {name}"
        modules = sorted(renamed(module, name) for (module, wanted), name in self.imports.items() if not wanted)
        of_numba = sorted(renamed(wanted, name) for (_, wanted), name in self.imports.items() if wanted)
        imports = [*(f"import {module}" for module in modules), f"from numba import {', '.join(of_numba)}"]
        imports += [f"from {module} import {', '.join(renamed(*name) for name in found)}  # {_fingerprint(module)}"
                    for module, found in self.packages.items()]
        constants = [f"{name} = {value}" for (_, value), name in self.constants.items()]
        fast_math = ", ".join(map(repr, FAST_MATH if self.sums_side_by_side else (*FAST_MATH, IN_ANY_ORDER)))
        options = f"nogil=True, cache=True, no_cfunc_wrapper=True, error_model='numpy', fastmath={{{fast_math}}}"
        decorator = f"{self.decorator} = {self.njit}({options})"
        sources = [*self.conversions, *(ast.unparse(self.meanings[name].tree) for name in self.functions.values())]
        functions = [f"\n\n@{self.decorator}\n{source}" for source in sources]
        return "\n".join([*imports, "", *constants, decorator, *functions])

    def _bound(self, name, value):
        """The name in the generated source of what `name` means; `name` itself if it means nothing outside its text."""
        if value is math or value is np:
            return self._import(value.__name__, "", name)
        if function := device_function(value):
            return self._function(name, function)
        if isinstance(value, numba.types.Type):
            name = self._import("numba", value.name if hasattr(numba, value.name) else "boolean", name)
        elif is_scalar_type(value):
            name = self._constant(name, f"{self.np}.{value.__name__}")
        elif is_constant(value):
            maker = f"{self.np}.{value.dtype}" if isinstance(value, np.floating) else "float"
            name = self._constant(name, f"{maker}('{value!s}')")
        else:
            return name
        self.meanings[name] = scalar_dtype(value) if is_scalar_type(value) else np.dtype(type(value))
        return name

    def _copied(self, way, function):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        tree.name = self.names(way)
        self.conversions.append(ast.unparse(tree))
        self.meanings[tree.name] = np.dtype(np.float32)  # only what is loaded is ever kept across a barrier
        return tree.name

    def _import(self, module, wanted, name):
        """wanted: of the module; "" for the module itself."""
        if (module, wanted) not in self.imports:
            self.imports[module, wanted] = self.names(name)
        return self.imports[module, wanted]

    def _constant(self, name, value):
        if (name, value) not in self.constants:
            self.constants[name, value] = self.names(name)
        return self.constants[name, value]

    def _function(self, name, function: Callable):
        if function not in self.functions:
            text = read(function)
            with reading(text.file):
                text = fold(text)
                check_device_function(text)
            text = self.bind(text)  # its own device functions come first
            text.tree.name = self.functions[function] = self.names(name)
            self.meanings[text.tree.name] = text
        return self.functions[function]


def _fingerprint(module):
    """Of a module's text: when it changes, so does the source that imports it, and machine code that holds the old text is not found."""
    return hashlib.sha256(inspect.getsource(sys.modules[module]).encode()).hexdigest()[:12]
