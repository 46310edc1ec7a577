"""How often rules in CEL were evaluated, and what came of it: those of definitions, and the expressions of policies and
webhooks. A rule that was never false has never been tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any, Final, NamedTuple

from quarterdeck.coverage.boundedcounts import BoundedCounts
from quarterdeck.coverage.paths import CHARS_MAX, LIST_ITEM, MAP_VALUE, member

RULES_MAX: Final = 20_000
TEXT_CHARS_MAX: Final = 2048
_VALIDATIONS: Final = "x-kubernetes-validations"
_WITH_RULES: Final = frozenset((_VALIDATIONS, "allOf", "properties", "items", "additionalProperties"))
DEFINITION: Final = "CustomResourceDefinition"

_lock: Final = Lock()  # rules that take long run in threads


class Owner(NamedTuple):
    """Whose rules they are: a kind of object, its name, and for definitions the version."""

    kind: str
    name: str
    version: str = ""


class RuleLocation(NamedTuple):
    """Where a rule stands in its owner, and what it says."""

    path: str
    text: str


class Count:
    __slots__ = ("errors", "evaluated", "false")

    def __init__(self) -> None:
        self.evaluated = self.false = self.errors = 0

    def note(self, is_false: bool, is_error: bool) -> None:
        with _lock:
            self.evaluated += 1
            self.false += is_false
            self.errors += is_error

    @property
    def is_used(self) -> bool:
        return self.evaluated > 0

    def clear(self) -> None:
        with _lock:
            self.evaluated = self.false = self.errors = 0


Rules = BoundedCounts[tuple[Owner, RuleLocation], Count]


def keep_rules() -> Rules:
    return BoundedCounts(Count, RULES_MAX)


def count_of(rules: Rules, owner: Owner, path: str, text: str) -> Count | None:
    """What counts the evaluations of a rule, for all that are made of it."""
    return rules.of((owner, place_of(path, text)), owner.name, path)


def place_of(path: str, text: str) -> RuleLocation:
    return RuleLocation(path, text[:TEXT_CHARS_MAX])


def find_rules(schema: Mapping[str, Any]) -> Iterator[RuleLocation]:
    """The x-kubernetes-validations of a schema, at the paths of the values that they are about."""
    pending: list[tuple[str, Mapping[str, Any]]] = [("", schema)]
    while pending:
        path, node = pending.pop()
        for rule in node.get(_VALIDATIONS) or ():
            yield place_of(path, rule.get("rule") or "")
        below = [(path, each) for each in node.get("allOf") or () if _may_have_rules(each)]
        for name, each in (node.get("properties") or {}).items():
            if _may_have_rules(each):
                below.append((member(path, name), each))
        for keyword, mark in (("items", LIST_ITEM), ("additionalProperties", MAP_VALUE)):
            if _may_have_rules(each := node.get(keyword)):
                below.append((path + mark, each))
        pending += [(at, each) for at, each in below if len(at) <= CHARS_MAX]


def _may_have_rules(node: Any) -> bool:
    """Most are leaves: their paths need not be made."""
    return isinstance(node, dict) and not node.keys().isdisjoint(_WITH_RULES)
