"""Steps that need an object in another version, which only a webhook can give.

A step that works on objects (decoding, encoding, field management, a patch) is a plain function. Where it meets a
conversion that has to be awaited it raises `ConversionNeeded`; `settle` awaits the conversion, keeps its result and
calls the step again, until it comes through. So a step has to be one that can be called again; what converts nothing
costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar

from quarterdeck.apimachinery import offload

T = TypeVar("T")


class Conversion(Protocol):
    """One object in another version. What `fetch` brought is there until `forget`; each is called once."""

    async def fetch(self) -> None: ...

    def forget(self) -> None: ...


class ConversionNeeded(Exception):
    """A step cannot go on without a conversion."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__("a conversion has to be awaited")
        self.conversion = conversion


async def run(step: Callable[..., T], *arguments: Any, waits: bool) -> T:
    """What a long step returns: `settle`, or beside the event loop where nothing has to be converted."""
    return await settle(partial(step, *arguments)) if waits else await offload.run(step, *arguments)


async def run_by_size(data: bytes, step: Callable[..., T], *arguments: Any, waits: bool) -> T:
    """What a step returns that takes as long as `data` is large."""
    if waits or len(data) <= offload.LARGE_BYTES:
        return await settle(partial(step, *arguments))
    return await offload.run(step, *arguments)


async def settle(step: Callable[[], T]) -> T:
    """What the step returns; raises what it raises."""
    fetched: list[Conversion] = []
    try:
        while True:
            try:
                return step()
            except ConversionNeeded as need:
                conversion = need.conversion
            fetched.append(conversion)
            await conversion.fetch()
    finally:
        for conversion in fetched:
            conversion.forget()
