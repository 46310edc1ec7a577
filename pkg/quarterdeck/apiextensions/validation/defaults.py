"""Defaults of a schema fit their own schema and hold nothing that would be pruned.

Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from quarterdeck._kernels import json as json_kernel
from quarterdeck.apiextensions.rules import end_of, has_rules
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import objectmeta, structural
from quarterdeck.schema.engine import Engine

Schema = dict[str, Any]

_SCALARS = (str, int, float, bool)
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
# What the rules on all defaults of a schema may cost together.
_RULES_COST_MAX: Final = 10_000_000
_NO_PAUSE: Final = 1 << 62


class TakesLong(Exception):
    """The rules on defaults cost more than the caller allowed."""


@dataclass(slots=True)
class Allowance:
    """What the rules on all of a definition's defaults may cost before TakesLong."""

    left: int = 10_000


class _Way(NamedTuple):
    """How a schema was come to; few are asked for their path."""

    before: _Way | None
    member: str
    key: str | int | None

    def path(self, root: str) -> str:
        steps = []
        way: _Way | None = self
        while way is not None:
            steps.append(way.member if way.key is None else f"{way.member}[{way.key}]")
            way = way.before
        return ".".join([root, *reversed(steps)])


@dataclass(slots=True)
class _Costs:
    budget: int
    allowance: Allowance | None

    def spend(self, amount: int) -> None:
        self.budget -= amount
        if self.allowance is not None:
            self.allowance.left -= amount


def validate_defaults(root: Schema, path: str, allowance: Allowance | None = None) -> list[FieldError]:
    """Raises TakesLong where rules cost more than is allowed."""
    if not _has_default(root):
        return []
    problems: list[FieldError] = []
    costs = _Costs(_RULES_COST_MAX, allowance)
    stack: list[tuple[Schema, _Way | None]] = [(root, None)]
    while stack:
        schema, way = stack.pop()
        if schema.get("default") is not None:
            at = way.path(path) if way is not None else path
            problems += _validate_default(schema, f"{at}.default", costs, is_root=schema is root)
            if costs.budget < 0:
                break
        stack += _children(schema, way)
    return problems


def _children(schema: Schema, way: _Way | None) -> Iterator[tuple[Schema, _Way]]:
    """The schemas directly within that are not plain."""
    for junctor in _JUNCTORS:
        if junctor in schema:
            for position, clause in enumerate(schema[junctor] or ()):
                yield clause, _Way(way, junctor, position)
    for member in ("not", "items", "additionalProperties"):
        if isinstance(child := schema.get(member), dict):
            yield child, _Way(way, member, None)
    for key, child in (schema.get("properties") or {}).items():
        if not (child.keys() <= structural.PLAIN_KEYWORDS and child.get("type") in structural.PLAIN_TYPES):
            yield child, _Way(way, "properties", key)


def _has_default(root: Schema) -> bool:
    stack = [root]
    while stack:
        schema = stack.pop()
        if schema.get("default") is not None:
            return True
        stack += structural.inner_schemas(schema)
    return False


def _validate_default(schema: Schema, path: str, costs: _Costs, *, is_root: bool) -> list[FieldError]:
    value = schema["default"]
    if schema.get("x-kubernetes-int-or-string"):
        return []  # upstream's validator takes anything there
    is_embedded = is_root or bool(schema.get("x-kubernetes-embedded-resource"))
    bare = {name: inner for name, inner in schema.items() if name != "default"}
    engine = Engine(bare, is_resource_root=is_embedded)
    problems: list[FieldError] = []
    if not isinstance(value, _SCALARS):
        # What is pruned is always an object: the value stands in one.
        holder = {"value": json_kernel.copy(value)}
        try:
            Engine({"type": "object", "properties": {"value": bare}}, is_resource_root=False).prune(holder)
        except objectmeta.DecodeError as error:
            return [field.invalid(path, value, f"must result in valid metadata: {error}")]
        if holder["value"] != value:
            problems.append(field.invalid(path, value, "must not have unknown fields"))
    problems += [_below(path, problem) for problem in engine.validate_value(value, "")]
    if is_embedded and isinstance(value, dict):
        problems += objectmeta.validate_embedded(value, path)
    if not problems and has_rules(schema):
        problems = _run_rules(schema, path, costs, is_resource_root=is_embedded)
    return problems


def _run_rules(schema: Schema, path: str, costs: _Costs, *, is_resource_root: bool) -> list[FieldError]:
    """Twice: as an update of the default by itself and, if that is right, as a new value. The dearer one is paid."""
    # Imported late: a server whose definitions have no rules never pays for the language.
    from quarterdeck.cel import crd_rules

    rules = crd_rules.compile_rules(schema, is_root=is_resource_root, path="")
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


def _below(path: str, problem: FieldError) -> FieldError:
    """An error of the value, at its place in the definition."""
    at = problem.path
    if at in ("", field.NIL_PATH):
        return FieldError(problem.type, path, problem.bad_value, problem.detail)
    return FieldError(problem.type, f"{path}.{at}", problem.bad_value, problem.detail)
