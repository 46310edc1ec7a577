"""Files that are replaced are taken up; what cannot be used is not."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from quarterdeck.server.reload import FileWatch


def test_a_change_is_taken_up_once(tmp_path: Path) -> None:
    path = tmp_path / "ca.crt"
    path.write_text("a")
    calls: list[str] = []
    watch = FileWatch([path], lambda: calls.append(path.read_text()))
    watch.check()
    assert calls == []
    path.write_text("bb")
    watch.check()
    watch.check()
    assert calls == ["bb"]
    other = tmp_path / "new"
    other.write_text("cc")
    other.rename(path)
    watch.check()
    assert calls == ["bb", "cc"]


def test_what_cannot_be_used_is_told_and_tried_again_after_the_next_change(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "ca.crt"
    path.write_text("good")
    taken: list[str] = []

    def reload() -> None:
        text = path.read_text()
        if text.startswith("bad"):
            raise ValueError("no certificate found")
        taken.append(text)

    watch = FileWatch([path], reload)
    path.unlink()
    with caplog.at_level(logging.WARNING):
        watch.check()
        path.write_text("bad one")
        watch.check()
    assert len(caplog.records) == 2
    assert "the old content stays: no certificate found" in caplog.text
    path.write_text("good again")
    watch.check()
    assert taken == ["good again"]
