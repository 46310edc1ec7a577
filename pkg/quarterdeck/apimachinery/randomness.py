"""The random bytes that uids and generated names are made of, and other choices by chance that objects show.

They are the system's, unless another source was handed in from above, as clocks are (clock.py). Keys, nonces and the
ids of requests (ext/uids.pyx) are never asked for here.
"""

from __future__ import annotations

import io
import os
from contextvars import ContextVar
from typing import Final, Protocol


class Source(Protocol):
    def take(self, count: int) -> bytes: ...


_POOL_BYTES: Final = 4096
_CHOICE_BYTES: Final = 8

_pool = io.BytesIO()
_is_replaced = False
_of_process: Source | None = None
_of_context: Final[ContextVar[Source | None]] = ContextVar("randomness", default=None)


def take(count: int) -> bytes:
    """Bytes of the system's source are fetched many at a time: the call costs more than the bytes. The server never
    forks after its start, so no two processes share what was fetched."""
    taken = _pool.read(count)
    return taken if len(taken) == count else _take_more(count)


def below(bound: int) -> int:
    """A number from 0 to `bound` - 1."""
    return int.from_bytes(take(_CHOICE_BYTES), "big") % bound


def replace(given: Source | None) -> None:
    """Have the whole process take from this source, or (None) from the system's again."""
    global _of_process  # noqa: PLW0603 - handed in once, as the process starts
    allow_others()
    _of_process = given


def allow_others() -> None:
    """From now on each call looks for the source that was handed in. Before, none costs a look."""
    global _pool, _is_replaced
    _pool, _is_replaced = io.BytesIO(), True


def use(given: Source) -> None:
    """Have the current context, and what is begun in it, take from this source. `allow_others` was called before."""
    _of_context.set(given)


def _take_more(count: int) -> bytes:
    global _pool  # noqa: PLW0603 - what is left of the last fetch
    if _is_replaced:
        given = _of_context.get() or _of_process
        return os.urandom(count) if given is None else given.take(count)
    _pool = io.BytesIO(os.urandom(_POOL_BYTES))
    return _pool.read(count)
