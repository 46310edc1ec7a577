"""The long steps of large requests, in one thread beside the event loop.

A step that is handed over works on objects of its own request alone: bodies, decoded copies, what is made of them. It
changes nothing that is shared, calls nothing of the loop, and gives up the interpreter's lock often: interpreted code
does so by itself, kernels count what they walk (_kernels/giveway.pxd). There is one thread for all of them: two would
take each other's time, and more of the loop's.

To free a large tree takes as long as to walk it, and the last reference frees it at once, wherever that is. So what
steps take and return, what they set context variables to, what is given to `hold`, and what the frames of a failed step
still hold is held until the task of the request has ended, and freed in pieces then. What somebody else holds longer
(an exception on its way, a context) is looked at again every second, and so is what tasks hold that never end, as those
of controllers; after a minute it is left to who has it. The steps' small objects are allocated apart from all others
(longsteps.run), so that the memory goes back to the system.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar
from weakref import WeakSet

from quarterdeck._kernels import longsteps

T = TypeVar("T")

# A step on a body (or a stored object) of this size takes a few ms; below, a thread would cost more than it saves.
LARGE_BYTES: Final = 32 * 1024

_thread: Final = ThreadPoolExecutor(1, "offload")

_QUIET_S: Final = 1.0
_HELD_S: Final = 1.0
_ROUNDS_MAX: Final = 60  # how often what is in use is looked at
# Of an exception on its way: the outermost frames hold all of a tree that the inner ones have parts of.
_CAUSES_MAX: Final = 8
_FRAMES_MAX: Final = 32
_TREES: Final = (dict, list, set)


class _Held:
    """What the task of a request holds, by id; tasks that a request begins share it, and may live longer. `rounds`: how
    often those have been looked at that were in use. `timer` is there while something is held."""

    __slots__ = ("__weakref__", "is_ended", "rounds", "timer", "values")

    def __init__(self) -> None:
        self.values: dict[int, object] = {}
        self.rounds: dict[int, int] = {}
        self.is_ended = False
        self.timer: asyncio.TimerHandle | None = None

    def keep(self, loop: asyncio.AbstractEventLoop, values: Iterable[object]) -> None:
        """Called in the loop's thread."""
        self.keep_all(values)
        if self.timer is None:
            self.timer = loop.call_later(_HELD_S, _let_go_so_far, loop, self)

    def keep_all(self, values: Iterable[object]) -> None:
        for value in values:
            if isinstance(value, tuple):  # what a step returns may be several
                self.values.update((id(each), each) for each in value)
            else:
                self.values[id(value)] = value


_held: Final[ContextVar[_Held | None]] = ContextVar("held", default=None)
# Of tasks that go on, or whose trees somebody else holds.
_holders: Final[WeakSet[_Held]] = WeakSet()


class _Steps:
    """Those that run or wait, and when the last one ended; `is_quiet`: what is done after the last one is done.
    `freeing`: what they left is being freed as often as there are items; the loop adds, the thread takes away."""

    open = 0
    freeing: Final[list[None]] = []
    last_end_s = 0.0
    is_quiet = True


async def run(step: Callable[..., T], *arguments: Any) -> T:
    """What the step returns; raises what it raises. The values of context variables that it sets are its caller's.

    A step whose request is gone runs to its end all the same.
    """
    loop = asyncio.get_running_loop()
    held = _held.get()
    if held is None or held.is_ended:
        held = _hold_until_done(loop)
    held.keep(loop, arguments)
    context = copy_context()
    left: list[object] = []
    work = partial(_attempt, partial(context.run, step, *arguments), left)
    _Steps.open += 1
    _Steps.is_quiet = False
    try:
        result: T = await loop.run_in_executor(_thread, work)
    except Exception:
        held.keep(loop, (*left, *_take_over(context)))
        left.clear()
        raise
    finally:
        _Steps.open -= 1
        _note_end(loop)
    held.keep(loop, (result, *_take_over(context)))
    return result


def _attempt(work: Callable[[], T], left: list[object]) -> T:
    """`left` is given what the frames of a failed step hold."""
    try:
        return longsteps.run(work)
    except Exception as error:
        left += _trees_of_frames(error)
        raise


def submit(step: Callable[[], object]) -> None:
    """Run a step that nobody waits for, after those that wait already."""
    _thread.submit(step)


def hold(*values: object) -> None:
    """Keep large values until the task of their request has ended, where that runs steps."""
    held = _held.get()
    if held is not None and not held.is_ended:
        held.keep_all(values)


def _hold_until_done(loop: asyncio.AbstractEventLoop) -> _Held:
    held = _Held()
    _held.set(held)
    task = asyncio.current_task()
    if task is not None:
        _holders.add(held)
        task.add_done_callback(partial(_let_go, loop, held))
    return held


def _let_go(loop: asyncio.AbstractEventLoop, held: _Held, _: object) -> None:
    held.is_ended = True
    if held.timer is not None:
        held.timer.cancel()
    _let_go_so_far(loop, held)


def _let_go_so_far(loop: asyncio.AbstractEventLoop, held: _Held) -> None:
    """What somebody else holds stays as it is, and is held further: else its last holder would free it at once."""
    values = list(held.values.values())
    held.values, earlier, held.rounds = {}, held.rounds, {}
    for value in longsteps.take_used(values):
        rounds = earlier.get(id(value), 0) + 1
        if rounds <= _ROUNDS_MAX:
            held.values[id(value)], held.rounds[id(value)] = value, rounds
    held.timer = loop.call_later(_HELD_S, _let_go_so_far, loop, held) if held.values else None
    if held.is_ended and not held.values:
        _holders.discard(held)
    if values:
        _Steps.freeing.append(None)
        freed = loop.run_in_executor(_thread, _free, values)
        freed.add_done_callback(lambda _: _note_end(loop))


def _free(values: list[object]) -> None:
    try:
        longsteps.let_go(values)
    finally:
        _Steps.freeing.pop()


def _trees_of_frames(error: BaseException) -> list[object]:
    """What the frames of a failed step hold, as long as the exception lives. It is looked for in the thread, from where
    the exception was caught inwards: these frames have ended. To look at a frame that has the exception in its hands
    ties both together for good, and with them the trees."""
    found: list[object] = []
    cause: BaseException | None = error
    for _ in range(_CAUSES_MAX):
        if cause is None:
            break
        trace = cause.__traceback__
        if cause is error and trace is not None:
            trace = trace.tb_next
        for frame, _ in islice(traceback.walk_tb(trace), _FRAMES_MAX):
            found += [value for value in frame.f_locals.values() if isinstance(value, _TREES)]
        cause = cause.__cause__ or cause.__context__
    return found


def is_quiet() -> bool:
    """Whether no step has run for a while."""
    return _Steps.is_quiet


def is_idle() -> bool:
    """Whether there is no large tree of a step right now."""
    return not (_Steps.open or _Steps.freeing or any(held.values for held in _holders))


def _note_end(loop: asyncio.AbstractEventLoop) -> None:
    _Steps.is_quiet = False
    _Steps.last_end_s = time.monotonic()
    loop.call_later(_QUIET_S, _tidy)


def _tidy() -> None:
    if not _Steps.is_quiet and not _Steps.open and time.monotonic() - _Steps.last_end_s >= _QUIET_S / 2:
        _Steps.is_quiet = True
        trim_heap()


def trim_heap() -> None:
    """Give back what the C library keeps of what was freed, some milliseconds, beside the loop."""
    _thread.submit(longsteps.trim_heap)


def _take_over(context: Context) -> list[object]:
    """The values that are new here."""
    current = copy_context()
    taken = [(variable, value) for variable, value in context.items() if current.get(variable) is not value]
    for variable, value in taken:
        variable.set(value)
    return [value for _, value in taken]
