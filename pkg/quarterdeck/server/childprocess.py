"""Calls a function in a child of this process, which keeps nothing of what the function loads.

For what is done once at a start, with libraries of which the process itself needs nothing afterwards: 9 MiB where
certificates are made.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

# What the child tells of a function that has returned; else it tells the error.
_RETURNED: Final = b"returned"


def call(function: Callable[[], None]) -> None:
    """Returns when the function has returned, and raises what it raises. Where no child can be made, or this process
    has other threads (whose locks a child would inherit as they are), or the child was killed, it is called here: it
    has to bear being called again."""
    if threading.active_count() > 1:
        return function()
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return function()
    if child == 0:
        _run(function, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    if not told:
        return function()
    if told != _RETURNED:
        raise _read_error(told)
    return None


def _read_error(told: bytes) -> BaseException:
    import pickle

    error: BaseException = pickle.loads(told)  # what this program itself has written
    return error


def _run(function: Callable[[], None], writing: int) -> NoReturn:
    """Ends the process."""
    told = _RETURNED
    try:
        function()
    except BaseException as raised:  # noqa: BLE001 - whatever it is, the parent raises it
        told = _write_error(raised)
    with suppress(BaseException), os.fdopen(writing, "wb") as pipe:
        pipe.write(told)
    os._exit(0)


def _write_error(error: BaseException) -> bytes:
    """b"" where it cannot be written: then the parent calls the function itself."""
    import pickle  # for failures alone

    try:
        return pickle.dumps(error)
    except Exception:  # noqa: BLE001 - whatever its members are
        return b""
