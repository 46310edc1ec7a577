"""All that one user may do in one namespace (or outside of any): the roles of the bindings that concern the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.errors import aggregate, qualify
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.authorization.rbac.bindings import Binding
from quarterdeck.authorization.rbac.rules import Role, Rule

GROUP: Final = "rbac.authorization.k8s.io"
_REMEMBERED_MAX: Final = 64
_CHARS_REMEMBERED_MAX: Final = 256


class Grant(NamedTuple):
    binding: Binding
    role: Role


class _Found:
    """The first binding that allows something whatever the object's name, and by name those before it."""

    __slots__ = ("by_name", "whole")

    def __init__(self, found: Iterable[tuple[Binding, Rule]]) -> None:
        self.whole: Binding | None = None
        self.by_name: dict[str, Binding] = {}
        for binding, rule in found:
            if not rule.names:
                self.whole = binding
                return
            for name in rule.names:
                self.by_name.setdefault(name, binding)


class Grants:
    """`missing`: bindings whose role is not there."""

    __slots__ = ("_found", "_given", "_paths", "missing")

    def __init__(self, given: list[Grant], missing: list[Binding]) -> None:
        self._given = given
        self.missing = missing
        # What concerns a resource, whatever the object: the same few things are done again and again.
        self._found: dict[tuple[str, str, str, str], _Found] = {}
        self._paths: dict[tuple[str, str], Binding | None] = {}

    def find(self, asked: Attributes) -> Binding | None:
        """The binding that allows it."""
        if not asked.is_resource:
            return self._find_path(asked.verb, asked.path)
        key = (asked.verb, asked.group, asked.resource, asked.subresource)
        found = self._found.get(key)
        if found is None:
            found = _Found(self._find_for_resource(*key))
            if sum(map(len, key)) <= _CHARS_REMEMBERED_MAX:
                if len(self._found) >= _REMEMBERED_MAX:
                    self._found.clear()
                self._found[key] = found
        return found.by_name.get(asked.name, found.whole) if found.by_name else found.whole

    def _find_path(self, verb: str, path: str) -> Binding | None:
        key = (verb, path)
        if key in self._paths:
            return self._paths[key]
        found = self._find_for_path(verb, path)
        if len(verb) + len(path) <= _CHARS_REMEMBERED_MAX:
            if len(self._paths) >= _REMEMBERED_MAX:
                self._paths.clear()
            self._paths[key] = found
        return found

    def rules(self) -> Iterator[Rule]:
        for grant in self._given:
            yield from grant.role.rules

    def _find_for_resource(
        self, verb: str, group: str, resource: str, subresource: str
    ) -> Iterator[tuple[Binding, Rule]]:
        for grant in self._given:
            for rule in grant.role.rules_for(verb):
                if rule.covers_resource(group, resource, subresource):
                    yield grant.binding, rule

    def _find_for_path(self, verb: str, path: str) -> Binding | None:
        for grant in self._given:
            for rule in grant.role.rules_for(verb):
                if rule.covers_path(path):
                    return grant.binding
        return None

    def errors(self, resource: str = "") -> str:
        """Which roles are not there, as upstream tells several errors; "" where none is missing. `resource`: as what
        they are told, where that is not what they are."""
        names = ((resource or binding.role_kind.lower(), binding.role_name) for binding in self.missing)
        return aggregate([f"{qualify(kind, GROUP)} {gofmt.quote(name)} not found" for kind, name in names])
