"""How often webhooks were called, of admission and of conversion, and what came of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.coverage.boundedcounts import BoundedCounts
from quarterdeck.coverage.rules import DEFINITION

WEBHOOKS_MAX: Final = 4096
OUTCOMES: Final = ("allowed", "mutated", "refused", "failed")


class Webhook(NamedTuple):
    """`kind` and `configuration` are those of the object that names it."""

    kind: str
    configuration: str
    name: str


def conversion_of(definition: str) -> Webhook:
    return Webhook(DEFINITION, definition, "conversion")


class Calls:
    """`allowed` counts conversions that were done too; `mutated` those of the allowed that changed the object."""

    __slots__ = ("allowed", "failed", "mutated", "refused")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.allowed = self.mutated = self.refused = self.failed = 0

    @property
    def called(self) -> int:
        return self.allowed + self.refused + self.failed

    @property
    def is_used(self) -> bool:
        return self.called > 0


Webhooks = BoundedCounts[Webhook, Calls]


def keep_webhooks() -> Webhooks:
    return BoundedCounts(Calls, WEBHOOKS_MAX)


def calls_of(webhooks: Webhooks, webhook: Webhook) -> Calls:
    """Those that nobody will ask for, where there is no room."""
    return webhooks.of(webhook, *webhook) or Calls()
