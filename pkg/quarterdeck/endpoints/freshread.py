"""Reads of the newest state where the cache may be behind the store: they wait until that has told how new it is.

Many wait for one answer of the store (storage/etcd3/newest.py), and most can be answered right then. So such a read is
no coroutine: it is called when the time has come (application.py), and goes on in a task where that was too early.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any

from mypy_extensions import mypyc_attr

from quarterdeck.storage.interface import Told
from quarterdeck.transport.messages import Response


@mypyc_attr(allow_interpreted_subclasses=True)
class FreshRead:
    """`tell` is the store's (interface.Storage.tell_revision). Awaited, it is a coroutine like those of other
    handlers."""

    __slots__ = ("tell",)

    def __init__(self, tell: Callable[[Told], None]) -> None:
        self.tell = tell

    def show(self, revision: int) -> Response | None:
        """The answer, now that the store has told its revision; None where something has to be waited for. Raises
        APIStatus."""
        raise NotImplementedError

    def wait(self, revision: int) -> Awaitable[Response]:
        """The answer; `revision` 0: the store has yet to be asked."""
        raise NotImplementedError

    def refuse(self, error: BaseException) -> Exception:
        """What is raised where the store could not tell."""
        raise NotImplementedError

    def __await__(self) -> Generator[Any, Any, Response]:
        return self.wait(0).__await__()
