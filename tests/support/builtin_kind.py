"""A built-in kind for its unit tests: what it makes of an object, and why it refuses one."""

from __future__ import annotations

from typing import Any

from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.strategy import Strategy

Object = dict[str, Any]
_SYSTEM = {"name": "x", "uid": "u", "resourceVersion": "1"}


class BuiltinKind:
    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        resource = definition.resource
        self._codec = BuiltinCodec(
            resource.api_version,
            resource.kind,
            definition.make_struct,
            default=definition.default,
            note=definition.note,
            spelling=definition.spelling,
        )

    def decode(self, members: Object) -> Object:
        """The object that a client's members make, with defaults."""
        namespace = {"namespace": "n"} if self._definition.resource.namespaced else {}
        obj = {**members, "metadata": {**_SYSTEM, **namespace, **members.get("metadata", {})}}
        self._codec.normalize(obj, report_unknown=False)
        return obj

    def create(self, members: Object) -> Object:
        obj = self.decode(members)
        self._definition.strategy.prepare_for_create(obj)
        return obj

    def update(self, members: Object, before: Object, subresource: str = "") -> Object:
        old = self.decode(before)
        new = self.decode(members)  # the last that is decoded, as of a request
        self.strategy(subresource).prepare_for_update(new, old)
        return new

    def refusals(self, members: Object) -> list[str]:
        """The reasons to refuse a new object."""
        found = self._definition.strategy.validate(self.create(members), [])
        return [str(each) for each in found] if isinstance(found, list) else [str(each) for each in found()]

    def refusals_of_update(self, members: Object, before: Object, subresource: str = "") -> list[str]:
        strategy = self.strategy(subresource)
        old = self.decode(before)
        new = self.decode(members)
        strategy.prepare_for_update(new, old)
        found = strategy.validate_update(new, old, [])
        return [str(each) for each in found] if isinstance(found, list) else [str(each) for each in found()]

    def warnings(self, members: Object) -> list[str]:
        """What is told of a new object that is taken."""
        told: list[str] = []
        assert self._definition.strategy.validate(self.create(members), told) == []
        return told

    def warnings_of_update(self, members: Object, before: Object, subresource: str = "") -> list[str]:
        told: list[str] = []
        new, old, strategy = self.decode(members), self.decode(before), self.strategy(subresource)
        strategy.prepare_for_update(new, old)
        assert strategy.validate_update(new, old, told) == []
        return told

    def strategy(self, subresource: str = "") -> Strategy:
        return self._definition.subresources[subresource] if subresource else self._definition.strategy
