"""Modules and functions stay short. Those above the limits stand in oversized.txt, each with a limit of its own, which
may only shrink: `python tests/tidy/test_sizes.py` writes what is lower now (`--new`: all of it, from what there is).
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("oversized.txt")
MODULE_LINES_MAX = 300
FUNCTION_LINES_MAX = 60
# A limit of its own leaves room for a correction, up to the next multiple of this.
_STEP = 20
# Tables written by hand or by a generator: one idea each, however long.
_TABLES = ("pkg/quarterdeck/apis/", "pkg/quarterdeck/openapi/library/")


@cache
def lengths() -> tuple[tuple[str, int], ...]:
    """What is above the limits: "path" or "path function" and its lines."""
    return tuple(find_long())


def find_long() -> Iterator[tuple[str, int]]:
    for path in sorted([*ROOT.glob("pkg/quarterdeck/**/*.py"), *ROOT.glob("ext/*.pyx")]):
        name = str(path.relative_to(ROOT))
        if name.startswith(_TABLES):
            continue
        with tokenize.open(path) as source:
            text = source.read()
        if (lines := text.count("\n")) > MODULE_LINES_MAX:
            yield name, lines
        if path.suffix == ".py":
            yield from ((f"{name} {function}", lines) for function, lines in long_functions(ast.parse(text)))


def long_functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Functions are statements: what is within expressions need not be looked at."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield node.name, lines
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, name, None)
            waiting += inner if isinstance(inner, list) else ()


def listed() -> dict[str, int]:
    found = {}
    for line in LIST.read_text().splitlines():
        name, _, lines = line.rpartition(" ")
        found[name] = int(lines)
    return found


def test_nothing_grows_beyond_its_limit() -> None:
    known = listed()
    grown = {name: lines for name, lines in lengths() if lines > known.get(name, 0)}
    limits = f"{MODULE_LINES_MAX} lines a module, {FUNCTION_LINES_MAX} a function"
    assert not grown, f"longer than {limits}, or than {LIST.name} allows: {grown}"


def test_the_list_names_nothing_that_is_short_by_now() -> None:
    left = set(listed()) - {name for name, _ in lengths()}
    assert not left, f"take out of {LIST.name}: {sorted(left)}"


def main() -> None:
    known = listed() if "--new" not in sys.argv else {}
    limits = {name: -(-lines // _STEP) * _STEP for name, lines in lengths()}
    kept = {name: min(limit, known.get(name, limit)) for name, limit in limits.items() if name in known or not known}
    LIST.write_text("".join(f"{name} {lines}\n" for name, lines in sorted(kept.items())))


if __name__ == "__main__":
    main()
