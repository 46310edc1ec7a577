"""The data directory: one server at a time, no newer format, nothing touched when refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quarterdeck.server.datadir import DataDirectory, DataDirectoryError


def test_it_is_made_private_with_its_format(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    DataDirectory.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o700
    assert (path / "format").read_text(encoding="utf-8") == "quarterdeck data, format 1\n"


def test_a_second_server_is_told_who_has_it(tmp_path: Path) -> None:
    first = DataDirectory.open(tmp_path)
    with pytest.raises(DataDirectoryError, match=rf"is in use by another server \(process {os.getpid()}\)"):
        DataDirectory.open(tmp_path)
    first.close()
    DataDirectory.open(tmp_path).close()


def test_a_newer_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "format").write_text("quarterdeck data, format 2\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(DataDirectoryError, match="has format 2, this version of quarterdeck knows 1 at most"):
            DataDirectory.open(tmp_path)
    assert (tmp_path / "format").read_text(encoding="utf-8") == "quarterdeck data, format 2\n"


@pytest.mark.parametrize("text", ["", "something else", "quarterdeck data, format x"])
def test_an_unknown_format_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "format").write_text(text, encoding="utf-8")
    with pytest.raises(DataDirectoryError, match="is not one of quarterdeck's"):
        DataDirectory.open(tmp_path)


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataDirectoryError, match="cannot use the data directory"):
        DataDirectory.open(tmp_path / "file")
