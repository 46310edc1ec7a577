"""OpenAPI v2 (Swagger): the paths of what one source serves, for the one document of everything.

Source: kube-openapi/pkg/builder/openapi.go; apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from quarterdeck.openapi import paths, shared_parameters
from quarterdeck.openapi.operations import Operation, Parameter, PathResource
from quarterdeck.openapi.paths import Schema

_REF: Final = "#/definitions/"
_PATCH_TYPES: Final = ("application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml")
_CUSTOM_TYPES: Final = ("application/json", "application/yaml")
_UNAUTHORIZED: Final = {"description": "Unauthorized"}


def build_paths(resources: Iterable[PathResource]) -> tuple[dict[str, Schema], set[str], dict[str, Schema]]:
    """The path items of `resources`, the names of the definitions that these refer to, and the parameters."""
    shared: dict[str, Schema] = {}
    items, needed = paths.build(resources, partial(_build_operation, shared), partial(_build_parameter, shared))
    return items, needed, shared


def _build_operation(shared: dict[str, Schema], operation: Operation, tag: str, gvk: Schema) -> Schema:
    media_types = operation.produces or _CUSTOM_TYPES
    consumes = operation.consumes or (_PATCH_TYPES if operation.action == "patch" else media_types)
    parameters = [_build_parameter(shared, parameter) for parameter in operation.parameters]
    if operation.body:
        parameters.insert(0, _build_body(shared, operation.body, is_required=operation.is_body_required))
    responses: Schema = {
        code: {"description": description, "schema": _answer(operation)} for code, description in operation.codes
    }
    built: Schema = {
        "consumes": list(consumes),
        "description": operation.description,
        "operationId": operation.operation_id,
        **({"parameters": parameters} if parameters else {}),
        "produces": list(media_types),
        "responses": responses | {"401": _UNAUTHORIZED},
        "schemes": ["https"],
        "tags": [operation.tag or tag],
    }
    if operation.tag and not operation.consumes:
        del built["consumes"]
    if operation.action:
        shown = operation.gvk._asdict() if operation.gvk else gvk
        built |= {"x-kubernetes-action": operation.action, "x-kubernetes-group-version-kind": shown}
    return built


def _answer(operation: Operation) -> Schema:
    return {"$ref": _REF + operation.answer} if operation.answer else {"type": "string"}


def _build_parameter(shared: dict[str, Schema], parameter: Parameter) -> Schema:
    # What is said of a name tells the kind, so that no two share it.
    found = shared_parameters.share(parameter) if parameter.name != "name" else None
    return shared_parameters.describe(parameter) if found is None else _refer(shared, *found)


def _build_body(shared: dict[str, Schema], definition: str, *, is_required: bool) -> Schema:
    found = shared_parameters.share_body(definition, is_required=is_required)
    if found is None:
        return shared_parameters.describe_body(definition, is_required=is_required)
    return _refer(shared, *found)


def _refer(shared: dict[str, Schema], name: str, told: Schema) -> Schema:
    shared[name] = told
    return {"$ref": shared_parameters.REFERENCE + name}
