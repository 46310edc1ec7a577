"""Faults of a control plane: rules that are put while it runs, and whether they have fired.

    with plane.faults.conflict(resources="boats", verbs="update", times=1):
        ...

docs/testing-faults.md tells of every one. A rule that has never fired fails whoever asked for it: a test that passes
without its fault has tested nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

_PATH: Final = "/quarterdeck/v1/faults"
_OF_MATCH: Final = {
    "verbs": "verbs",
    "groups": "groups",
    "resources": "resources",
    "namespaces": "namespaces",
    "names": "names",
    "users": "users",
    "user_agents": "userAgents",
    "non_resource_urls": "nonResourceURLs",
    "webhooks": "webhooks",
}
_OF_RULE: Final = ("name", "after", "every", "times", "probability", "seed")

Call = Callable[..., tuple[int, Any]]
Object = Mapping[str, Any]


class FaultError(ValueError):
    """The server does not take a rule; the text is its own."""


class NeverFired(AssertionError):
    """A fault was asked for, and nothing came of it."""


class Fault:
    """One rule. As a context manager it goes with its block, and has to have fired in it."""

    def __init__(self, call: Call, rule: Object) -> None:
        self._call = call
        self._told = dict(rule)
        self._is_removed = False
        self.name: str = rule["name"]

    def __enter__(self) -> Fault:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.remove()
        if kind is None:
            self.check()

    @property
    def matched(self) -> int:
        """How many requests it was about."""
        return int(self._look()["matched"])

    @property
    def fired(self) -> int:
        """To how many of them something was done."""
        return int(self._look()["fired"])

    def remove(self) -> None:
        if not self._is_removed:
            self._ask("DELETE")
            self._is_removed = True

    def check(self) -> None:
        """Raises NeverFired."""
        if not self.fired:
            rule = {name: value for name, value in self._told.items() if name not in ("name", "fired", "matched")}
            raise NeverFired(f"fault {self.name} never fired: {rule}, {self.matched} requests matched")

    def _look(self) -> dict[str, Any]:
        if not self._is_removed:
            self._ask("GET")
        return self._told

    def _ask(self, method: str) -> None:
        status, answer = self._call(method, f"{_PATH}/{quote(self.name, safe='')}")
        if status == 200:
            self._told = answer["rules"][0]


class Faults:
    """`call(method, path, body)` answers status and object. Match and schedule are given by name: `verbs`, `groups`,
    `resources`, `namespaces`, `names`, `users`, `user_agents`, `non_resource_urls` (a text or several, patterns of the
    shell), `after`, `every`, `times`, `probability`, `seed`, `name`."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._asked: list[Fault] = []

    def conflict(self, **wanted: Any) -> Fault:
        """409: somebody else has changed the object."""
        return self._put("conflict", {}, wanted)

    def too_many_requests(self, *, retry_after_seconds: int = 1, **wanted: Any) -> Fault:
        return self._put("tooManyRequests", {"retryAfterSeconds": retry_after_seconds}, wanted)

    def error(
        self, code: int = 500, *, when: str = "Before", message: str = "", retry_after_seconds: int = 0, **wanted: Any
    ) -> Fault:
        """`when`: "Before" anything is done, or "After" it, so that only the answer is lost."""
        action = {"code": code, "when": when, "message": message, "retryAfterSeconds": retry_after_seconds}
        return self._put("error", action, wanted)

    def delay(self, seconds: float, *, when: str = "Before", **wanted: Any) -> Fault:
        return self._put("delay", {"seconds": seconds, "when": when}, wanted)

    def drop(self, *, when: str = "Before", **wanted: Any) -> Fault:
        """The connection breaks: "Before" anything is done, "After" it, or "Midway", in the answer's body."""
        return self._put("drop", {"when": when}, wanted)

    def watch(
        self,
        *,
        events: int | None = None,
        end: str = "Cut",
        late_seconds: float = 0,
        bookmarks: bool = True,
        **wanted: Any,
    ) -> Fault:
        """Watches end after so many `events`, by "Cut" (the connection), "End" or "Gone" (410); each event comes late;
        there are no bookmarks."""
        action: dict[str, Any] = {"lateSeconds": late_seconds, "bookmarks": bookmarks}
        if events is not None:
            action |= {"events": events, "end": end}
        return self._put("watch", action, {"verbs": "watch", **wanted})

    def stale(self, *, revision: int = 0, revisions_behind: int = 0, **wanted: Any) -> Fault:
        """Gets and lists show an older state; that of now, unless one is named."""
        return self._put("stale", {"revision": revision, "revisionsBehind": revisions_behind}, wanted)

    def clock_step(self, seconds: float, **wanted: Any) -> Fault:
        """The time of day jumps by so much, to later or earlier, when the request comes; there has to be a virtual
        clock."""
        return self._put("clockStep", {"seconds": seconds}, wanted)

    def webhook_timeout(self, **wanted: Any) -> Fault:
        """Calls of webhooks (`webhooks`: patterns of their URLs) fail as if nothing had come in time."""
        return self._put("webhookTimeout", {}, wanted)

    def add(self, rule: Object) -> Fault:
        """A rule as the API takes it. Raises FaultError."""
        return self._post(rule)[0]

    def load(self, path: str | Path) -> list[Fault]:
        """The rules of a YAML file. Raises FaultError."""
        import yaml

        return self._post(yaml.safe_load(Path(path).read_text()))

    def check(self) -> None:
        """Raises NeverFired for the first that was asked for in vain."""
        for fault in self._asked:
            fault.check()

    def clear(self) -> None:
        """No rule any more, and none that has to fire."""
        if self._asked:
            self._asked.clear()
            self._call("DELETE", _PATH)

    def _put(self, action: str, value: Object, wanted: Mapping[str, Any]) -> Fault:
        rule: dict[str, Any] = {action: value, "match": {}}
        for name, given in wanted.items():
            if name in _OF_MATCH:
                rule["match"][_OF_MATCH[name]] = given if isinstance(given, str) else list(given)
            elif name in _OF_RULE:
                rule[name] = given
            else:
                raise TypeError(f"a fault has no {name!r}")
        return self.add(rule)

    def _post(self, body: Any) -> list[Fault]:
        status, answer = self._call("POST", _PATH, body)
        if status != 201:
            raise FaultError(answer["message"] if isinstance(answer, dict) else str(answer))
        faults = [Fault(self._call, each) for each in answer["rules"]]
        self._asked += faults
        return faults
