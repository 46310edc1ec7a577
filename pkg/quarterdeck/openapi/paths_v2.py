"""OpenAPI v2 (Swagger): the paths of what one source serves, for the one document of everything.

Source: kube-openapi/pkg/builder/openapi.go; apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck.openapi import paths
from quarterdeck.openapi.operations import Operation, Parameter, PathResource
from quarterdeck.openapi.paths import Schema

_REF: Final = "#/definitions/"
_PATCH_TYPES: Final = ("application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml")
_CUSTOM_TYPES: Final = ("application/json", "application/yaml")
_UNAUTHORIZED: Final = {"description": "Unauthorized"}


def build_paths(resources: Iterable[PathResource]) -> tuple[dict[str, Schema], set[str]]:
    """The path items of `resources`, and the names of the definitions that these refer to."""
    return paths.build(resources, _build_operation, _build_parameter)


def _build_operation(operation: Operation, tag: str, gvk: Schema) -> Schema:
    media_types = operation.produces or _CUSTOM_TYPES
    consumes = operation.consumes or (_PATCH_TYPES if operation.action == "patch" else media_types)
    parameters = [_build_parameter(parameter) for parameter in operation.parameters]
    if operation.body:
        body: Schema = {"in": "body", "name": "body", "schema": {"$ref": _REF + operation.body}}
        parameters.insert(0, body | {"required": True} if operation.is_body_required else body)
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


def _build_parameter(parameter: Parameter) -> Schema:
    built: Schema = {"description": parameter.description, "in": parameter.place, "name": parameter.name}
    if parameter.place == "path":
        built["required"] = True
    return built | {"type": parameter.type, "uniqueItems": True}
