"""What one source publishes in one version of a group, encoded when a document with it is first asked for.

A definition that changes costs its own contributions; all other pieces of all documents stay. They are built in steps,
beside the event loop (joining.py): hundreds of definitions are built while other requests are answered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Sequence
from typing import Any, NamedTuple

from quarterdeck.openapi.form import Form
from quarterdeck.openapi.publication import Page, Published
from quarterdeck.transport.pieces import Piece, compress


class Built(NamedTuple):
    """The contribution's paths and definitions; `needed` are the types that they refer to, of the library or not,
    `names` those of its definitions. `parameters`: what its paths of version 2 refer to, by name."""

    paths: Piece
    definitions: Piece
    needed: frozenset[str]
    names: frozenset[str]
    parameters: dict[str, Any]


class Contribution:
    """`digest` changes with what is published."""

    __slots__ = ("_built", "digest", "published")

    def __init__(self, published: Sequence[Published | Page]) -> None:
        self.published = published
        parts = [_told(part) for part in published]
        self.digest = hashlib.sha256("\n".join(parts).encode()).digest()
        self._built: dict[Form, Built] = {}

    def build(self, form: Form) -> Built:
        built = self._built.get(form)
        if built is None:
            # Imported late: the first request that asks for a document pays for them, not the start.
            from quarterdeck.openapi import encode

            made = encode.encode_published(self.published, form)
            built = self._built[form] = Built(compress(made.paths), compress(made.definitions), *made[2:])
        return built


def _told(part: Published | Page) -> str:
    if isinstance(part, Page):
        return repr(part)
    return repr((part.resource, part.is_custom, part.selectable, part.digest))


def build_in_steps(contributions: Iterable[Contribution], form: Form) -> Generator[None, None, list[Built]]:
    """All of them as they are built, in their order."""
    built = []
    for contribution in contributions:
        built.append(contribution.build(form))
        yield
    return built
