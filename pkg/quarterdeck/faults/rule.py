"""One rule: which requests it is about, which of those it chooses, and what it does to them.

A rule's texts are patterns of the shell (`*`, `?`, `[…]`); none stands for anything. What a rule is about:

    verbs, groups, resources ("pods", "pods/status", "*/scale"), namespaces, names, users, userAgents: requests for
        resources; or nonResourceURLs: for other paths; or webhooks: calls of webhooks, by URL
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from quarterdeck.faults.actions import Action, WebhookTimeout

Patterns = tuple[str, ...]


class Call(NamedTuple):
    """A request as rules see it; `path` only where it is for no resource."""

    verb: str
    user: str
    user_agent: str = ""
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


class Match(NamedTuple):
    verbs: Patterns = ()
    groups: Patterns = ()
    resources: Patterns = ()
    namespaces: Patterns = ()
    names: Patterns = ()
    users: Patterns = ()
    user_agents: Patterns = ()
    non_resource_urls: Patterns = ()
    webhooks: Patterns = ()

    def fits(self, call: Call) -> bool:
        if not (_fits(self.verbs, call.verb) and _fits(self.users, call.user)):
            return False
        if not _fits(self.user_agents, call.user_agent):
            return False
        if call.path or self.non_resource_urls:
            return bool(call.path and self.non_resource_urls) and _fits(self.non_resource_urls, call.path)
        return (
            _fits(self.groups, call.group)
            and _fits(self.resources, call.resource)
            and _fits(self.namespaces, call.namespace)
            and _fits(self.names, call.name)
        )

    def fits_webhook(self, url: str) -> bool:
        return _fits(self.webhooks, url)


def _fits(patterns: Patterns, text: str) -> bool:
    return not patterns or any(fnmatchcase(text, each) for each in patterns)


class Schedule(NamedTuple):
    """Of the calls that fit: the first `after` are let through, then every `every`th one is chosen, with a
    probability, `times` in all (0: for ever)."""

    after: int = 0
    every: int = 1
    times: int = 0
    probability: float = 1.0
    seed: int = 0


NAME_CHARS_MAX: Final = 253


@dataclass(slots=True)
class Rule:
    """`matched` counts the calls that it is about, `fired` those that something was done to. `written` is the rule as
    it was given. `put_at`: the revision at which it was put."""

    name: str
    match: Match
    schedule: Schedule
    action: Action
    written: Mapping[str, Any]
    put_at: int = 0
    matched: int = 0
    chosen: int = 0
    fired: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.schedule.seed)  # the same calls are chosen each time

    @property
    def is_for_webhooks(self) -> bool:
        return isinstance(self.action, WebhookTimeout)

    def take(self) -> bool:
        """A call fits. Whether it is chosen."""
        after, every, times, probability, _ = self.schedule
        self.matched += 1
        number = self.matched - after
        if number <= 0 or (number - 1) % every or (times and self.chosen >= times):
            return False
        if probability < 1 and self._random.random() >= probability:
            return False
        self.chosen += 1
        return True

    def give_back(self) -> None:
        """What was chosen has turned out to be nothing that the rule can spoil."""
        self.chosen -= 1

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, **self.written, "matched": self.matched, "fired": self.fired}
