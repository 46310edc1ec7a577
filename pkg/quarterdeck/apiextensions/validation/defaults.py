"""Defaults of a schema fit their own schema and hold nothing that would be pruned.

A default within metadata (apiVersion and kind included) has to give good metadata instead: it is put into an object in
which nothing else is set.
Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from quarterdeck._kernels import json as json_kernel
from quarterdeck._kernels import longsteps
from quarterdeck._kernels.schemasurvey import Survey
from quarterdeck.apiextensions.rules import end_of
from quarterdeck.apiextensions.validation import values
from quarterdeck.apiextensions.validation.places import Place, children
from quarterdeck.apiextensions.validation.tolerance import NO_TOLERANCE, Tolerance
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import embeddedobject, metadecode

Schema = dict[str, Any]

# What the rules on all defaults of a schema may cost together.
_RULES_COST_MAX: Final = 10_000_000
_NO_PAUSE: Final = 1 << 62


class TakesLong(Exception):
    """The rules on defaults cost more than the caller allowed."""


@dataclass(slots=True)
class Allowance:
    """What the rules on all of a definition's defaults may cost before TakesLong."""

    left: int = 10_000


class Demands(NamedTuple):
    """What is asked of a schema. `is_structural`: that it is structural; `version`: the one whose it is."""

    allowance: Allowance | None = None
    tolerance: Tolerance = NO_TOLERANCE
    is_structural: bool = True
    version: str = ""


NO_DEMANDS: Final = Demands()


@dataclass(slots=True)
class _Costs:
    """`has_rules`: whether there may be rules on defaults at all."""

    budget: int
    demands: Demands
    has_rules: bool = True

    def spend(self, amount: int) -> None:
        self.budget -= amount
        if self.demands.allowance is not None:
            self.demands.allowance.left -= amount


def validate_defaults(root: Schema, path: str, demands: Demands = NO_DEMANDS) -> list[FieldError]:
    """`root` is structural. Defaults in junctors and in additionalProperties are not looked at, as upstream has it.
    Raises TakesLong where rules cost more than is allowed."""
    problems: list[FieldError] = []
    costs = _Costs(_RULES_COST_MAX, demands)
    stack = [Place(root, None, 0, is_resource=True, is_inside_meta=False)]
    while stack:
        place = stack.pop()
        longsteps.pause()
        if place.schema.get("default") is not None:
            problems += _validate_default(place, f"{place.path(path)}.default", costs)
            if costs.budget < 0:
                break
        stack += children(place)
    return problems


def are_right(survey: Survey, root: Schema, demands: Demands = NO_DEMANDS) -> bool:
    """Whether `validate_defaults` would object to none of the defaults of an ordinary schema, `root`, none of which
    stands within metadata or within a resource in the object. Raises TakesLong as well."""
    costs = _Costs(_RULES_COST_MAX, demands, has_rules=survey.has_rules)
    for schema in survey.defaults:
        place = Place(schema, None, 0, is_resource=schema is root, is_inside_meta=False)
        if _validate_default(place, "", costs) or costs.budget < 0:
            return False
    return True


def _validate_default(place: Place, path: str, costs: _Costs) -> list[FieldError]:
    schema, value = place.schema, place.schema["default"]
    problems: list[FieldError] = []
    if place.is_inside_meta:
        found = _metadata_problems(place, path)
    else:
        is_unpruned = values.has_unknown_fields(value, schema, is_resource=place.is_resource)
        if is_unpruned and not costs.demands.tolerance.has_unpruned_defaults:
            problems.append(field.invalid(path, value, "must not have unknown fields"))
        found = values.resource_problems(value, schema, path, is_resource=place.is_resource)
    found = found or values.schema_problems(value, schema, path)
    if not found and costs.has_rules and Survey(schema).has_rules:
        found = _run_rules(schema, path, costs, is_resource_root=place.is_resource)
    return problems + found


def _metadata_problems(place: Place, path: str) -> list[FieldError]:
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
    value, allowance = schema["default"], costs.demands.allowance
    dearest = 0
    for old in (value, None):
        inline_cost = _NO_PAUSE if allowance is None else max(allowance.left, 0)
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
