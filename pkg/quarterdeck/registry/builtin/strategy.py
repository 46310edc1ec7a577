"""What the strategies of all built-in kinds share: metadata's rules, upstream's order of checks.

Source: apiserver/pkg/registry/rest/{create,update}.go, pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apis.resource import APIResource
from quarterdeck.registry import deletion, preconditions
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object, WriteHooks
from quarterdeck.schema import objectmeta
from quarterdeck.schema.objectmeta import NameCheck

_STANDARD_FINALIZERS: Final = frozenset(("kubernetes", "foregroundDeletion", "orphan"))


class BuiltinStrategy:
    """Subclasses override `default_new`, `keep`, `check` and `check_update`."""

    allow_unconditional_update = True
    allow_create_on_update = False
    hooks: WriteHooks | None = None
    has_generation = False
    # Whether upstream validates an updated object's metadata once more as if it were new, and says so once more.
    validates_metadata_again = False

    def __init__(self, *, namespaced: bool, name_check: NameCheck = names.name_is_dns1123_subdomain) -> None:
        self._namespaced = namespaced
        self._name_check = name_check

    def prepare_for_create(self, obj: Object) -> None:
        if not self.has_generation:
            obj["metadata"].pop("generation", None)
        self.default_new(obj)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        self.keep(new, old)

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        return self._validate_metadata(obj["metadata"]) + self.check(obj)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], self._namespaced)
        problems += objectmeta.validate_object_meta_update(new["metadata"], old["metadata"])
        problems += validate_builtin_finalizers(new["metadata"].get("finalizers") or [])
        if self.validates_metadata_again:
            problems += self._validate_metadata(new["metadata"])
        return problems + self.check_update(new, old)

    def _validate_metadata(self, metadata: dict[str, Any]) -> list[FieldError]:
        problems = objectmeta.validate_object_meta(metadata, self._namespaced, "metadata", self._name_check)
        return problems + validate_builtin_finalizers(metadata.get("finalizers") or [])

    def check_preconditions(
        self, group: str, resource: APIResource, metadata: dict[str, Any], revision: int, options: Options
    ) -> None:
        preconditions.check_delete(group, resource.kind, metadata["name"], metadata, revision, options)

    def mark(self, obj: Object, options: Options) -> Object | None:
        return deletion.mark(obj, options)

    def is_finished(self, obj: Object) -> bool:
        return deletion.is_finished(obj)

    def default_new(self, obj: Object) -> None:
        """Set what the server owns on a new object."""

    def keep(self, new: Object, old: Object) -> None:
        """Take what this endpoint may not change from the old object."""

    def check(self, obj: Object) -> list[FieldError]:
        return []

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return self.check(new)


def validate_builtin_finalizers(finalizers: list[str]) -> list[FieldError]:
    """Built-in kinds take only qualified finalizers (upstream: core validation.validateKubeFinalizerName)."""
    problems: list[FieldError] = []
    for position, name in enumerate(finalizers):
        problems += validate_finalizer_domain(name, field.index("metadata.finalizers", position))
    return problems


def validate_finalizer_domain(name: str, path: str) -> list[FieldError]:
    if "/" in name or name in _STANDARD_FINALIZERS:
        return []
    return [field.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")]
