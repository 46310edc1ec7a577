"""Runs Python modules from their sources although they are compiled too.

QUARTERDECK_INTERPRETED=1 with pytest has the tests' own process do so; `install()` does it in a process of one's own.
"""

from __future__ import annotations

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader

_sources_only = FileFinder.path_hook((SourceFileLoader, SOURCE_SUFFIXES))


def _hook(path: str) -> FileFinder:
    if "/quarterdeck" not in path or path.rstrip("/").endswith("_kernels"):
        raise ImportError
    return _sources_only(path)


def install() -> None:
    """To be called before the package is imported."""
    sys.path_hooks.insert(0, _hook)
    sys.path_importer_cache.clear()
