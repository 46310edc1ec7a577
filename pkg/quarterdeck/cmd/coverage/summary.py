"""What a document of coverage comes to: how much of what there is was used, and what was not."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from quarterdeck.coverage.rules import DEFINITION

Document = dict[str, Any]

SECTIONS: Final = ("fields", "rules", "conditions", "webhooks", "bindings", "verbs")
_MEMBERS: Final = {"verbs": ("callers", "leftOut")}
_SEPARATORS: Final = ".[{"


class Share(NamedTuple):
    part: int
    whole: int

    @property
    def percent(self) -> float:
        """Of nothing all was used."""
        return 100 * self.part / self.whole if self.whole else 100.0

    def __str__(self) -> str:
        return f"{self.part} of {self.whole} ({int(self.percent)} %)"  # all of it alone is 100


def choose(document: Document, only: list[str]) -> Document:
    """The sections that are wanted, all if none is named."""
    wanted = {member for section in only or SECTIONS for member in _MEMBERS.get(section, (section,))}
    return {name: value for name, value in document.items() if name in wanted or (not only and name == "notKept")}


def of_definitions(document: Document, pattern: str) -> Document:
    """With fields and rules of the definitions alone that the pattern of the shell names."""
    if pattern == "*":
        return document
    fields = [each for each in document["fields"] if fnmatchcase(each["definition"], pattern)]
    rules = [each for each in document["rules"] if each["kind"] != DEFINITION or fnmatchcase(each["name"], pattern)]
    return document | {"fields": fields, "rules": rules}


def fields(document: Document) -> Share:
    """Those that were set."""
    told = document["fields"]
    return Share(sum(each["set"] for each in told), sum(each["of"] for each in told))


def rules(document: Document) -> Share:
    """Those that were false at least once. An expression of a mutation is evaluated at least once instead: it is never
    false."""
    told = document["rules"]
    return Share(sum(map(is_tested, told)), len(told))


def is_tested(rule: Document) -> bool:
    return bool(rule["evaluated"] if ".mutations[" in f".{rule['path']}" else rule["false"])


def webhooks(document: Document) -> Share:
    """Those that were called."""
    told = document["webhooks"]
    return Share(sum(bool(each["called"]) for each in told), len(told))


def bindings(document: Document) -> Share:
    """Those that concerned a request."""
    told = document["bindings"]
    return Share(sum(bool(each["evaluated"]) for each in told), len(told))


SHARES: Final = {"fields": fields, "rules": rules, "webhooks": webhooks, "bindings": bindings}


def never_set(paths: dict[str, int]) -> dict[str, int]:
    """The outermost fields that were never set, each with how many fields that is with all that is in it."""
    tops: dict[str, int] = {}
    for path, count in sorted(paths.items(), key=lambda each: len(each[0])):
        if count:
            continue
        ends = (end for end in range(1, len(path)) if path[end] in _SEPARATORS)
        top = next((path[:end] for end in ends if path[:end] in tops), path)
        tops[top] = tops.get(top, 0) + 1
    return {path: tops[path] for path in paths if path in tops}


def left_out(document: Document, section: str) -> str:
    """What there was no room for, "" where there was."""
    number = document["leftOut"] if section == "verbs" else document["notKept"].get(section, 0)
    return f"left out: {number}" if number else ""


def name_of(rule: Document) -> str:
    """Whose rule it is."""
    if rule["kind"] == DEFINITION:
        return f"{rule['name']}/{rule['version']}"
    return f"{rule['kind']} {rule['name']}"


def kind_of(condition: Document) -> str:
    """Whose condition it is."""
    return f"{condition['kind']}.{condition['group']}" if condition["group"] else str(condition["kind"])
