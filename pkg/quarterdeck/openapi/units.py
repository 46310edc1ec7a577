"""What one source publishes in one version of a group, encoded when a document with it is first asked for.

A definition that changes costs its own units; all other pieces of all documents stay. Building is bounded by a turn of
the event loop at a time: hundreds of definitions are built while other requests are answered.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, NamedTuple

from quarterdeck.openapi.published import Published
from quarterdeck.transport.pieces import Piece, compress

TURN_S: Final = 0.01


class Form(Enum):
    """How documents are encoded. Client-go asks for PROTOBUF_2 and JSON_3."""

    JSON_2 = "v2 in JSON"
    PROTOBUF_2 = "v2 in protobuf"
    JSON_3 = "v3 in JSON"
    PROTOBUF_3 = "v3 in protobuf"

    @property
    def is_v2(self) -> bool:
        return self in (Form.JSON_2, Form.PROTOBUF_2)


class Built(NamedTuple):
    """The unit's paths and definitions; `needed` are the types that they refer to, of the library or not."""

    paths: Piece
    definitions: Piece
    needed: frozenset[str]


class Unit:
    """`digest` changes with what is published."""

    __slots__ = ("_built", "digest", "published")

    def __init__(self, published: Sequence[Published]) -> None:
        self.published = published
        parts = [repr((part.resource, part.is_custom, part.selectable, part.digest)) for part in published]
        self.digest = hashlib.sha256("\n".join(parts).encode()).digest()
        self._built: dict[Form, Built] = {}

    def is_built(self, form: Form) -> bool:
        return form in self._built

    def build(self, form: Form) -> Built:
        built = self._built.get(form)
        if built is None:
            # Imported late: the first request that asks for a document pays for them, not the start.
            from quarterdeck.openapi import write

            paths, definitions, needed = write.write(self.published, form)
            built = self._built[form] = Built(compress(paths), compress(definitions), needed)
        return built


def take_turn(units: Iterable[Unit], form: Form) -> list[Unit]:
    """Build one of the units or more; those that are left."""
    waiting = [unit for unit in units if not unit.is_built(form)]
    end_s = time.monotonic() + TURN_S
    for count, unit in enumerate(waiting, start=1):
        unit.build(form)
        if time.monotonic() >= end_s:
            return waiting[count:]
    return []


async def build_all(units: Iterable[Unit], form: Form) -> None:
    """The same, turn after turn."""
    waiting = list(units)
    while waiting:
        waiting = take_turn(waiting, form)
        await asyncio.sleep(0)
