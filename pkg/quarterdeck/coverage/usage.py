"""What has been asked of the API, by whom. Bounded: what goes beyond is counted, or widened, and told.

A caller is a user with a user agent. What it asks is kept as the roles of RBAC see it: a verb, a group and a resource
with its subresource in a namespace, or a verb and a path; and the names that it was asked of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

CALLERS_MAX: Final = 256
ENTRIES_MAX: Final = 20_000  # of all callers: some 10 MiB
NAMES_MAX: Final = 64
_CHARS_MAX: Final = 512
_ANY: Final = "*"
NAMELESS: Final = ""


class RequestKey(NamedTuple):
    """`resource` is written as in a role (`pods/log`). `path` alone: no resource."""

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    path: str = ""


class Entry:
    """`names` has NAMELESS in it where no name was asked for; `is_widened`: there were too many, and all count."""

    __slots__ = ("count", "is_widened", "names")

    def __init__(self) -> None:
        self.count = 0
        self.names: set[str] = set()
        self.is_widened = False

    def add(self, name: str) -> None:
        self.count += 1
        if self.is_widened or name in self.names:
            return
        if name and len(self.names) >= NAMES_MAX:
            self.is_widened = True
            self.names = {NAMELESS}
        else:
            self.names.add(name)


class Caller(NamedTuple):
    user: str
    agent: str


class Usage:
    """`left_out` counts requests that there was no room for, or that no role can allow without allowing more."""

    def __init__(self) -> None:
        self.left_out = 0
        self._entries = 0
        self._callers: dict[Caller, dict[RequestKey, Entry]] = {}

    def note(self, caller: Caller, asked: RequestKey, name: str) -> None:
        """Count a request for the object `name`, or for none (NAMELESS). What is too long, or finds no room, counts as
        left out."""
        caller = Caller(caller.user, caller.agent[:_CHARS_MAX])
        entries = self._callers.get(caller)
        if entries is not None and (entry := entries.get(asked)) is not None and len(name) <= _CHARS_MAX:
            entry.add(name)
            return
        has_room = self._entries < ENTRIES_MAX and (entries is not None or len(self._callers) < CALLERS_MAX)
        if not has_room or not _is_exact(asked) or max(map(len, (*asked, *caller, name))) > _CHARS_MAX:
            self.left_out += 1
            return
        if entries is None:
            entries = self._callers[caller] = {}
        self._entries += 1
        entry = entries[asked] = Entry()
        entry.add(name)

    def clear(self) -> None:
        self._callers.clear()
        self._entries = self.left_out = 0

    def select(self, users: str = _ANY, agents: str = _ANY) -> Iterator[tuple[Caller, dict[RequestKey, Entry]]]:
        """Of whom the patterns of the shell name."""
        for caller, entries in sorted(self._callers.items()):
            if fnmatchcase(caller.user, users) and fnmatchcase(caller.agent, agents):
                yield caller, entries

    def report(self, users: str = _ANY, agents: str = _ANY) -> dict[str, Any]:
        callers = [
            {"user": caller.user, "userAgent": caller.agent, "requests": _describe(entries.items())}
            for caller, entries in self.select(users, agents)
        ]
        return {"callers": callers, "leftOut": self.left_out}


def _is_exact(asked: RequestKey) -> bool:
    """A role that named it would name no more than it."""
    texts = (asked.verb, asked.group, asked.resource)
    return bool(asked.verb) and not any(_ANY in text for text in texts) and not asked.path.endswith(_ANY)


def _describe(entries: Iterable[tuple[RequestKey, Entry]]) -> list[dict[str, Any]]:
    return [_describe_one(asked, entry) for asked, entry in sorted(entries, key=lambda each: each[0])]


def _describe_one(asked: RequestKey, entry: Entry) -> dict[str, Any]:
    if asked.path:
        return {"verb": asked.verb, "path": asked.path, "count": entry.count}
    told: dict[str, Any] = {"verb": asked.verb, "group": asked.group}
    told["resource"], _, subresource = asked.resource.partition("/")
    if subresource:
        told["subresource"] = subresource
    if asked.namespace:
        told["namespace"] = asked.namespace
    if entry.is_widened:
        told["tooManyNames"] = True
    elif names := sorted(entry.names - {NAMELESS}):
        told["names"] = names
    return told | {"count": entry.count}
