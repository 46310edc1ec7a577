"""Documents by key, each joined once after a change, however many ask for it meanwhile.

To read the library of types and to write what hundreds of resources publish takes seconds, of which one step may take
a tenth. So all of it is done beside the event loop, in slices between which large writes have their turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from functools import partial
from typing import Final, Generic, TypeVar

from quarterdeck.apimachinery import slices
from quarterdeck.transport.pieces import Joined

K = TypeVar("K")

_LIMIT_S: Final = 600.0  # for the largest beside large writes; it ends what would never end


class Documents(Generic[K]):
    def __init__(self) -> None:
        self._joined: dict[K, Joined] = {}
        self._joining: dict[K, asyncio.Task[Joined]] = {}

    def get(self, key: K) -> Joined | None:
        return self._joined.get(key)

    def forget(self, key: K) -> None:
        """What it is made of has changed: who asks from now on does not get what is being joined."""
        self._joined.pop(key, None)
        self._joining.pop(key, None)

    async def join(self, key: K, steps: Generator[None, None, Joined]) -> Joined:
        """What `steps` returns, or those that are under way already. It is kept unless it is forgotten meanwhile."""
        task = self._joining.get(key)
        if task is None:
            task = self._joining[key] = asyncio.create_task(slices.run(steps, _LIMIT_S))
            task.add_done_callback(partial(self._keep, key))
        # Others may wait for it when the request that began it is gone.
        return await asyncio.shield(task)

    def _keep(self, key: K, task: asyncio.Task[Joined]) -> None:
        is_good = not task.cancelled() and task.exception() is None
        if self._joining.get(key) is task:
            del self._joining[key]
            if is_good:
                self._joined[key] = task.result()
