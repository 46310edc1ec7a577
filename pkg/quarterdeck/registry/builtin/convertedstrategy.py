"""The strategy of a version with members of its own: what the kind does is done to objects in the stored version."""

from __future__ import annotations

from typing import Any

from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.builtin.codec import Versions
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object, Problems, Strategy, WriteHooks


class ConvertedStrategy:
    """`strategy` is that of the stored version, and reserves nothing (no hooks)."""

    hooks: WriteHooks | None = None

    def __init__(self, strategy: Strategy, versions: Versions) -> None:
        self.allow_unconditional_update = strategy.allow_unconditional_update
        self.allow_create_on_update = strategy.allow_create_on_update
        self.is_applied_whole = strategy.is_applied_whole
        self.generates_names = strategy.generates_names
        self._strategy = strategy
        self._convert = versions.convert
        self._stored = versions.stored

    def prepare_for_create(self, obj: Object) -> None:
        made = self._read(obj)
        self._strategy.prepare_for_create(made)
        self._put(obj, made)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        made = self._read(new)
        self._strategy.prepare_for_update(made, self._read(old))
        self._put(new, made)

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return self._strategy.is_stored_with_less(self._read(obj), is_new=is_new, dry_run=dry_run)

    def validate(self, obj: Object, warnings: list[str]) -> Problems:
        return self._strategy.validate(self._read(obj), warnings)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> Problems:
        return self._strategy.validate_update(self._read(new), self._read(old), warnings)

    def check_preconditions(
        self, group: str, resource: APIResource, metadata: dict[str, Any], revision: int, options: Options
    ) -> None:
        self._strategy.check_preconditions(group, resource, metadata, revision, options)

    def mark(self, obj: Object, options: Options) -> Object | None:
        made = self._read(obj)
        marked = self._strategy.mark(made, options)
        if marked is None or marked is made:
            return obj if marked is made else None
        return self._convert(marked, obj["apiVersion"])

    def is_finished(self, obj: Object) -> bool:
        return self._strategy.is_finished(obj)

    def _read(self, obj: Object) -> Object:
        return self._convert(obj, self._stored)

    def _put(self, obj: Object, made: Object) -> None:
        """What has become of an object in the stored version, in place."""
        converted = self._convert(made, obj["apiVersion"])
        obj.clear()
        obj.update(converted)
