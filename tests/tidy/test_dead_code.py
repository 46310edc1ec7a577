"""What the package defines, the package uses: no function, class, method or constant that only tests know, or nobody.

By names: a name counts as used wherever it stands in code other than its definition, in strings too (getattr), and in
the kernels' sources. So a dead one may hide behind a namesake, and none that is alive is told of.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pkg/quarterdeck"
_WORD = re.compile(r"[A-Za-z_]\w*")

# Called by others, by name.
CALLED_FROM_OUTSIDE = {
    # asyncio's protocols and transports
    "connection_made", "connection_lost", "data_received", "eof_received", "pause_writing", "resume_writing",
    "get_buffer", "buffer_updated", "pause_reading", "resume_reading", "set_write_buffer_limits", "is_closing",
    "can_write_eof", "write_eof", "get_write_buffer_size", "get_write_buffer_limits", "set_protocol", "get_protocol",
    "is_reading", "start_tls",
    # argparse, logging, ast-like visitors of the standard library
    "format_help", "add_usage", "emit",
    # pytest's fixtures
    "bench_scenario", "pytest_addoption", "pytest_configure", "pytest_runtest_makereport", "pytest_runtest_call",
    "pytest_sessionfinish", "pytest_terminal_summary", "pytest_testnodedown",
    # what tests of others call (quarterdeck.testing)
    "clock_step", "too_many_requests", "ui_url", "webhook_timeout",
}  # fmt: skip

# Alive for a reason that the names do not show, or waiting for one: with the reason. The list may only shrink.
KNOWN: dict[str, str] = {}


def definitions(tree: ast.Module, nodes: list[ast.AST], path: Path) -> Iterator[tuple[str, str]]:
    """Names and places of what may be dead: everything but dunder names and what decorators register."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, f"{path.relative_to(ROOT)}:{node.lineno}"
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, f"{path.relative_to(ROOT)}:{node.lineno}"
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                yield target.id, f"{path.relative_to(ROOT)}:{node.lineno}"


def uses(nodes: list[ast.AST], path: Path) -> Iterator[str]:
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.ImportFrom) and path.name != "__init__.py":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and id(node) not in docstrings and is_dotted_name(node.value):
            yield from node.value.split(".")


def is_dotted_name(value: object) -> bool:
    return isinstance(value, str) and value.replace(".", "").isidentifier()


def uses_in_kernels() -> Iterator[str]:
    for path in [*ROOT.glob("ext/*.pyx"), *ROOT.glob("ext/*.pxd"), *PACKAGE.glob("_kernels/*.pxd")]:
        for line in path.read_text().splitlines():
            yield from _WORD.findall(line.partition("#")[0])


@cache
def find_unused() -> list[tuple[str, str]]:
    used: Counter[str] = Counter(uses_in_kernels())
    defined: list[tuple[str, str]] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        with tokenize.open(path) as source:
            tree = ast.parse(source.read())
        nodes = list(ast.walk(tree))
        used.update(uses(nodes, path))
        defined += definitions(tree, nodes, path)
    return [
        (name, place)
        for name, place in defined
        if not used[name] and name not in CALLED_FROM_OUTSIDE and not (name.startswith("__") and name.endswith("__"))
    ]


def test_nothing_in_the_package_is_dead() -> None:
    dead = [(name, place) for name, place in find_unused() if name not in KNOWN]
    assert not dead, "\n".join(f"{place}: nothing in the package uses {name}" for name, place in dead)


def test_what_is_known_to_be_unused_is_there_and_unused() -> None:
    found = {name for name, _ in find_unused()}
    assert set(KNOWN) <= found, f"take out: {set(KNOWN) - found}"


def test_packages_hold_something() -> None:
    for path in PACKAGE.rglob("__init__.py"):
        assert len(list(path.parent.glob("*"))) > 1 + (path.parent / "__pycache__").exists(), path.parent
