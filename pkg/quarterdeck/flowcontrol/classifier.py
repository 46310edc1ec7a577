"""Which flow a request belongs to. Made anew with each change of the configuration; answers are remembered until then.

Source: apiserver/pkg/util/flowcontrol/apf_controller.go (startRequest, computeFlowDistinguisher).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery.user import User
from quarterdeck.flowcontrol.counts import SchemaCounts
from quarterdeck.flowcontrol.dealer import hash_flow
from quarterdeck.flowcontrol.flows import Flow, Level, Named
from quarterdeck.flowcontrol.rules import RequestDigest, Rule

_USERS_MAX: Final = 4096
_ASKED_MAX: Final = 512  # of one user
_FLOWS_MAX: Final = 16_384
_PATH_CHARS_MAX: Final = 256

# What a request asks for: verb, group, resource, subresource and namespace; verb and path where it is of no resource.
Asked = tuple[str, ...]
Known = dict[Asked, Flow]


class Schema(NamedTuple):
    """A flow schema. `method` tells flows of it apart: ByUser, ByNamespace, or not at all (empty)."""

    named: Named
    level: Level
    method: str
    rules: tuple[Rule, ...]


class Classifier:
    """`schemas` in the order in which they are digest; the last one takes what no other does."""

    def __init__(self, schemas: Sequence[Schema], count: Callable[[Schema], SchemaCounts]) -> None:
        """`count` gives what is counted for a schema."""
        self._schemas = schemas
        self._count = count
        self._users: dict[tuple[str, tuple[str, ...]], Known] = {}
        self._flows: dict[tuple[str, str], Flow] = {}
        # Who asked last: the requests of a connection are those of one user, whose groups need not be compared again.
        self._last_user: User | None = None
        self._last_known: Known = {}

    def find(self, user: User, asked: Asked) -> Flow:
        known = self._last_known if user is self._last_user else self._known_of(user)
        return known.get(asked) or self._classify(user, known, asked)

    def _known_of(self, user: User) -> Known:
        known = self._users.get((user.name, user.groups))
        if known is None:
            known = self._meet(user)
        self._last_user, self._last_known = user, known
        return known

    def _meet(self, user: User) -> Known:
        if len(self._users) >= _USERS_MAX:
            self._users.clear()
        known: Known = {}
        self._users[user.name, user.groups] = known
        return known

    def _classify(self, user: User, known: Known, asked: Asked) -> Flow:
        is_of_resource = len(asked) > 2
        if not is_of_resource:
            digest = RequestDigest(asked[0], "", "", "", asked[1])
        else:
            verb, group, resource, subresource, namespace = asked
            digest = RequestDigest(verb, group, f"{resource}/{subresource}" if subresource else resource, namespace)
        flow = self._flow_of(self._find_schema(user, digest), user, digest.namespace)
        if is_of_resource or len(asked[1]) <= _PATH_CHARS_MAX:
            if len(known) >= _ASKED_MAX:
                known.clear()
            known[asked] = flow
        return flow

    def _find_schema(self, user: User, digest: RequestDigest) -> Schema:
        for schema in self._schemas:
            if any(rule.is_about(user) and rule.matches(digest) for rule in schema.rules):
                return schema
        return self._schemas[-1]

    def _flow_of(self, schema: Schema, user: User, namespace: str) -> Flow:
        distinguisher = ""
        if schema.level.spec.queues > 1:
            distinguisher = {"ByUser": user.name, "ByNamespace": namespace}.get(schema.method, "")
        flow = self._flows.get((schema.named.name, distinguisher))
        if flow is None:
            if len(self._flows) >= _FLOWS_MAX:
                self._flows.clear()
            key = hash_flow(schema.named.name, distinguisher)
            flow = Flow(schema.named, schema.level, self._count(schema), distinguisher, key)
            self._flows[schema.named.name, distinguisher] = flow
        return flow


class Unsettled(Classifier):
    """Stands for one that is made when the next request comes: `settle` makes it, and puts it in this one's place."""

    def __init__(self, settle: Callable[[], Classifier], count: Callable[[Schema], SchemaCounts]) -> None:
        super().__init__((), count)
        self._settle = settle

    def find(self, user: User, asked: Asked) -> Flow:
        return self._settle().find(user, asked)


def read_rules(spec: dict[str, Any]) -> tuple[Rule, ...]:
    return tuple(Rule(rule) for rule in spec.get("rules") or [])
