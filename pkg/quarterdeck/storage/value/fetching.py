"""Stored values whose keys have to be had from elsewhere before they can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from quarterdeck.apimachinery import offload
from quarterdeck.storage import interface
from quarterdeck.storage.value.transformer import KeyWanted, TransformError

T = TypeVar("T")

_FETCHES_MAX: Final = 3


async def with_keys(key: str, look: Callable[[], T], *, is_large: bool = False) -> T:
    """What looking at a stored value comes to, once the keys that it takes have been fetched. It waits for nothing
    else, but for a large value, which is looked at beside the loop. Raises Untransformable."""
    try:
        for _ in range(_FETCHES_MAX):
            try:
                return await offload.run(look) if is_large else look()
            except KeyWanted as wanted:
                await wanted.fetch()
        raise TransformError("the key of the value is not kept")
    except TransformError as error:
        raise interface.Untransformable(key, str(error)) from error
