"""Reloads files that are replaced while the server runs: authorities of clients, certificates, tokens, keys.

The files are looked at every few seconds, so that it does not matter how they are replaced (renamed, rewritten, a link
that is moved, as mounted Secrets are). What cannot be used is told in the log, and the old ones stay.

Source: apiserver/pkg/server/dynamiccertificates.
Differs from upstream: files of tokens and of service accounts' keys are read once there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

PERIOD_S: Final = 2.0
_LOG: Final = logging.getLogger(__name__)

_Looks = tuple[tuple[int, int, int] | None, ...]


class Watch(Protocol):
    """What is begun when the server is ready to, and ended with it."""

    def start(self) -> None: ...

    async def stop(self) -> None: ...


class FileWatch:
    """`reload` is called on the event loop after a change; it raises OSError or ValueError for what it cannot use."""

    def __init__(self, paths: Sequence[Path], reload: Callable[[], None]) -> None:
        self._paths = tuple(paths)
        self._reload = reload
        self._looks = self._look()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._paths:
            self._task = asyncio.create_task(self._run(), name="file watch")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def check(self) -> None:
        """Reload if the files look different from the last time."""
        looks = self._look()
        if looks == self._looks:
            return
        self._looks = looks
        shown = ", ".join(map(str, self._paths))
        try:
            self._reload()
        except (OSError, ValueError) as error:
            _LOG.warning("%s changed and cannot be used, the old content stays: %s", shown, error)
        else:
            _LOG.info("%s changed and was taken up", shown)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(PERIOD_S)
            self.check()

    def _look(self) -> _Looks:
        looks: list[tuple[int, int, int] | None] = []
        for path in self._paths:
            try:
                stat = path.stat()
            except OSError:
                looks.append(None)
            else:
                looks.append((stat.st_mtime_ns, stat.st_size, stat.st_ino))
        return tuple(looks)
