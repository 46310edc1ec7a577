"""What mypyc makes of a module is not always what Python makes of it: the modules that it compiles keep away from that
(docs/adr/0005)."""

from __future__ import annotations

import ast
from pathlib import Path

import compiled_modules
import pytest

ROOT = Path(__file__).resolve().parents[2]


_WAITS = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Yield, ast.YieldFrom)


def waiting_blocks(tree: ast.AST) -> list[int]:
    """The lines that wait in a `finally` or an `except`."""
    tries = [node for node in ast.walk(tree) if isinstance(node, ast.Try)]
    blocks = [each for node in tries for body in (node.finalbody, *(h.body for h in node.handlers)) for each in body]
    return sorted({node.lineno for block in blocks for node in ast.walk(block) if isinstance(node, _WAITS)})


def test_no_compiled_module_waits_while_it_handles_an_exception() -> None:
    """In a `finally` one that is on its way would be lost. In an `except` it stays what the thread handles while others
    run, and is freed while they still see it: the process crashes."""
    found = {source: waiting_blocks(ast.parse((ROOT / source).read_bytes())) for source in compiled_modules.sources()}
    assert not {source: lines for source, lines in found.items() if lines}


@pytest.mark.parametrize("block", ["except E", "finally"])
def test_one_would_be_found(block: str) -> None:
    code = f"async def f():\n    try:\n        pass\n    {block}:\n        if a:\n            await b\n"
    assert waiting_blocks(ast.parse(code)) == [6]
