"""The store's revision, asked once for all who want to know it at about the same time.

Who comes while a question is on its way waits for the next one: that one may have been answered before. So there is one
question at a time, however many ask, and who asks alone waits for one.

Source of the idea: etcd server/etcdserver/v3_server.go (linearizableReadLoop), which confirms reads in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Waiting = list[asyncio.Future[int]]


class NewestRevision:
    """`ask` is the question; what it raises everybody gets who waited for it."""

    def __init__(self, ask: Callable[[], Coroutine[Any, Any, int]]) -> None:
        self._ask = ask
        self._waiting: Waiting = []
        self._asked: Waiting = []  # whom the question on its way is for
        self._asking: asyncio.Task[int] | None = None

    def get(self) -> asyncio.Future[int]:
        """The revision at some moment between the call and its answer."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        if self._asking is None:
            self._begin()
        return future

    def _begin(self) -> None:
        self._asking = asyncio.get_running_loop().create_task(self._ask_once())
        self._asking.add_done_callback(self._answered)

    async def _ask_once(self) -> int:
        """It begins in the loop's next turn: who comes in this one is still in time."""
        self._asked, self._waiting = self._waiting, []
        return await self._ask()

    def _answered(self, asking: asyncio.Task[int]) -> None:
        asked, self._asked = self._asked, []
        self._asking = None
        if asking.cancelled():  # the loop is closing
            for future in (*asked, *self._waiting):
                future.cancel()
            return
        if self._waiting:
            self._begin()
        error = asking.exception()
        for future in asked:
            if future.done():
                continue
            if error is None:
                future.set_result(asking.result())
            else:
                future.set_exception(error)
