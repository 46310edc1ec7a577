"""Admission webhooks whose calls and match conditions are counted (coverage/webhooks.py, coverage/rules.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from quarterdeck.admission.webhooks.counts import WebhookCounts
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.reviews import Denied
from quarterdeck.apimachinery import errors
from quarterdeck.coverage.data import CoverageData
from quarterdeck.coverage.webhooks import Calls, Webhook, calls_of
from quarterdeck.metrics.registry import Registry
from quarterdeck.webhook.client import WebhookFailed

if TYPE_CHECKING:
    from quarterdeck.admission.policy.expressions import Compiled
    from quarterdeck.cel.counted import CountOf


class NotingCounts(WebhookCounts):
    """`configurations`: the kind of object that names these webhooks."""

    def __init__(self, registry: Registry, kind: str, noted: CoverageData, configurations: str) -> None:
        super().__init__(registry, kind)
        self._noted = noted
        self._configurations = configurations

    @contextmanager
    def counting(self, hook: Hook, operation: str) -> Iterator[None]:
        calls = self._calls_of(hook)
        try:
            with super().counting(hook, operation):
                yield
        except Denied:
            calls.refused += 1
            raise
        except (WebhookFailed, errors.APIStatus):
            calls.failed += 1
            raise
        calls.allowed += 1

    def note_change(self, hook: Hook) -> None:
        self._calls_of(hook).mutated += 1

    def watch(self, hooks: tuple[Hook, ...]) -> tuple[Hook, ...]:
        """What has just been compiled of a configuration."""
        for position, hook in enumerate(hooks):
            count_of = self._noted.rules_of(self._configurations, hook.configuration)
            hook.conditions.wrap = partial(_count_condition, count_of, f"webhooks[{position}].matchConditions")
        return hooks

    def _calls_of(self, hook: Hook) -> Calls:
        return calls_of(self._noted.webhooks, Webhook(self._configurations, hook.configuration, hook.name))


def _count_condition(count_of: CountOf, path: str, position: int, compiled: Compiled) -> Compiled:
    from quarterdeck.admission.policy.counted import count_expression  # with the first condition, as the language is

    return count_expression(count_of, f"{path}[{position}]", compiled)
