"""Sources that changed after they were compiled are noticed, by their contents: times change with every checkout."""

from __future__ import annotations

import os
from pathlib import Path

import compiled_modules
import pytest


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source tree with everything compiled in place."""
    monkeypatch.setattr(compiled_modules, "ROOT", tmp_path)
    monkeypatch.setattr(compiled_modules, "_STAMP", tmp_path / "build/mypyc/compiled.json")
    for source in [*compiled_modules.sources(), "tools/compiled_modules.py"]:
        path = tmp_path / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {source}")
    for path in compiled_modules.libraries():
        path.touch()
    compiled_modules.record(compiled_modules.digests())
    return tmp_path


def test_what_has_just_been_compiled_is_not_compiled_again(tree: Path) -> None:
    os.utime(tree / compiled_modules.sources()[0])
    assert compiled_modules.changed() == []
    assert compiled_modules.stale() is None


def test_a_change_is_told_with_what_to_do(tree: Path) -> None:
    source = compiled_modules.sources()[3]
    (tree / source).write_text("x = 1")
    assert compiled_modules.changed() == [source]
    assert compiled_modules.stale() == f"{source} is newer than what was compiled of it, or with it: make build"


@pytest.mark.parametrize("imported", ["_kernels/watch.pyi", "apimachinery/slices.py", "storage/__init__.py"])
def test_what_is_imported_counts_too(tree: Path, imported: str) -> None:
    path = tree / "pkg/quarterdeck" / imported
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("def f(x: int) -> int: ...")
    name = f"quarterdeck.{imported.partition('.')[0].removesuffix('/__init__').replace('/', '.')}"
    (tree / compiled_modules.sources()[0]).write_text(f"def late():\n    import {name}\n")
    compiled_modules.record(compiled_modules.digests())
    assert compiled_modules.stale() is None
    path.write_text("def f(x: str) -> int: ...")
    assert compiled_modules.changed() == [str(path.relative_to(tree))]


def test_all_is_compiled_where_a_library_is_missing(tree: Path) -> None:
    compiled_modules.libraries()[0].unlink()
    assert set(compiled_modules.sources()) <= set(compiled_modules.changed())


def test_without_compiled_modules_there_is_nothing_to_be_stale(tree: Path) -> None:
    compiled_modules.remove()
    assert not list(tree.glob("pkg/**/*.so"))
    assert set(compiled_modules.sources()) <= set(compiled_modules.changed())
    assert compiled_modules.stale() is None


def test_a_module_that_is_not_listed_any_more_is_told(tree: Path) -> None:
    library = compiled_modules.libraries()[-1]
    left = library.with_name("left" + library.name[library.name.index(".") :])
    left.touch()
    assert compiled_modules.stale() == f"{left.relative_to(tree)} is compiled but not listed any more: make build"
    compiled_modules.remove_unlisted()
    assert not left.exists()
    assert compiled_modules.stale() is None
