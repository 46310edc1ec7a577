"""The file of a recording, written and read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from quarterdeck.recording.file import BadRecording, Writer, read


def test_lines_are_there_at_once_and_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "r"
    writer = Writer(path, "v1")
    for number in range(3):
        writer.put("request", writer.number(), {"n": number})
        assert [(each["request"], each["n"]) for each in read(path)][-1] == (number + 1, number)
    times = [each["at"] for each in read(path)]
    assert times == sorted(times)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    writer.close()
    writer.put("request", 9, {})
    assert len(list(read(path))) == 3


def test_a_line_that_is_not_whole_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r"
    writer = Writer(path, "v1")
    writer.put("end", 1, {})
    with path.open("ab") as file:
        file.write(b'{"end":2')
    assert [each["end"] for each in read(path)] == [1]


@pytest.mark.parametrize("content", [b"{}\n", b"[]\n", b'{"recording":2}\n', b"x\n", b'{"recording":1}\nx\n'])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r"
    path.write_bytes(content)
    with pytest.raises(BadRecording):
        list(read(path))


def test_a_full_disk_ends_the_recording_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r"
    writer = Writer(path, "v1")

    def fail(_: int, data: memoryview) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fail)
        writer.put("end", 1, {})
    writer.put("end", 2, {})
    assert list(read(path)) == []
