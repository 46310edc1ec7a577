"""The engine of one schema: prunes, defaults and validates the objects of one version of a custom resource.

Everything that costs is done in the kernels (ext/schema*.pyx), one crossing an object; the program is compiled at the
first use, so that versions nobody asks for cost nothing. An engine holds no object and never changes once compiled.
Sources: apiextensions-apiserver pkg/apiserver/customresource_handler.go (unstructuredSchemaCoercer,
unstructuredDefaulter, schemaCoercingConverter), pkg/registry/customresource/{validator,strategy,status_strategy}.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from quarterdeck._kernels import (
    fieldset,
    longsteps,
    plainmeta,
    schema_check,
    schema_engine,
    schema_findings,
    schema_lists,
    schema_walk,
    schemameta,
)
from quarterdeck._kernels import schema as kernel
from quarterdeck.apimachinery import gofmt, patterns
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import embeddedobject, findings, formats, metadecode
from quarterdeck.schema.structural import Props, Structural

Object = dict[str, Any]
_Embedded = Sequence[tuple[str, Object]]
_Format = tuple[str, formats.Checker | None]

_walk = schema_walk.walk
_is_plain_object_meta = plainmeta.is_plain_object_meta
_is_valid = schema_check.is_valid

# Differs from upstream: an answer names no more than so many causes. A body of 3 MiB can hold a million wrong values
# below a path of thousands of names; upstream spends minutes and gigabytes on wording each.
FINDINGS_MAX: Final = 20_000
FINDING_PATHS_CHARS_MAX: Final = 16 << 20

_MAY_BE_EMPTY: Final = ("annotations", "finalizers", "labels", "managedFields", "ownerReferences")
_CREATE_DROPS: Final = frozenset(("deletionTimestamp", "deletionGracePeriodSeconds"))
_CLIENTS_OWN: Final = _CREATE_DROPS | {"annotations", "finalizers", "generateName", "labels", "ownerReferences"}


class Engine(schema_engine.EngineBase):
    """Prunes, defaults and validates against one schema.

    `schema` may be a function that reads it: a schema takes far more memory than its program, and may never be needed.
    `is_resource_root`: the root has apiVersion, kind and metadata, whether the schema says so or not.
    `keeps_formats`: those too that are unknown to the type. `preserves`: unknown fields and nulls stay, whatever the
    schema says of them.
    """

    __slots__ = ("_format_of", "_schema", "_status_program", "preserves")

    def __init__(
        self,
        schema: Structural | Props | Callable[[], Props],
        *,
        is_resource_root: bool = True,
        keeps_formats: bool = False,
        preserves: bool = False,
    ) -> None:
        self._schema = schema.props if isinstance(schema, Structural) else schema
        self._format_of = _any_format_of if keeps_formats else _format_of
        self.preserves = preserves
        self.is_resource_root = is_resource_root
        self._status_program: kernel.Program | None = None

    @property
    def program(self) -> kernel.Program:
        """The compiled schema, made at the first use."""
        if self.compiled is None:
            program = _compile(self._schema() if callable(self._schema) else self._schema, self._format_of)
            program.preserves = self.preserves
            self.compiled = program
        return self.compiled

    def prune(self, obj: Object) -> None:
        """What upstream does to an object that has been converted to this version: no default is applied."""
        _, unknown, embedded = _walk(self.program, obj, self.is_resource_root, False, False)
        self.coerce(obj, unknown, embedded)

    def prune_foreign(self, obj: Object) -> bool:
        """What upstream does to an object as it is read from the store, of one that another hand has stored: what does
        not fit is dropped. Whether anything was changed."""
        changed, _, embedded = _walk(self.program, obj, self.is_resource_root, False, False)
        changed = self.coerce_leniently(embedded) or changed
        metadata = metadecode.decode_object_meta_leniently(obj.get("metadata"))
        if metadata is None:
            return changed
        if not metadata.get("generation"):  # of objects from before there was one
            metadata = dict(sorted({**metadata, "generation": 1}.items()))
        changed = changed or metadata != obj.get("metadata")
        obj["metadata"] = metadata
        return changed

    def coerce_leniently(self, embedded: _Embedded) -> bool:
        changed = False
        for _, resource in embedded:
            if not _is_plain_resource(resource):
                before = dict(resource)
                embeddedobject.coerce_leniently(resource)
                changed = changed or not fieldset.equal(before, resource)
        return changed

    def default_admitted(self, obj: Object, *, drops_nulls: bool = False) -> None:
        """What upstream does to an object that a mutation of admission made: it gets defaults, and nothing else.
        `drops_nulls`: nor does a null stay that the schema neither allows nor has a default for."""
        _walk(self.program, obj, self.is_resource_root, True, False, not drops_nulls, True)

    def settle_admitted(self, obj: Object) -> None:
        """The metadata of what admission made of an object, as upstream will show it, and with what is empty in it
        until it is stored. That of resources within stays, for it is validated, and a change of the object."""
        metadata = obj.get("metadata")
        self.settle(obj)
        if isinstance(metadata, dict):
            obj["metadata"].update({name: metadata[name] for name in _MAY_BE_EMPTY if metadata.get(name) in ({}, [])})

    def drop_unseen(self, obj: Object) -> bool:
        """What whoever reads the object does not see goes, and defaults come; whether anything changed."""
        changed = self.default(obj)
        if _is_plain_object_meta(obj.get("metadata")):
            return changed
        self._decode_metadata(obj)
        return True

    def settle(self, obj: Object) -> bool:
        """Decodes the object's own metadata, which an apply or admission made. Whether what goes would be stored."""
        return not _is_plain_object_meta(obj.get("metadata")) and self._decode_metadata(obj)

    def _decode_metadata(self, obj: Object) -> bool:
        """As `settle`, where metadata is known not to be plain."""
        metadata = obj.get("metadata")
        obj["metadata"] = decoded = metadecode.decode_object_meta_leniently(metadata) or {}
        if isinstance(metadata, dict) and "ownerReferences" not in decoded:
            owners = metadecode.nameless_owners(metadata.get("ownerReferences"))
            decoded.update({"ownerReferences": owners} if owners else {})
        return _stores_more(metadata)

    def holds_more(self, embedded: _Embedded) -> bool:
        return not all(_is_plain_resource(resource) for _, resource in embedded)

    def find_errors(self, obj: Object, old: Object | None) -> list[FieldError]:
        """`validate`, where it takes more than the kernel's glance."""
        program = self.program
        is_valid = _is_valid(program, obj)
        if is_valid and not program.has_embedded:
            return []
        errors: list[FieldError] = []
        if not is_valid:
            errors = _errors_of(program, obj, schema_findings.ABSENT if old is None else old, "")
        for path, resource in schema_walk.list_embedded(program, obj):
            errors += embeddedobject.validate(resource, path)
        return errors if is_valid else errors + self._list_errors(obj, old)

    def validate_status(self, obj: Object, old: Object) -> list[FieldError]:
        """An update of the status subresource: of values only status is looked at, of list types the whole object."""
        errors: list[FieldError] = []
        program = self._status()
        if program is not None and "status" in obj and not _is_valid(program, obj["status"]):
            errors = _errors_of(program, obj["status"], old.get("status", schema_findings.ABSENT), "status")
        return errors + self._list_errors(obj, old)

    def validate_beside(self, obj: Object, old: Object | None = None, *, is_status: bool = False) -> list[FieldError]:
        """What is looked at in an object of another kind, whose values are not: embedded resources (but for a status),
        and lists."""
        errors: list[FieldError] = []
        for path, resource in () if is_status else schema_walk.list_embedded(self.program, obj):
            errors += embeddedobject.validate(resource, path)
        return errors + self._list_errors(obj, old)

    def validate_value(self, value: Any, path: str) -> list[FieldError]:
        """The schema's own rules alone, for a value at `path` that is no object of its own (a default)."""
        return [] if _is_valid(self.program, value) else _errors_of(self.program, value, schema_findings.ABSENT, path)

    def _status(self) -> kernel.Program | None:
        if self._status_program is None:
            self._status_program = self.program.child("status")
        return self._status_program

    def coerce(self, obj: Object, unknown: Sequence[str], embedded: _Embedded) -> list[str]:
        """Decodes metadata, the object's own and that of embedded resources; all paths of unknown fields."""
        found = list(unknown)
        if self.is_resource_root and not _is_plain_object_meta(obj.get("metadata")) and "metadata" in obj:
            obj["metadata"], of_metadata = metadecode.decode_object_meta(obj["metadata"])
            found = of_metadata + found
        if embedded:
            of_embedded: list[str] = []
            for path, resource in embedded:
                of_embedded += embeddedobject.coerce(resource, path)
            found += sorted(of_embedded)
        return found

    def _list_errors(self, obj: Object, old: Object | None) -> list[FieldError]:
        """Duplicates in lists of type set and map; one duplicate of old switches the check off for the whole object."""
        found = schema_lists.find_in_lists(self.program, obj)
        if found and old is not None and schema_lists.find_in_lists(self.program, old):
            return []
        return findings.to_field_errors(found)


def _compile(props: Props, format_of: Callable[[str, str], _Format | None]) -> kernel.Program:
    program = kernel.Program(props, format_of, patterns.matcher, typed_key, gofmt.format_json)
    schema_walk.complete_defaults(program, schemameta.nodes_within(program))
    return program


def _errors_of(program: kernel.Program, value: Any, old: Any, base: str) -> list[FieldError]:
    found = schema_findings.find(program, value, old, FINDINGS_MAX, FINDING_PATHS_CHARS_MAX)
    return findings.to_field_errors(found, base)


def _stores_more(metadata: Any) -> bool:
    """Whether what decoding drops of an object's own metadata would be stored. The rest is set by the server."""
    if not isinstance(metadata, dict):
        return False
    names = _CLIENTS_OWN if metadata.get("uid") else _CLIENTS_OWN - _CREATE_DROPS
    return not _is_plain_object_meta({name: metadata[name] for name in names if name in metadata})


def _is_plain_resource(resource: Object) -> bool:
    if "metadata" in resource and not _is_plain_object_meta(resource["metadata"]):
        return False
    return all(isinstance(resource.get(name, ""), str) for name in ("apiVersion", "kind"))


def _format_of(schema_type: str, name: str) -> _Format | None:
    if not formats.is_recognized(schema_type, name):
        return None
    return formats.normalize(name), formats.checker(name) if schema_type in ("", "string") else None


def _any_format_of(_schema_type: str, name: str) -> _Format:
    return formats.normalize(name), formats.checker(name)


def typed_key(value: Any) -> str:
    """A text that two values share exactly where Go's DeepEqual holds: 1 and 1.0 differ, the order of keys does not."""
    out: list[str] = []
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, _Literal):
            out.append(item)
        elif isinstance(item, dict):
            out.append("{")
            stack.append(_Literal("}"))
            for key in reversed(longsteps.sort(item)):
                stack += (item[key], _Literal(f"{key!r}:"))
        elif isinstance(item, list):
            out.append("[")
            stack.append(_Literal("]"))
            stack.extend(reversed(item))
        else:
            out.append(f"{item!r},")
    return "".join(out)


class _Literal(str):
    """Text that is to be written as it stands."""

    __slots__ = ()
