"""Defaults of a schema fit their own schema and hold nothing that would be pruned.

Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import json as json_kernel
from quarterdeck.apiextensions.rules import has_rules
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import objectmeta, structural
from quarterdeck.schema.engine import Engine

Schema = dict[str, Any]

_SCALARS = (str, int, float, bool)


def validate_defaults(root: Schema, path: str) -> list[FieldError]:
    if not _has_default(root):
        return []
    problems: list[FieldError] = []
    stack = [(root, path)]
    while stack:
        schema, at = stack.pop()
        if schema.get("default") is not None:
            problems += _validate_default(schema, f"{at}.default", is_root=schema is root)
        stack += [
            (child, f"{at}.{step}")
            for step, child in structural.children(schema)
            if not (child.keys() <= structural.PLAIN_KEYWORDS and child.get("type") in structural.PLAIN_TYPES)
        ]
    return problems


def _has_default(root: Schema) -> bool:
    stack = [root]
    while stack:
        schema = stack.pop()
        if schema.get("default") is not None:
            return True
        stack += structural.inner_schemas(schema)
    return False


def _validate_default(schema: Schema, path: str, *, is_root: bool) -> list[FieldError]:
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
        # Imported late: a server whose definitions have no rules never pays for the language.
        from quarterdeck.cel import crd_rules

        rules = crd_rules.compile_rules(schema, is_root=is_root, path="")
        problems += rules.validate(value, value, path=path, ratchet=False).errors
    return problems


def _below(path: str, problem: FieldError) -> FieldError:
    """An error of the value, at its place in the definition."""
    at = problem.path
    if at in ("", field.NIL_PATH):
        return FieldError(problem.type, path, problem.bad_value, problem.detail)
    return FieldError(problem.type, f"{path}.{at}", problem.bad_value, problem.detail)
