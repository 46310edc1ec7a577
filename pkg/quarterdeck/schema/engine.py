"""The engine of one schema: prunes, defaults and validates the objects of one version of a custom resource.

Everything that costs is done in the kernel (ext/schema.pyx), one crossing an object; the program is compiled at the
first use, so that versions nobody asks for cost nothing. An engine holds no object and never changes once compiled.
Sources: apiextensions-apiserver pkg/apiserver/customresource_handler.go (unstructuredSchemaCoercer,
unstructuredDefaulter), pkg/registry/customresource/{validator,strategy,status_strategy}.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import findings, objectmeta, plain
from quarterdeck.schema.structural import EMBEDDED, Props, Structural

Object = dict[str, Any]


class Engine:
    """Prunes, defaults and validates against one schema. `is_resource_root`: the root has apiVersion, kind, metadata."""

    __slots__ = ("_is_resource_root", "props")

    def __init__(self, schema: Structural | Props, *, is_resource_root: bool = True) -> None:
        self.props = schema.props if isinstance(schema, Structural) else schema
        self._is_resource_root = is_resource_root

    def prune_and_default(self, obj: Object, *, report_unknown: bool) -> list[str]:
        """What upstream does to a decoded body, in place; the paths of unknown fields when they are asked for.

        Raises objectmeta.DecodeError where metadata (or an embedded resource) cannot be decoded.
        """
        plain.drop_nulls(obj, self.props)
        plain.apply_defaults(obj, self.props)
        unknown: list[str] = []
        if self._is_resource_root and "metadata" in obj:
            obj["metadata"], unknown = objectmeta.decode_object_meta(obj["metadata"])
        unknown += plain.prune_and_default(obj, self.props, self._is_resource_root)
        embedded: list[str] = []
        for path, resource in _embedded(self.props, obj):
            embedded += objectmeta.coerce_embedded(resource, path)
        return unknown + sorted(embedded) if report_unknown else []

    def default(self, obj: Object) -> bool:
        """What upstream does to a stored object when it is read; whether anything changed."""
        before = repr(obj)
        plain.default(obj, self.props)
        return repr(obj) != before

    def validate(self, obj: Object, old: Object | None = None) -> list[FieldError]:
        """Values, list types and embedded resources; with `old`, what an unchanged value does wrong is forgiven."""
        found = plain.Validator()
        found.run(self.props, obj, "", None if old is None else plain.Old(obj, old, self.props))
        errors = findings.to_field_errors(found.findings)
        for path, resource in _embedded(self.props, obj):
            errors += objectmeta.validate_embedded(resource, path)
        return errors + self._validate_lists(obj, old)

    def validate_status(self, obj: Object, old: Object) -> list[FieldError]:
        """An update of the status subresource: only status is looked at, but the lists of the whole object are."""
        errors: list[FieldError] = []
        schema = (self.props.get("properties") or {}).get("status")
        if schema is not None and "status" in obj:
            found = plain.Validator()
            correlated = plain.Old(obj, old, self.props).key("status")
            found.run(schema, obj["status"], "", correlated)
            errors = findings.to_field_errors(found.findings, "status")
        return errors + self._validate_lists(obj, old)

    def _validate_lists(self, obj: Object, old: Object | None) -> list[FieldError]:
        found = plain.check_list_types(self.props, obj, "")
        if found and old is not None and plain.check_list_types(self.props, old, ""):
            return []
        return findings.to_field_errors(found)


def _embedded(schema: Props | None, value: Any, path: str = "") -> list[tuple[str, Object]]:
    found: list[tuple[str, Object]] = []
    if schema is None:
        return found
    if isinstance(value, dict):
        if schema.get(EMBEDDED):
            found.append((path, value))
        for key, item in value.items():
            known = key in (schema.get("properties") or {})
            at = (f"{path}.{key}" if path else key) if known else f"{path}[{key}]"
            found += _embedded(plain.child_schema(schema, key), item, at)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            found += _embedded(schema.get("items"), item, f"{path}[{i}]")
    return found
