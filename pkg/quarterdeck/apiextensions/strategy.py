"""How CustomResourceDefinitions themselves are written.

Source: apiextensions-apiserver/pkg/registry/customresourcedefinition/{strategy,etcd}.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apiextensions import conditions, empties, jsonvalues, validation
from quarterdeck.apiextensions.validation import Allowance, TakesLong
from quarterdeck.apimachinery import clock, meta
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apis.resource import APIResource
from quarterdeck.registry import deletion, preconditions
from quarterdeck.registry.strategy import Object, Problems, WriteHooks
from quarterdeck.schema import objectmeta

CLEANUP_FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"


class DefinitionStrategy:
    allow_unconditional_update = False
    allow_create_on_update = False
    is_applied_whole = False
    generates_names = True
    hooks: WriteHooks | None = None

    def prepare_for_create(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        storage = _storage_version(obj["spec"])
        obj["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": None if storage is None else [storage],
        }

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return False

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]
        if not jsonvalues.are_equal(new["spec"], old["spec"]) or jsonvalues.have_integral_floats(new["spec"]):
            new["metadata"]["generation"] = meta.generation(old) + 1
        stored, storage = new["status"].get("storedVersions") or [], _storage_version(new["spec"])
        if storage is not None and storage not in stored:
            new["status"] = {**new["status"], "storedVersions": [*stored, storage]}

    def validate(self, obj: Object, warnings: list[str]) -> Problems:
        written_empty = empties.last_taken()

        def check(allowance: Allowance | None) -> list[FieldError]:
            with written_empty.restored(obj["spec"]):
                problems = validation.validate_definition(obj, allowance)
            if not problems:
                warnings.extend(validation.warnings_of(obj))
            return problems

        return _check_soon(check)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> Problems:
        written_empty = empties.last_taken()

        def check(allowance: Allowance | None) -> list[FieldError]:
            problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], namespaced=False)
            problems += objectmeta.validate_object_meta_update(new["metadata"], old["metadata"])
            with written_empty.restored(new["spec"]):
                problems += self._validate_content(new, old, allowance)
            if not problems:
                warnings.extend(validation.warnings_of(new, old))
            return problems

        return _check_soon(check)

    def _validate_content(self, new: Object, old: Object, allowance: Allowance | None) -> list[FieldError]:
        return validation.validate_definition_update(new, old, allowance)

    def check_preconditions(
        self, group: str, resource: APIResource, metadata: dict[str, Any], revision: int, options: deletion.Options
    ) -> None:
        if options.is_one_of_many:  # which upstream deletes as objects of any kind
            preconditions.check_delete(group, resource.kind, metadata["name"], metadata, revision, options)
        else:
            preconditions.check_delete_plainly(group, resource.name, metadata["name"], metadata, revision, options)

    def mark(self, obj: Object, options: deletion.Options) -> Object | None:
        """The first delete of a definition only marks it: its objects are deleted before it is.

        Differs from upstream: so it is where a collection of definitions is deleted."""
        if obj["metadata"].get("deletionTimestamp"):
            return deletion.mark(obj, options)
        metadata = dict(obj["metadata"])
        finalizers = list(metadata.get("finalizers") or [])
        if CLEANUP_FINALIZER not in finalizers:
            finalizers = [*finalizers, CLEANUP_FINALIZER]
        metadata["finalizers"] = finalizers
        metadata["deletionTimestamp"] = clock.now()
        terminating = conditions.build(
            conditions.TERMINATING,
            "True",
            "InstanceDeletionPending",
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        )
        status = dict(obj["status"])
        status["conditions"] = conditions.with_condition(status.get("conditions"), terminating)
        return {**obj, "metadata": metadata, "status": status}

    def is_finished(self, obj: Object) -> bool:
        return deletion.is_finished(obj)


class DefinitionStatusStrategy(DefinitionStrategy):
    def prepare_for_update(self, new: Object, old: Object) -> None:
        """The metadata stays as it was sent: upstream resets it to itself. Where nothing tells the stored versions, the
        default does as soon as the definition is read again, with its spec."""
        new["spec"] = old["spec"]
        if not new["status"].get("storedVersions") and (storage := _storage_version(new["spec"])) is not None:
            new["status"] = {**new["status"], "storedVersions": [storage]}

    def _validate_content(self, new: Object, old: Object, allowance: Allowance | None) -> list[FieldError]:
        return validation.validate_status_update(new)


def _storage_version(spec: dict[str, Any]) -> str | None:
    """The first version that says it is the one."""
    return next((version["name"] for version in spec.get("versions") or () if version["storage"]), None)


def _check_soon(check: Callable[[Allowance | None], list[FieldError]]) -> Problems:
    """What `check` finds; where rules on defaults take long, the whole of it for another thread."""
    try:
        return check(Allowance())
    except TakesLong:
        return lambda: check(None)
