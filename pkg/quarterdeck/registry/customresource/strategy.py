"""What is done to a custom resource while it is written, by its definition's version.

Source: apiextensions-apiserver/pkg/registry/customresource/{strategy,status_strategy,validator}.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck._kernels import json as json_kernel
from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import field, names, offload
from quarterdeck.apimachinery.errors import InternalError
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.apis.resource import APIResource, GroupVersionKind
from quarterdeck.registry import deletion, preconditions
from quarterdeck.registry.customresource.scale import validate_scale
from quarterdeck.registry.scale import ScalePaths
from quarterdeck.registry.strategy import Object, Problems, WriteHooks
from quarterdeck.schema import objectmeta

# Members in which a change does not raise the generation, of kinds without and with an endpoint of their status.
_BESIDE = frozenset(("metadata",))
_BESIDE_STATUS = frozenset(("metadata", "status"))
_ABSENT: Final = object()
_STANDARD_FINALIZERS = ("orphan", "foregroundDeletion", "kubernetes")
_PREFER_DOMAIN = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
_PREFER_DOMAIN_WITH_PATH = _PREFER_DOMAIN.replace("name to", "name including a path (/) to")
_NOT_ALL_CHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)


class SchemaValidator(Protocol):
    """The structural schema of a version (schema.Engine)."""

    def validate(self, obj: Any, old: Any = None) -> list[FieldError]: ...

    def validate_status(self, obj: Any, old: Any) -> list[FieldError]: ...

    def validate_beside(self, obj: Any, old: Any = None, *, is_status: bool = False) -> list[FieldError]: ...


class RuleValidator(Protocol):
    """The version's x-kubernetes-validations (cel). Warnings are the failures on unchanged values."""

    def validate(self, obj: Any, old: Any, warnings: list[str]) -> Problems: ...


class CustomResourceStrategy:
    """Of whole objects; StatusStrategy is that of their status. `has_status`: the status has an endpoint of its own,
    and is not written here. `rules` None: the version has none. `scale`: where the objects have what Scale shows."""

    allow_unconditional_update = False
    allow_create_on_update = False
    is_applied_whole = False
    generates_names = True
    hooks: WriteHooks | None

    def __init__(
        self,
        gvk: GroupVersionKind,
        *,
        namespaced: bool,
        has_status: bool,
        schema: SchemaValidator,
        rules: RuleValidator | None,
        scale: ScalePaths | None,
    ) -> None:
        self.hooks = None  # here: mypyc takes no default of None for a protocol in the class
        self._gvk = gvk
        self._api_version = gvk.api_version
        self._namespaced = namespaced
        self._has_status = has_status
        self._schema = schema
        self._rules = rules
        self._scale = scale

    def prepare_for_create(self, obj: Object) -> None:
        if self._has_status:
            obj.pop("status", None)
        obj["metadata"]["generation"] = 1

    def prepare_for_update(self, new: Object, old: Object) -> None:
        check_has_version(new)
        if self._has_status:
            if "status" in old:
                new["status"] = old["status"]
            else:
                new.pop("status", None)
        if not self._is_generation_kept(new, old):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        return False

    def _is_generation_kept(self, new: Object, old: Object) -> bool:
        """A change anywhere but in metadata (and in status, where it has an endpoint) raises the generation."""
        left_out = _BESIDE_STATUS if self._has_status else _BESIDE
        for name, value in new.items():
            longsteps.pause()
            if name in left_out:
                continue
            before = old.get(name, _ABSENT)
            if value is not before and (before is _ABSENT or not json_kernel.equal(value, before)):
                return False
        for name in old:
            longsteps.pause()
            if name not in new and name not in left_out:
                return False
        return True

    def validate(self, obj: Object, warnings: list[str]) -> Problems:
        if problems := self._check_type(obj):
            return self._check_rules(obj, None, problems + self._schema.validate_beside(obj), warnings)
        metadata = obj["metadata"]
        problems = objectmeta.validate_object_meta(metadata, self._namespaced)
        problems += self._schema.validate(obj)
        if self._scale is not None:
            problems += validate_scale(obj, self._scale)
        return self._check_rules(obj, None, problems, warnings)

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> Problems:
        metadata, old_metadata = new["metadata"], old["metadata"]
        common: list[FieldError] = []
        changes: list[FieldError] = []
        if not objectmeta.is_good_update(metadata, old_metadata, self._namespaced):
            changes = objectmeta.validate_object_meta_update(metadata, old_metadata)
            common = objectmeta.validate_object_meta(metadata, self._namespaced, name_check=names.path_segment_name)
            common += changes
        if problems := self._check_type(new):
            problems += self._validate_beside(new, old)
        else:
            problems = changes  # upstream looks twice (validate_object_meta_update), and says so twice
            problems += self._validate_content(new, old)
            if self._scale is not None:
                problems += self._validate_scale(new)
        return self._check_rules(new, old, problems, warnings, common)

    def _validate_content(self, new: Object, old: Object) -> list[FieldError]:
        return self._schema.validate(new, old)

    def _validate_beside(self, new: Object, old: Object) -> list[FieldError]:
        return self._schema.validate_beside(new, old)

    def _validate_scale(self, new: Object) -> list[FieldError]:
        return validate_scale(new, self._scale)

    def _check_type(self, obj: Object) -> list[FieldError]:
        problems: list[FieldError] = []
        if obj.get("kind") != self._gvk.kind:
            problems.append(field.invalid("kind", obj.get("kind", ""), f"must be {self._gvk.kind}"))
        if obj.get("apiVersion") != self._api_version:
            problems.append(field.invalid("apiVersion", obj.get("apiVersion", ""), f"must be {self._api_version}"))
        return problems

    def _check_rules(
        self,
        obj: Object,
        old: Object | None,
        problems: list[FieldError],
        warnings: list[str],
        common: Sequence[FieldError] = (),
    ) -> Problems:
        """The last check: CEL runs on objects that fit their schema; where rules were skipped, a cause says so.
        `common`: what is wrong with the metadata of any update, which skips no rules."""
        is_blocked = self._rules is not None and any(problem.type in _BLOCKING for problem in problems)
        problems = [*common, *problems] if common else problems
        if self._rules is None:
            return _conclude(obj, old, problems, warnings, [])
        if is_blocked:
            return [*problems, field.invalid(field.NIL_PATH, None, _NOT_ALL_CHECKED)]
        found = self._rules.validate(obj, old, warnings)
        if isinstance(found, list):
            return _conclude(obj, old, problems, warnings, found)
        return partial(_conclude_later, obj, old, problems, warnings, found)

    def check_preconditions(
        self, group: str, resource: APIResource, metadata: dict[str, Any], revision: int, options: deletion.Options
    ) -> None:
        preconditions.check_delete(group, resource.kind, metadata["name"], metadata, revision, options)

    def mark(self, obj: Object, options: deletion.Options) -> Object | None:
        return deletion.mark(obj, options)

    def is_finished(self, obj: Object) -> bool:
        return deletion.is_finished(obj)


_BLOCKING = frozenset((field.NOT_SUPPORTED, field.REQUIRED, field.TOO_LONG, field.TOO_MANY, field.TYPE_INVALID))


class StatusStrategy(CustomResourceStrategy):
    """/status: everything but status (and managedFields) is the old object's."""

    def prepare_for_update(self, new: Object, old: Object) -> None:
        check_has_version(new)
        status = new.get("status")
        has_status = "status" in new
        managed_fields = new["metadata"].get("managedFields")
        new.clear()
        new.update(old)
        new["metadata"] = dict(old["metadata"])
        if managed_fields is None:
            new["metadata"].pop("managedFields", None)
        else:
            new["metadata"]["managedFields"] = managed_fields
        if has_status:
            new["status"] = status
        if not has_status or (status is None and self._is_null_dropped(new, old)):
            new.pop("status", None)

    def _is_null_dropped(self, new: Object, old: Object) -> bool:
        """An apply may give null where nothing was: that is unchanged, so that it passes, and no reader sees it."""
        return "status" not in old and bool(self._schema.validate_status(new, old))

    def _validate_content(self, new: Object, old: Object) -> list[FieldError]:
        return self._schema.validate_status(new, old)

    def _validate_beside(self, new: Object, old: Object) -> list[FieldError]:
        return self._schema.validate_beside(new, old, is_status=True)

    def _validate_scale(self, new: Object) -> list[FieldError]:
        return validate_scale(new, self._scale, status_only=True)


def check_has_version(obj: Object) -> None:
    """Raises InternalError where a patch took the version from an object (upstream: rest.objectMetaAndKind)."""
    if not split_api_version(obj.get("apiVersion") or "")[1]:
        raise InternalError.of("Object 'apiVersion' is missing in 'object has no apiVersion field'")


def warn_of_finalizers(finalizers: list[str], known: list[str], warnings: list[str]) -> None:
    # Names are kept as members: they are freed in pieces.
    fresh: dict[str, None] = {}
    before = dict.fromkeys(known)
    for name in finalizers:
        longsteps.pause()
        if name not in before:
            fresh[name] = None
    offload.hold(before, fresh)
    for name in longsteps.sort(fresh):
        longsteps.pause()
        if "/" not in name and name not in _STANDARD_FINALIZERS:
            text = _PREFER_DOMAIN_WITH_PATH if "." in name else _PREFER_DOMAIN
            warnings.append(f'metadata.finalizers: "{name}": {text}')


# Not closures: a compiled one and what it refers to hold each other, which keeps every object until a collection.
def _conclude(
    obj: Object, old: Object | None, problems: list[FieldError], warnings: list[str], found: list[FieldError]
) -> list[FieldError]:
    """`problems` and what the rules found. Where that is nothing, finalizers are looked at."""
    if not problems and not found and (finalizers := obj["metadata"].get("finalizers")):
        known = (old["metadata"].get("finalizers") or []) if old is not None else []
        warn_of_finalizers(finalizers, known, warnings)
    return problems + found


def _conclude_later(
    obj: Object,
    old: Object | None,
    problems: list[FieldError],
    warnings: list[str],
    find: Callable[[], list[FieldError]],
) -> list[FieldError]:
    return _conclude(obj, old, problems, warnings, find())
