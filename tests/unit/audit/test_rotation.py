"""The audit log's file: what is put aside, what is removed, and what a full disk does."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quarterdeck.audit.rotation import RotatedFile, RotationLimits, choose_removed, find_backups

NOON_S = 1_800_014_400.5  # 2027-01-15T12:00:00.5Z
DAY_S = 86400


class Clock:
    def __init__(self) -> None:
        self.now_s = NOON_S

    def __call__(self) -> float:
        return self.now_s


def lines(*texts: str) -> list[bytes]:
    return [text.encode() for text in texts]


def settled(log: RotatedFile) -> None:
    if log._tidying is not None:
        log._tidying.join()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_full_file_is_put_aside_under_its_time(tmp_path: Path) -> None:
    log = RotatedFile(tmp_path / "sub/audit.log", RotationLimits(10), Clock())
    assert log.write(lines("12345\n", "678\n", "next\n")) == ([], "")
    log.close()
    folder = tmp_path / "sub"
    assert names(folder) == ["audit-2027-01-15T12-00-00.500.log", "audit.log"]
    assert (folder / "audit-2027-01-15T12-00-00.500.log").read_text() == "12345\n678\n"
    assert (folder / "audit.log").read_text() == "next\n"
    assert stat.S_IMODE((folder / "audit.log").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_it_goes_on_with_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    path.write_text("old\n")
    log = RotatedFile(path, RotationLimits(0), Clock())
    log.write(lines("new\n" * 100))
    log.close()
    assert path.read_text() == "old\n" + "new\n" * 100
    assert names(tmp_path) == ["audit.log"]


def test_two_files_of_one_millisecond_are_both_kept(tmp_path: Path) -> None:
    log = RotatedFile(tmp_path / "audit.log", RotationLimits(4), Clock())
    log.write(lines("aaa\n", "bbb\n", "ccc\n"))
    log.close()
    assert len(names(tmp_path)) == 3


def test_a_line_that_no_file_takes_is_lost_alone(tmp_path: Path) -> None:
    log = RotatedFile(tmp_path / "audit.log", RotationLimits(10), Clock())
    assert log.write(lines("a\n", "x" * 11, "b\n")) == ([1], "write length 11 exceeds maximum file size 10")
    log.close()
    assert (tmp_path / "audit.log").read_text() == "a\nb\n"


def test_old_files_go_by_number_and_by_age(tmp_path: Path) -> None:
    clock = Clock()
    log = RotatedFile(tmp_path / "audit.log", RotationLimits(2, age_max_days=3, backups_max=2), clock)
    for text in "abcd":
        log.write(lines(text + "\n"))
        settled(log)
        clock.now_s += DAY_S
    assert [path.read_text() for _, path in find_backups(tmp_path / "audit.log")] == ["c\n", "b\n"]
    clock.now_s += 1.5 * DAY_S
    log.write(lines("e\n"))
    settled(log)
    assert [path.read_text() for _, path in find_backups(tmp_path / "audit.log")] == ["d\n", "c\n"]
    clock.now_s += 9 * DAY_S
    log.write(lines("f\n"))
    settled(log)
    assert [path.read_text() for _, path in find_backups(tmp_path / "audit.log")] == ["e\n"]
    log.close()


def test_other_files_are_let_be(tmp_path: Path) -> None:
    for name in ("audit-old.log", "other-2027-01-15T12-00-00.500.log", "audit-2027-01-15T12-00-00.500.txt"):
        (tmp_path / name).touch()
    assert find_backups(tmp_path / "audit.log") == []


def test_a_file_and_its_compressed_form_count_as_one(tmp_path: Path) -> None:
    for day in (15, 16, 17):
        (tmp_path / f"audit-2027-01-{day}T12-00-00.500.log.gz").touch()
    (tmp_path / "audit-2027-01-17T12-00-00.500.log").touch()
    removed = choose_removed(find_backups(tmp_path / "audit.log"), RotationLimits(1, backups_max=2), NOON_S)
    assert [path.name for _, path in removed] == ["audit-2027-01-15T12-00-00.500.log.gz"]


def test_files_put_aside_are_compressed(tmp_path: Path) -> None:
    log = RotatedFile(tmp_path / "audit.log", RotationLimits(4, is_compressed=True), Clock())
    log.write(lines("aaa\n", "bbb\n"))
    log.close()
    packed = tmp_path / "audit-2027-01-15T12-00-00.500.log.gz"
    assert names(tmp_path) == [packed.name, "audit.log"]
    assert gzip.decompress(packed.read_bytes()) == b"aaa\n"
    assert stat.S_IMODE(packed.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_put_aside_is_written_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    log = RotatedFile(tmp_path / "audit.log", RotationLimits(4), Clock())
    monkeypatch.setattr(Path, "rename", fail)
    assert log.write(lines("aaa\n", "bbb\n")) == ([], "")
    log.close()
    assert (tmp_path / "audit.log").read_text() == "aaa\nbbb\n"
    assert "could not be rotated" in caplog.text


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """A write that goes beyond is short, and the next one fails, as on a full disk."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_disk_that_fills_cuts_no_line(tmp_path: Path) -> None:
    log = RotatedFile(tmp_path / "audit.log", RotationLimits(0), Clock())
    with file_size_limit(10):
        lost, reason = log.write(lines("12345\n", "67890\n", "end\n", "more\n"))
    assert lost == [1, 3]
    assert reason == os.strerror(27)
    assert (tmp_path / "audit.log").read_text() == "12345\nend\n"
    assert log.write(lines("again\n")) == ([], "")
    log.close()
    assert (tmp_path / "audit.log").read_text() == "12345\nend\nagain\n"
