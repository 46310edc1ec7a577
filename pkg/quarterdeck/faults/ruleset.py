"""All rules of a server, in order: the first that chooses a call has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from quarterdeck.faults.actions import ClockStep
from quarterdeck.faults.reading import BadRule
from quarterdeck.faults.rule import Call, Rule

RULES_MAX: Final = 1000


class RuleSet:
    """`revision` tells the newest of the store, `step` has the time of day jump; None: it cannot. One loop uses it."""

    def __init__(self) -> None:
        self.revision: Callable[[], int] = lambda: 0
        self.step: Callable[[float], None] | None = None
        self._rules: dict[str, Rule] = {}
        self._numbered = 0
        self.is_empty = True

    def put(self, rules: Iterable[Rule]) -> None:
        """All or none. One of the same name is replaced, where it stands. Raises BadRule."""
        new = {each.name: each for each in rules}
        if len(self._rules.keys() | new.keys()) > RULES_MAX:
            raise BadRule(f"rules: at most {RULES_MAX}")
        if self.step is None and any(isinstance(rule.action, ClockStep) for rule in new.values()):
            raise BadRule("clockStep: there is no virtual clock (--virtual-clock)")
        for rule in new.values():
            rule.put_at = self.revision()
        self._rules |= new
        self.is_empty = not self._rules

    def name(self) -> str:
        """One that no rule has."""
        while True:
            self._numbered += 1
            name = f"rule-{self._numbered}"
            if name not in self._rules:
                return name

    def step_clock(self, seconds: float) -> None:
        """A rule asks for it, which was put while that could be done."""
        assert self.step is not None
        self.step(seconds)

    def remove(self, name: str) -> Rule | None:
        removed = self._rules.pop(name, None)
        self.is_empty = not self._rules
        return removed

    def clear(self) -> None:
        self._rules.clear()
        self.is_empty = True

    def find(self, name: str) -> Rule | None:
        return self._rules.get(name)

    def all(self) -> list[Rule]:
        return list(self._rules.values())

    def choose(self, call: Call) -> Rule | None:
        for rule in self._rules.values():
            if not rule.is_for_webhooks and rule.match.fits(call) and rule.take():
                return rule
        return None

    def choose_for_webhook(self, url: str) -> Rule | None:
        for rule in self._rules.values():
            if rule.is_for_webhooks and rule.match.fits_webhook(url) and rule.take():
                return rule
        return None
