"""What one source publishes in one version of a group, encoded when a document with it is first asked for.

A definition that changes costs its own contributions; all other pieces of all documents stay. Building is bounded by
a turn of the event loop at a time: hundreds of definitions are built while other requests are answered.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from quarterdeck.openapi.form import Form
from quarterdeck.openapi.publication import Page, Published
from quarterdeck.transport.pieces import Piece, compress

TURN_S: Final = 0.01


class Built(NamedTuple):
    """The contribution's paths and definitions; `needed` are the types that they refer to, of the library or not,
    `names` those of its definitions."""

    paths: Piece
    definitions: Piece
    needed: frozenset[str]
    names: frozenset[str]


class Contribution:
    """`digest` changes with what is published."""

    __slots__ = ("_built", "digest", "published")

    def __init__(self, published: Sequence[Published | Page]) -> None:
        self.published = published
        parts = [_told(part) for part in published]
        self.digest = hashlib.sha256("\n".join(parts).encode()).digest()
        self._built: dict[Form, Built] = {}

    def is_built(self, form: Form) -> bool:
        return form in self._built

    def build(self, form: Form) -> Built:
        built = self._built.get(form)
        if built is None:
            # Imported late: the first request that asks for a document pays for them, not the start.
            from quarterdeck.openapi import encode

            paths, definitions, needed, names = encode.encode_published(self.published, form)
            built = self._built[form] = Built(compress(paths), compress(definitions), needed, names)
        return built


def _told(part: Published | Page) -> str:
    if isinstance(part, Page):
        return repr(part)
    return repr((part.resource, part.is_custom, part.selectable, part.digest))


def are_built(contributions: Iterable[Contribution], form: Form) -> bool:
    return all(each.is_built(form) for each in contributions)


def take_turn(contributions: Iterable[Contribution], form: Form) -> list[Contribution]:
    """Build one of the contributions or more; those that are left."""
    waiting = [contribution for contribution in contributions if not contribution.is_built(form)]
    end_s = time.monotonic() + TURN_S
    for count, contribution in enumerate(waiting, start=1):
        contribution.build(form)
        if time.monotonic() >= end_s:
            return waiting[count:]
    return []


async def build_all(contributions: Iterable[Contribution], form: Form) -> None:
    """The same, turn after turn."""
    waiting = list(contributions)
    while waiting:
        waiting = take_turn(waiting, form)
        await asyncio.sleep(0)
