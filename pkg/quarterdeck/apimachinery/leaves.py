"""What is at the ends of a JSON value, however deep it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quarterdeck._kernels import longsteps


def leaves(value: Any) -> Iterator[Any]:
    """All that is neither an object nor a list, in no particular order."""
    waiting = [value]
    while waiting:
        longsteps.pause()
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        else:
            yield item
