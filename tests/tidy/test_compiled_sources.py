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


def module_of(source: str) -> str:
    return source.removeprefix("pkg/").removesuffix(".py").replace("/", ".")


def open_classes(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Classes that others may be derived from when they are not compiled, and all classes."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    decorators = {node.name: [ast.unparse(each) for each in node.decorator_list] for node in classes}
    is_open = {
        name for name, found in decorators.items() if any("allow_interpreted_subclasses" in one for one in found)
    }
    # What Python makes of these is no compiled class.
    loose = {node.name for node in classes if _LOOSE & {ast.unparse(base).rpartition(".")[2] for base in node.bases}}
    return is_open | loose, set(decorators)


_LOOSE = {"Exception", "NamedTuple", "Protocol", "Enum", "IntEnum", "StrEnum", "TypedDict"}


def closed_bases(tree: ast.Module, closed: dict[str, set[str]]) -> list[str]:
    """Classes of an interpreted module whose base is a class of a compiled one. `closed`: those, by module."""
    named: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            named |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    found = []
    for node in ast.walk(tree):
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            first, _, rest = ast.unparse(base).partition("[")[0].partition(".")
            module, _, name = f"{named.get(first, first)}{'.' * bool(rest)}{rest}".rpartition(".")
            if name in closed.get(module, ()):
                found.append(f"{node.name}({name})")
    return found


def test_no_interpreted_class_is_derived_from_a_compiled_one() -> None:
    """It could not be made: "interpreted classes cannot inherit from compiled"."""
    closed: dict[str, set[str]] = {}
    for source in compiled_modules.sources():
        is_open, classes = open_classes(ast.parse((ROOT / source).read_bytes()))
        closed[module_of(source)] = classes - is_open
    compiled = set(compiled_modules.sources())
    others = [path for path in (ROOT / "pkg").rglob("*.py") if str(path.relative_to(ROOT)) not in compiled]
    found = {str(path): closed_bases(ast.parse(path.read_bytes()), closed) for path in others}
    assert not {path: names for path, names in found.items() if names}


def test_one_would_be_found_that_is_derived() -> None:
    tree = ast.parse("from a.b import C\nfrom a import b\nclass D(C): ...\nclass E(b.C): ...\nclass F(b.G): ...\n")
    assert closed_bases(tree, {"a.b": {"C"}}) == ["D(C)", "E(C)"]


@pytest.mark.parametrize("block", ["except E", "finally"])
def test_one_would_be_found(block: str) -> None:
    code = f"async def f():\n    try:\n        pass\n    {block}:\n        if a:\n            await b\n"
    assert waiting_blocks(ast.parse(code)) == [6]
