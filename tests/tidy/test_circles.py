"""No circles of imports between files: each can be read, and understood, with what it imports and no more.

Imports for types alone and late ones count: they are what hides a circle. .importlinter has the order of the packages.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "pkg"
_KERNELS = "quarterdeck._kernels"

# Known ones, each the modules that reach each other. The list may only shrink.
KNOWN: set[frozenset[str]] = set()


def modules() -> dict[str, Path]:
    found = {}
    for path in SOURCES.rglob("*.py"):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    for path in ROOT.glob("ext/*.pyx"):
        found[f"{_KERNELS}.{path.stem}"] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    if path.suffix == ".pyx":
        text = path.read_text()
        for match in re.finditer(r"^\s*from (quarterdeck[\w.]*) c?import ([\w, ]+)", text, re.MULTILINE):
            for name in match[2].split(","):
                inner = f"{match[1]}.{name.split()[0]}" if name.split() else match[1]
                yield inner if inner in known else match[1]
        return
    with tokenize.open(path) as source:
        tree = ast.parse(source.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module


@cache
def circles() -> set[frozenset[str]]:
    """The groups of modules that reach each other (strongly connected, Tarjan's way with a stack of its own)."""
    known = modules()
    graph = {name: {to for to in imports(path, known) if to in known and to != name} for name, path in known.items()}
    # A package's own __init__ gathers what its modules offer; that they are in it makes no circle.
    graph = {name: {to for to in targets if not name.startswith(f"{to}.")} for name, targets in graph.items()}
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_names: list[str] = []
    found: set[frozenset[str]] = set()
    for start in graph:
        if start in order:
            continue
        work = [(start, iter(sorted(graph[start])))]
        order[start] = lowest[start] = len(order)
        open_names.append(start)
        while work:
            name, targets = work[-1]
            for to in targets:
                if to not in order:
                    order[to] = lowest[to] = len(order)
                    open_names.append(to)
                    work.append((to, iter(sorted(graph[to]))))
                    break
                if to in open_names:
                    lowest[name] = min(lowest[name], order[to])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[name])
                if lowest[name] == order[name]:
                    at = open_names.index(name)
                    group, open_names[at:] = frozenset(open_names[at:]), []
                    if len(group) > 1:
                        found.add(group)
    return found


def test_there_is_no_circle_but_the_known_ones() -> None:
    new = circles() - KNOWN
    assert not new, "\n".join(" – ".join(sorted(group)) for group in new)


def test_the_known_circles_are_there() -> None:
    gone = KNOWN - circles()
    assert not gone, "take out: " + "; ".join(" – ".join(sorted(group)) for group in gone)
