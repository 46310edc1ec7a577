"""Which bindings of admission policies concerned a request, and how often."""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.coverage.boundedcounts import BoundedCounts
from quarterdeck.coverage.rules import Count

BINDINGS_MAX: Final = 4096


class Binding(NamedTuple):
    """`kind` is that of the binding."""

    kind: str
    policy: str
    name: str


Bindings = BoundedCounts[Binding, Count]


def keep_bindings() -> Bindings:
    return BoundedCounts(Count, BINDINGS_MAX)
