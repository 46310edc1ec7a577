"""Defaults of a schema fit their own schema and hold nothing that would be pruned.

A default within metadata (apiVersion and kind included) has to give good metadata instead: it is put into an object in
which nothing else is set.
Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting/{validation,surroundingobject}.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, final

from quarterdeck._kernels import json as json_kernel
from quarterdeck._kernels import longsteps
from quarterdeck._kernels.schemasurvey import Survey
from quarterdeck.apiextensions.rules import end_of
from quarterdeck.apiextensions.validation import values
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import embeddedobject, metadecode, structural

Schema = dict[str, Any]

_META_FIELDS: Final = frozenset(("metadata", "kind", "apiVersion"))
# What the rules on all defaults of a schema may cost together.
_RULES_COST_MAX: Final = 10_000_000
_NO_PAUSE: Final = 1 << 62


class TakesLong(Exception):
    """The rules on defaults cost more than the caller allowed."""


@dataclass(slots=True)
class Allowance:
    """What the rules on all of a definition's defaults may cost before TakesLong."""

    left: int = 10_000


@final
class _Way:
    """How a schema was come to: through a property, or through the items of a list (None)."""

    __slots__ = ("before", "key")

    def __init__(self, before: _Way | None, key: str | None) -> None:
        self.before = before
        self.key = key

    def steps(self) -> list[str | None]:
        found: list[str | None] = []
        way: _Way | None = self
        while way is not None:
            found.append(way.key)
            way = way.before
        found.reverse()
        return found


@final
class _Place:
    """`resource_depth`: how many steps lead to the resource that the schema is in; `is_resource`: it is that resource's
    own schema. `is_inside_meta`: the schema is of the resource's metadata, apiVersion or kind, or below."""

    __slots__ = ("is_inside_meta", "is_resource", "resource_depth", "schema", "way")

    def __init__(
        self, schema: Schema, way: _Way | None, resource_depth: int, *, is_resource: bool, is_inside_meta: bool
    ) -> None:
        self.schema = schema
        self.way = way
        self.resource_depth = resource_depth
        self.is_resource = is_resource
        self.is_inside_meta = is_inside_meta

    def path(self, root: str) -> str:
        steps = self.way.steps() if self.way is not None else []
        return root + "".join(".items" if key is None else f".properties[{key}]" for key in steps)

    def surround(self, value: Any) -> dict[str, Any]:
        """The resource in which nothing but the value is set."""
        steps = self.way.steps() if self.way is not None else []
        for key in reversed(steps[self.resource_depth :]):
            value = [value] if key is None else {key: value}
        return {"kind": "Validation", "apiVersion": "validation/v1", **value}


@dataclass(slots=True)
class _Costs:
    """`has_rules`: whether there may be rules on defaults at all."""

    budget: int
    allowance: Allowance | None
    has_rules: bool = True

    def spend(self, amount: int) -> None:
        self.budget -= amount
        if self.allowance is not None:
            self.allowance.left -= amount


def validate_defaults(root: Schema, path: str, allowance: Allowance | None = None) -> list[FieldError]:
    """`root` is structural. Defaults in junctors and in additionalProperties are not looked at, as upstream has it.
    Raises TakesLong where rules cost more than is allowed."""
    problems: list[FieldError] = []
    costs = _Costs(_RULES_COST_MAX, allowance)
    stack = [_Place(root, None, 0, is_resource=True, is_inside_meta=False)]
    while stack:
        place = stack.pop()
        longsteps.pause()
        if place.schema.get("default") is not None:
            problems += _validate_default(place, f"{place.path(path)}.default", costs)
            if costs.budget < 0:
                break
        stack += _children(place)
    return problems


def are_right(survey: Survey, root: Schema, allowance: Allowance | None = None) -> bool:
    """Whether `validate_defaults` would object to none of the defaults of an ordinary schema, `root`, none of which
    stands within metadata or within a resource in the object. Raises TakesLong as well."""
    costs = _Costs(_RULES_COST_MAX, allowance, has_rules=survey.has_rules)
    for schema in survey.defaults:
        place = _Place(schema, None, 0, is_resource=schema is root, is_inside_meta=False)
        if _validate_default(place, "", costs) or costs.budget < 0:
            return False
    return True


def _children(place: _Place) -> Iterator[_Place]:
    """The schemas directly within that are not plain."""
    schema, way = place.schema, place.way
    if isinstance(items := schema.get("items"), dict):
        yield _child(place, items, _Way(way, None), is_meta=False)
    for key, child in (schema.get("properties") or {}).items():
        longsteps.pause()
        if not (child.keys() <= structural.PLAIN_KEYWORDS and child.get("type") in structural.PLAIN_TYPES):
            yield _child(place, child, _Way(way, key), is_meta=place.is_resource and key in _META_FIELDS)


def _child(place: _Place, schema: Schema, way: _Way, *, is_meta: bool) -> _Place:
    if schema.get("x-kubernetes-embedded-resource"):
        return _Place(schema, way, len(way.steps()), is_resource=True, is_inside_meta=False)
    return _Place(schema, way, place.resource_depth, is_resource=False, is_inside_meta=is_meta or place.is_inside_meta)


def _validate_default(place: _Place, path: str, costs: _Costs) -> list[FieldError]:
    schema, value = place.schema, place.schema["default"]
    problems: list[FieldError] = []
    if place.is_inside_meta:
        found = _metadata_problems(place, path)
    else:
        if values.has_unknown_fields(value, schema, is_resource=place.is_resource):
            problems.append(field.invalid(path, value, "must not have unknown fields"))
        found = values.resource_problems(value, schema, path, is_resource=place.is_resource)
    found = found or values.schema_problems(value, schema, path)
    if not found and costs.has_rules and Survey(schema).has_rules:
        found = _run_rules(schema, path, costs, is_resource_root=place.is_resource)
    return problems + found


def _metadata_problems(place: _Place, path: str) -> list[FieldError]:
    value = place.schema["default"]
    resource = place.surround(json_kernel.copy(value))
    try:
        embeddedobject.coerce(resource, "")
    except metadecode.DecodeError as error:
        return [field.invalid(path, value, f"must result in valid metadata: {str(error).removeprefix('.')}")]
    if found := embeddedobject.validate(resource, ""):
        plain = [FieldError(each.type, each.path.removeprefix("."), each.bad_value, each.detail) for each in found]
        return [field.invalid(path, value, f"must result in valid metadata: {field.aggregate_message(plain)}")]
    return []


def _run_rules(schema: Schema, path: str, costs: _Costs, *, is_resource_root: bool) -> list[FieldError]:
    """Twice: as an update of the default by itself and, if that is right, as a new value. The dearer one is paid."""
    # Imported late: a server whose definitions have no rules never pays for the language.
    from quarterdeck.cel import crd_rules

    rules = crd_rules.compile_rules(schema, is_root=is_resource_root, path="", checks_texts=False)
    value = schema["default"]
    dearest = 0
    for old in (value, None):
        inline_cost = _NO_PAUSE if costs.allowance is None else max(costs.allowance.left, 0)
        steps = rules.begin(value, old, inline_cost=inline_cost, budget=costs.budget, path=path, ratchet=False)
        result = end_of(steps)
        if result is None:
            raise TakesLong
        dearest = max(dearest, costs.budget - result.budget)
        problems: list[FieldError] = result.errors
        if problems:
            break
    costs.spend(dearest)
    return problems
