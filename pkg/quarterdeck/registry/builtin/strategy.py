"""What the strategies of all built-in kinds share: metadata's rules, upstream's order of checks.

Source: apiserver/pkg/registry/rest/{create,update}.go, pkg/apis/core/validation/validation.go.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apis.resource import APIResource
from quarterdeck.registry import deletion, preconditions
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object, WriteHooks
from quarterdeck.schema import objectmeta
from quarterdeck.schema.objectmeta import NameCheck

# What a write of the status leaves of the metadata (upstream: ResetObjectMetaForStatus).
_METADATA_OF_SPEC: Final = (
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
    "generation",
    "deletionTimestamp",
    "selfLink",
)
_STANDARD_FINALIZERS: Final = frozenset(("kubernetes", "foregroundDeletion", "orphan"))


class BuiltinStrategy:
    """Subclasses override `default_new`, `keep`, `check`, `check_update`, `warn` and `warn_of_update`."""

    allow_unconditional_update = True
    allow_create_on_update = False
    is_applied_whole = False
    generates_names = True
    hooks: WriteHooks | None = None
    # Whether a delete that does not say what becomes of dependents leaves them (upstream:
    # GarbageCollectionDeleteStrategy.DefaultGarbageCollectionPolicy).
    orphans_by_default = False
    # Nothing depends on such objects, and a delete leaves out what it is told of dependents.
    has_no_dependents = False
    # Whether a finalizer without a domain has to be one of Kubernetes' own (upstream: core's ValidateObjectMeta).
    checks_finalizer_domains = True
    # Whether upstream validates an updated object's metadata once more as if it were new, and says so once more.
    validates_metadata_again = False
    # Whether upstream's strategy says once more what of the metadata may not change, before all else or last of all.
    # Kinds that say it between do so in `check_update`.
    validates_changed_metadata = True
    validates_changed_metadata_last = False

    def __init__(self, *, namespaced: bool, name_check: NameCheck = names.name_is_dns1123_subdomain) -> None:
        self._namespaced = namespaced
        self._name_check = name_check

    def prepare_for_create(self, obj: Object) -> None:
        self.default_new(obj)

    def prepare_for_update(self, new: Object, old: Object) -> None:
        self.keep(new, old)

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return False

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        problems = self._validate_metadata(obj["metadata"]) + self.check(obj)
        if not problems:
            warnings.extend(self.warn(obj))
        return problems

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], self._namespaced)
        if self.validates_changed_metadata:
            problems += self._validate_changed_metadata(new, old)
        if self.validates_metadata_again:
            problems += self._validate_metadata(new["metadata"])
        problems += self.check_update(new, old)
        if self.validates_changed_metadata_last:
            problems += self._validate_changed_metadata(new, old)
        if not problems:
            warnings.extend(self.warn_of_update(new, old))
        return problems

    def _validate_metadata(self, metadata: dict[str, Any]) -> list[FieldError]:
        problems = objectmeta.validate_object_meta(metadata, self._namespaced, "metadata", self._name_check)
        return problems + self._validate_finalizers(metadata)

    def _validate_changed_metadata(self, new: Object, old: Object) -> list[FieldError]:
        problems = objectmeta.validate_object_meta_update(new["metadata"], old["metadata"])
        return problems + self._validate_finalizers(new["metadata"])

    def _validate_finalizers(self, metadata: dict[str, Any]) -> list[FieldError]:
        finalizers = metadata.get("finalizers")
        return validate_builtin_finalizers(finalizers) if finalizers and self.checks_finalizer_domains else []

    def check_preconditions(
        self, group: str, resource: APIResource, metadata: dict[str, Any], revision: int, options: Options
    ) -> None:
        preconditions.check_delete(group, resource.kind, metadata["name"], metadata, revision, options)

    def mark(self, obj: Object, options: Options) -> Object | None:
        return deletion.mark(obj, self._with_default_policy(obj, options))

    def _with_default_policy(self, obj: Object, options: Options) -> Options:
        if self.has_no_dependents:
            return replace(options, propagation_policy="", orphan_dependents=False)
        if not self.orphans_by_default or options.orphan_dependents is not None or options.propagation_policy:
            return options
        finalizers = obj["metadata"].get("finalizers") or []
        if deletion.FINALIZER_ORPHAN in finalizers or deletion.FINALIZER_FOREGROUND in finalizers:
            return options
        return replace(options, propagation_policy="Orphan")

    def is_finished(self, obj: Object) -> bool:
        return deletion.is_finished(obj)

    def default_new(self, obj: Object) -> None:
        """Set what the server owns on a new object."""

    def keep(self, new: Object, old: Object) -> None:
        """Take what this endpoint may not change from the old object."""

    def warn(self, obj: Object) -> list[str]:
        """What a client is told of an object that is not refused."""
        return []

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return self.warn(new)

    def check(self, obj: Object) -> list[FieldError]:
        return []

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return self.check(new)


def keep_metadata(new: Object, old: Object, names_kept: tuple[str, ...] = _METADATA_OF_SPEC) -> None:
    """Take these members of the metadata from the old object."""
    metadata, before = new["metadata"], old["metadata"]
    for name in names_kept:
        if name in before:
            metadata[name] = before[name]
        else:
            metadata.pop(name, None)


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
