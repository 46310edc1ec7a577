"""The store's revision, asked once for all who want to know it at about the same time.

Who comes while a question is on its way waits for the next one: that one may have been answered before. So there is one
question at a time, however many ask, and who asks alone waits for one.

    turn of the loop      tell, tell, …      a question is planned
    the next one          it is sent         for all who came until now
    its answer            all are told       at once, without a task for any of them

Source of the idea: etcd server/etcdserver/v3_server.go (linearizableReadLoop), which confirms reads in the same way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarterdeck._kernels.protobufwire import WireError
from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.calls import DEADLINE
from quarterdeck.storage.etcd3.client import CALL_S, EtcdError
from quarterdeck.storage.interface import Told

if TYPE_CHECKING:
    from quarterdeck._kernels.grpccall import Call

_OK: Final = 0
_LOG: Final = logging.getLogger(__name__)


class NewestRevision:
    """`ask` is the question; what it raises everybody gets who waited for it. `begin`, where it is given, puts the same
    question as a call whose owner is this, or gives None where it cannot: then, and where such a call fails, `ask` is
    what tries again and knows why not."""

    def __init__(
        self, ask: Callable[[], Coroutine[Any, Any, int]], begin: Callable[[NewestRevision], Call | None] | None = None
    ) -> None:
        self._ask = ask
        self._begin = begin
        self._waiting: list[Told] = []
        self._asked: list[Told] = []  # whom the question on its way is for
        self._is_asking = False
        self._task: asyncio.Task[int] | None = None
        self._call: Call | None = None
        self._called_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def get(self) -> asyncio.Future[int]:
        """The revision at some moment between the call and its answer."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.tell(partial(_resolve, future))
        return future

    def tell(self, told: Told) -> None:
        """The same by a call in a later turn of the loop: with the revision, or with 0 and what was raised. All whom a
        question was for are told together."""
        self._waiting.append(told)
        if not self._is_asking:
            self._plan()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _plan(self) -> None:
        self._is_asking = True
        asyncio.get_running_loop().call_soon(self._put)

    def _put(self) -> None:
        """In the loop's next turn: who has come in the last one is still in time."""
        self._asked, self._waiting = self._waiting, []
        self._call = self._begin(self) if self._begin is not None else None
        if self._call is None:
            self._ask_in_task()
            return
        loop = asyncio.get_running_loop()
        self._called_s = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(CALL_S, self._look)

    def _look(self) -> None:
        """Whether the question on its way has been so for too long. One timer looks after many: they come by the
        thousand in that time."""
        self._timer = None
        if self._call is None:
            return
        loop = asyncio.get_running_loop()
        left_s = self._called_s + CALL_S - loop.time()
        if left_s > 0:
            self._timer = loop.call_later(left_s, self._look)
            return
        call, self._call = self._call, None
        call.cancel()
        self._answered(0, EtcdError(DEADLINE, "context deadline exceeded"))

    def touched(self, call: Call) -> None:
        """Something of the call has come."""
        if call is not self._call or not call.is_over:
            return
        self._call = None
        answer = call.take() if call.status == _OK else None
        if answer is None:
            self._ask_in_task()
            return
        try:
            revision = messages.decode_revision(answer)
        except WireError as error:
            self._answered(0, error)
            return
        self._answered(revision, None)

    def _ask_in_task(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._ask())
        self._task.add_done_callback(self._task_ended)

    def _task_ended(self, task: asyncio.Task[int]) -> None:
        self._task = None
        if task.cancelled():  # the loop is closing
            self._asked, self._waiting = self._asked + self._waiting, []
            self._answered(0, asyncio.CancelledError())
            return
        error = task.exception()
        self._answered(0 if error is not None else task.result(), error)

    def _answered(self, revision: int, error: BaseException | None) -> None:
        asked, self._asked = self._asked, []
        self._is_asking = False
        if self._waiting:
            self._plan()
        for told in asked:
            try:
                told(revision, error)
            except Exception:  # noqa: BLE001 - the others have to be told
                _LOG.exception("somebody who waited for the revision failed")


def _resolve(future: asyncio.Future[int], revision: int, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(revision)
    elif isinstance(error, asyncio.CancelledError):
        future.cancel()
    else:
        future.set_exception(error)
