"""The one door to compiled code.

Import a kernel as `from quarterdeck._kernels import watch`; never `from quarterdeck._kernels.watch import …`, which
the layer check cannot see. Each kernel is loaded at its first use. Its contract is the `.pyi` (and `.pxd`) beside
this file, its body is `ext/<name>.pyx`. There is no pure-Python fallback: a server that is silently slow breaks the
promise it was installed for.
"""

import importlib
import os
from types import ModuleType

# The tests of the kernels run on other builds too (with checks, with sanitizers), which lie elsewhere.
if _elsewhere := os.environ.get("QUARTERDECK_KERNELS"):
    __path__.insert(0, os.path.abspath(_elsewhere))  # noqa: PTH100 - pathlib is too dear for the first import


def __getattr__(name: str) -> ModuleType:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise ImportError(f"the compiled kernel {name!r} is missing: build it with `make build`") from error
