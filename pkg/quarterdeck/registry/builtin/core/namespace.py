"""Namespaces: a phase, a finalizer of their own, and a label with their name.

Source: pkg/registry/core/namespace/{strategy.go,storage/storage.go}, pkg/apis/core/validation (ValidateNamespace*).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from quarterdeck.apimachinery import clock, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apis.resource import APIResource
from quarterdeck.registry import deletion, preconditions
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, validate_finalizer_domain
from quarterdeck.registry.strategy import Object

FINALIZER: Final = "kubernetes"
NAME_LABEL: Final = "kubernetes.io/metadata.name"


def default_namespace(obj: Object) -> None:
    """The label with the namespace's own name is always there (upstream: defaulting of the versioned type)."""
    metadata = obj["metadata"]
    if metadata.get("name"):
        labels = dict(metadata.get("labels") or {})
        labels[NAME_LABEL] = metadata["name"]
        metadata["labels"] = labels
    obj.setdefault("spec", {})
    obj.setdefault("status", {}).setdefault("phase", "Active")


class NamespaceStrategy(BuiltinStrategy):
    validates_metadata_again = True

    def default_new(self, obj: Object) -> None:
        finalizers = list(obj["spec"].get("finalizers") or [])
        if FINALIZER not in finalizers:
            finalizers.append(FINALIZER)
        obj["spec"] = {"finalizers": finalizers}
        obj["status"] = {"phase": "Active"}

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        """A name that was generated becomes a label once it is found to be one (upstream: Canonicalize)."""
        problems = super().validate(obj, warnings)
        default_namespace(obj)
        return problems

    def keep(self, new: Object, old: Object) -> None:
        new["spec"], new["status"] = old.get("spec", {}), old.get("status", {})

    def check(self, obj: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        for name in obj["spec"].get("finalizers") or []:
            problems += _validate_finalizer(name, "spec.finalizers")  # without its position, as upstream
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return []

    def check_preconditions(
        self, group: str, resource: APIResource, metadata: dict[str, Any], revision: int, options: deletion.Options
    ) -> None:
        preconditions.check_delete_plainly(group, resource.name, metadata["name"], metadata, revision, options)

    def mark(self, obj: Object, options: deletion.Options) -> Object | None:
        """A deletion first makes the namespace Terminating; it goes when it has no finalizers of either sort."""
        if obj["metadata"].get("deletionTimestamp"):
            return obj if obj["spec"].get("finalizers") else deletion.mark(obj, options)
        metadata = {**obj["metadata"], "deletionTimestamp": clock.now()}
        if options.orphan_dependents is not None:  # to orphan nothing is, of namespaces alone, to wait for all
            policy = "Orphan" if options.orphan_dependents else "Foreground"
            options = replace(options, orphan_dependents=None, propagation_policy=policy)
        if finalizers := deletion.finalizers_for(metadata.pop("finalizers", None) or [], options):
            metadata["finalizers"] = finalizers
        return {**obj, "metadata": metadata, "status": {**(obj.get("status") or {}), "phase": "Terminating"}}

    def is_finished(self, obj: Object) -> bool:
        return deletion.is_finished(obj) and not (obj.get("spec") or {}).get("finalizers")


class NamespaceStatusStrategy(NamespaceStrategy):
    validates_metadata_again = False

    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        phase = new["status"].get("phase", "")
        if new["metadata"].get("deletionTimestamp"):
            if phase != "Terminating":
                detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
                return [field.invalid("status.Phase", field.named(phase), detail)]
        elif phase != "Active":
            detail = "may only be 'Active' if `deletionTimestamp` is empty"
            return [field.invalid("status.Phase", field.named(phase), detail)]
        return []


class NamespaceFinalizeStrategy(NamespaceStrategy):
    validates_metadata_again = False

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        for position, name in enumerate(new["spec"].get("finalizers") or []):
            problems += _validate_finalizer(name, field.index("spec.finalizers", position))
        return problems


def _validate_finalizer(name: str, path: str) -> list[FieldError]:
    problems = [field.invalid(path, name, text) for text in names.qualified_name(name)]
    return problems + validate_finalizer_domain(name, path)
