"""The file of a recording: a line of JSON for whatever happened, in the order in which it did.

    {"recording": 1, "server": …}                                   the first line
    {"request": N, "at": s, "user": …, "groups": […], "method": …, "path": …, "type": …, "accept": …, "agent": …, body}
                                                                    of a logical cluster: "cluster": its name
    {"answer": N, "at": s, "status": …, "type": …, body}            status 0: the connection was cut
    {"event": N, "at": s, "body": {"type": …, "object": …}}         of the watch that request N opened
    {"end": N, "at": s}                                             that watch is over

A request stands where it had passed the filters, an answer where it was given to the transport. So whatever stands
between the two of one request happened beside it, and everything before the first of them was over, or beside both.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

VERSION: Final = 1
_LOG: Final = logging.getLogger(__name__)
_MODE: Final = 0o600


class BadRecording(ValueError):
    """The text is for whoever named the file."""


class Writer:
    """Each line is handed to the system at once: nothing waits here. When the disk is full, recording ends."""

    def __init__(self, path: Path, server: str) -> None:
        """Raises OSError."""
        self._file: int | None = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _MODE)
        self._begin_s = time.monotonic()
        self._number = 0
        self._write({"recording": VERSION, "server": server})

    def number(self) -> int:
        """For the next request."""
        self._number += 1
        return self._number

    def put(self, what: str, number: int, members: Mapping[str, Any]) -> None:
        self._write({what: number, "at": round(time.monotonic() - self._begin_s, 6), **members})

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        left = memoryview(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            _LOG.error("the recording ends here: %s", error.strerror)
            self.close()

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines but for the first. One that a server was writing when it was killed is left out. Raises BadRecording,
    OSError."""
    with path.open("rb") as file:
        for position, line in enumerate(file):
            if not line.endswith(b"\n"):
                return
            try:
                value = orjson.loads(line)
            except ValueError as error:
                raise BadRecording(f"{path}: line {position + 1} is no JSON") from error
            if position:
                yield value
            elif not isinstance(value, dict) or value.get("recording") != VERSION:
                raise BadRecording(f"{path} is no recording of version {VERSION}")
