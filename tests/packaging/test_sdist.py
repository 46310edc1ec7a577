"""The sdist holds all that a build reads, and nothing that a build makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from support.waiting import PROCESS_PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
_READ = ("pkg", "ext", "tools", "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md")
_MADE = (".so", ".c", ".pyc")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Of the files in it, from its top. It is made of a copy, so that no two tests write into the tree."""
    folder = tmp_path_factory.mktemp("sdist")
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", *(f"*{each}" for each in _MADE), "*.egg-info")
    for each in (*_READ, "ARCHITECTURE.md"):
        path = ROOT / each
        if path.is_dir():
            shutil.copytree(path, source / each, ignore=ignored)
        else:
            source.mkdir(exist_ok=True)
            shutil.copy(path, source / each)
    (source / "pkg/quarterdeck/_kernels/made.so").touch()
    (source / "ext/watch.html").touch()  # what Cython tells of a kernel
    command = [sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, env=os.environ, timeout=PROCESS_PATIENCE_S)
    (made,) = folder.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_what_a_build_reads_is_there(names: set[str]) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", *_READ], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert [name for name in tracked if name not in names and (ROOT / name).exists()] == []


def test_nothing_is_there_that_a_build_makes(names: set[str]) -> None:
    assert [name for name in names if name.endswith(_MADE)] == []
    assert "ext/watch.html" not in names
