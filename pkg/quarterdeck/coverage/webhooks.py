"""How often webhooks were called, of admission and of conversion, and what came of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from quarterdeck.coverage.paths import CHARS_MAX
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


class Webhooks:
    """`left_out` counts the webhooks that there was no room for."""

    def __init__(self) -> None:
        self.left_out = 0
        self._calls: dict[Webhook, Calls] = {}

    def of(self, webhook: Webhook) -> Calls:
        calls = self._calls.get(webhook)
        if calls is not None:
            return calls
        if len(self._calls) >= WEBHOOKS_MAX or sum(map(len, webhook)) > CHARS_MAX:
            self.left_out += 1
            return Calls()  # nobody will ask for them
        calls = self._calls[webhook] = Calls()
        return calls

    def called(self) -> dict[Webhook, Calls]:
        return {webhook: calls for webhook, calls in self._calls.items() if calls.called}

    def clear(self) -> None:
        """Those who hold a webhook's calls go on counting."""
        self.left_out = 0
        for calls in self._calls.values():
            calls.clear()
