"""All that is noted of a place: the process, or a logical cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from quarterdeck.coverage.bindings import keep_bindings
from quarterdeck.coverage.conditions import Conditions
from quarterdeck.coverage.fields import Fields
from quarterdeck.coverage.rules import DEFINITION, Count, Owner, count_of, keep_rules
from quarterdeck.coverage.usage import Usage
from quarterdeck.coverage.webhooks import Calls, calls_of, conversion_of, keep_webhooks


class CoverageData:
    def __init__(self) -> None:
        self.usage = Usage()
        self.fields = Fields()
        self.rules = keep_rules()
        self.conditions = Conditions()
        self.webhooks = keep_webhooks()
        self.bindings = keep_bindings()

    def rules_of(self, kind: str, name: str, version: str = "") -> Callable[[str, str], Count | None]:
        """What gives the count of a rule, by its path and text."""
        return partial(count_of, self.rules, Owner(kind, name, version))

    def rules_of_versions(self, definition: str) -> Callable[[str], Callable[[str, str], Count | None]]:
        """The same for a definition, by its version."""
        return partial(self.rules_of, DEFINITION, definition)

    def conversions_of(self, definition: str) -> Calls:
        return calls_of(self.webhooks, conversion_of(definition))

    def clear(self) -> None:
        for part in (self.usage, self.fields, self.rules, self.conditions, self.webhooks, self.bindings):
            part.clear()
