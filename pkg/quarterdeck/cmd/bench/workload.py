"""What the connections of a load do: each scenario's operations as generators of requests.

Each connection has objects of its own, so that no write meets another's; what must be there is created before anything
counts. An operation yields steps and is sent their answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from quarterdeck.cmd.bench.loads import MIXED
from quarterdeck.cmd.bench.messages import JSON, Answer, Request
from quarterdeck.cmd.bench.payload import Json, Payload
from quarterdeck.cmd.kubeconfig import Target

_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_WITHOUT_OBJECTS: Final = ("create", "delete")


class Step(NamedTuple):
    """`verb` names the figures that it counts for; "": it does not count."""

    verb: str
    request: Request


Operation = Generator[Step, Answer, None]


class Actor:
    """One connection's part. `prefix` begins the names of its objects."""

    def __init__(
        self, target: Target, payload: Payload, scenario: str, *, namespace: str, prefix: str, page: int
    ) -> None:
        self._target = target
        self._payload = payload
        self._scenario = scenario
        self._collection = payload.collection.format(namespace=quote(namespace, safe=""))
        self._prefix = prefix
        self._page = page
        self._chance = Random(prefix)  # the same in each run of the same name
        self._names: list[str] = []
        self._known: dict[str, Json] = {}  # as they were answered last, for updates
        self._made = 0
        self._turn = 0

    # - operations

    def prepare(self, objects: int) -> Operation:
        """What must be there, and does not count."""
        for _ in range(0 if self._scenario in _WITHOUT_OBJECTS else max(objects, 1)):
            yield from self._create("")
        if self._scenario == "controller":
            yield from self._list("list")

    def operation(self) -> Operation:
        verb = self._scenario
        if verb == "mixed":
            verb = self._chance.choices(tuple(MIXED), tuple(MIXED.values()))[0]
        does: dict[str, Callable[[], Operation]] = {
            "get": self._get,
            "list": lambda: self._list("list"),
            "create": lambda: self._create("create"),
            "update": self._update,
            "patch": self._patch,
            "apply": self._apply,
            "delete": lambda: self._delete(is_filled=self._scenario != "mixed"),
            "controller": self._reconcile,
        }
        return does[verb]()

    def _create(self, verb: str) -> Operation:
        name = f"{self._prefix}-{self._made}"
        self._made += 1
        status, body = yield self._step(verb, "POST", self._collection, self._payload.build(name, 0))
        if status < 300:
            self._names.append(name)
            self._learn(name, body)

    def _get(self) -> Operation:
        yield self._step("get", "GET", self._path(self._chance.choice(self._names)))

    def _list(self, verb: str) -> Operation:
        token = ""
        while True:
            more = f"&continue={quote(token, safe='')}" if token else ""
            status, body = yield self._step(verb, "GET", f"{self._collection}?limit={self._page}{more}")
            token = _continue_of(body) if status == 200 else ""
            if not token:
                return

    def _update(self) -> Operation:
        name = self._chance.choice(self._names)
        obj = self._known.pop(name, None)  # what comes of this update may stay unknown
        if obj is None:
            _, body = yield self._step("", "GET", self._path(name))
            obj = json.loads(body)
        turn = self._payload.build(name, self._next_turn())
        obj = {**obj, **{key: value for key, value in turn.items() if key not in ("metadata", "status")}}
        more = turn["metadata"].get("annotations")
        if more:
            obj["metadata"] = {**obj["metadata"], "annotations": {**obj["metadata"].get("annotations", {}), **more}}
        status, body = yield self._step("update", "PUT", self._path(name), obj)
        if status < 300:
            self._learn(name, body)

    def _patch(self) -> Operation:
        name = self._chance.choice(self._names)
        self._known.pop(name, None)
        yield self._step("patch", "PATCH", self._path(name), self._payload.patch(self._next_turn()), _MERGE)

    def _apply(self) -> Operation:
        name = self._chance.choice(self._names)
        self._known.pop(name, None)
        obj = self._payload.build(name, self._next_turn())
        path = f"{self._path(name)}?fieldManager=bench&force=true"
        yield self._step("apply", "PATCH", path, obj, _APPLY)

    def _delete(self, *, is_filled: bool) -> Operation:
        if is_filled:
            yield from self._create("")
        elif len(self._names) == 1:  # the others of `mixed` want one: each operation is one request or more
            yield from self._create("create")
            return
        if self._names:
            name = self._names.pop()
            self._known.pop(name, None)
            yield self._step("delete", "DELETE", self._path(name))

    def _reconcile(self) -> Operation:
        name = self._chance.choice(self._names)
        yield self._step("get", "GET", self._path(name))
        if self._payload.has_status:
            patch: Any = {"status": {"turn": f"{self._next_turn():09}"}}
            yield self._step("patch", "PATCH", self._path(name) + "/status", patch, _MERGE)
        else:
            yield self._step("patch", "PATCH", self._path(name), self._payload.patch(self._next_turn()), _MERGE)

    # - requests

    def _learn(self, name: str, body: bytes) -> None:
        """Only updates want to know."""
        if self._scenario == "update":
            self._known[name] = json.loads(body)

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    def _path(self, name: str) -> str:
        return f"{self._collection}/{name}"

    def _step(self, verb: str, method: str, path: str, body: object = None, sent: str = JSON) -> Step:
        path = self._target.root + path
        if body is None:
            return Step(verb, Request(method, path))
        return Step(verb, Request(method, path, sent, json.dumps(body, separators=(",", ":")).encode()))


def _continue_of(body: bytes) -> str:
    """The token of the next page. It stands in the list's metadata, at the beginning or the end of the answer."""
    for part in (body[:2048], body[-2048:]):
        _, found, rest = part.partition(b'"continue":"')
        if found:
            return rest.partition(b'"')[0].decode()
    return ""
