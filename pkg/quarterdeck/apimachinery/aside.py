"""The long steps of large requests, in one thread beside the event loop.

A step that is handed over works on objects of its own request alone: bodies, decoded copies, what is made of them. It
changes nothing that is shared, calls nothing of the loop, and gives up the interpreter's lock often: interpreted code
does so by itself, kernels count what they walk (_kernels/giveway.pxd). There is one thread for all of them: two would
take each other's time, and more of the loop's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from functools import partial
from typing import Any, Final, TypeVar

T = TypeVar("T")

# A step on a body (or a stored object) of this size takes a few ms; below, a thread would cost more than it saves.
LARGE_BYTES: Final = 64 * 1024

_thread: Final = ThreadPoolExecutor(1, "aside")


async def run(step: Callable[..., T], *arguments: Any) -> T:
    """What the step returns; raises what it raises. The values of context variables that it sets are its caller's.

    A step whose request is gone runs to its end all the same.
    """
    context = copy_context()
    work = partial(context.run, step, *arguments)
    try:
        result: T = await asyncio.get_running_loop().run_in_executor(_thread, work)
    except Exception:
        _take_over(context)
        raise
    _take_over(context)
    return result


def _take_over(context: Context) -> None:
    current = copy_context()
    for variable, value in context.items():
        if current.get(variable) is not value:
            variable.set(value)
