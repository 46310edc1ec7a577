"""What mypyc makes of a module is not always what Python makes of it: the modules that it compiles keep away from that
(docs/adr/0005)."""

from __future__ import annotations

import ast
from pathlib import Path

import compiled_modules

ROOT = Path(__file__).resolve().parents[2]


def waiting_finallys(tree: ast.AST) -> list[int]:
    """The lines of the awaits that stand in a `finally`."""
    blocks = (each for node in ast.walk(tree) if isinstance(node, ast.Try) for each in node.finalbody)
    return [node.lineno for block in blocks for node in ast.walk(block) if isinstance(node, ast.Await)]


def test_no_compiled_module_waits_in_a_finally() -> None:
    """An exception on its way would be lost."""
    found = {source: waiting_finallys(ast.parse((ROOT / source).read_bytes())) for source in compiled_modules.sources()}
    assert not {source: lines for source, lines in found.items() if lines}


def test_one_would_be_found() -> None:
    code = "async def f():\n    try:\n        pass\n    finally:\n        if a:\n            await b\n"
    assert waiting_finallys(ast.parse(code)) == [6]
