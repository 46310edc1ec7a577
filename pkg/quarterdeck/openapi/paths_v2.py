"""OpenAPI v2 (Swagger): the paths of what one source serves, for the one document of everything.

Source: kube-openapi/pkg/builder/openapi.go; apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from quarterdeck.openapi import names, operations
from quarterdeck.openapi.operations import Operation, Parameter, Path, PathResource

Schema = dict[str, Any]

_REF: Final = "#/definitions/"
_PATCH_TYPES: Final = ("application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml")
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_CUSTOM_TYPES: Final = ("application/json", "application/yaml")
_BUILTIN_TYPES: Final = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_UNAUTHORIZED: Final = {"description": "Unauthorized"}


def build_paths(resources: Iterable[PathResource]) -> tuple[dict[str, Schema], set[str]]:
    """The path items of `resources`, and the names of the definitions that these refer to."""
    return operations.collect_paths(resources, _build_path)


def _build_path(resource: PathResource, path: Path) -> Schema:
    gvk = {"group": resource.group, "kind": resource.kind, "version": resource.version}
    tag = names.tag(resource.group, resource.version)
    built = {operation.method: _build_operation(resource, operation, tag, gvk) for operation in path.operations}
    return built | {"parameters": [_build_parameter(parameter) for parameter in path.parameters]}


def _build_operation(resource: PathResource, operation: Operation, tag: str, gvk: Schema) -> Schema:
    media_types = _CUSTOM_TYPES if resource.is_custom else _BUILTIN_TYPES
    consumes: Iterable[str] = media_types
    if operation.action == "patch":
        consumes = _PATCH_TYPES if resource.is_custom else (*_PATCH_TYPES, _STRATEGIC)
    parameters = [_build_parameter(parameter) for parameter in operation.parameters]
    if operation.body:
        body: Schema = {"in": "body", "name": "body", "schema": {"$ref": _REF + operation.body}}
        parameters.insert(0, body | {"required": True} if operation.is_body_required else body)
    responses: Schema = {
        code: {"description": description, "schema": {"$ref": _REF + operation.answer}}
        for code, description in operation.codes
    }
    return {
        "consumes": list(consumes),
        "description": operation.description,
        "operationId": operation.operation_id,
        "parameters": parameters,
        "produces": list(media_types),
        "responses": responses | {"401": _UNAUTHORIZED},
        "schemes": ["https"],
        "tags": [tag],
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": gvk,
    }


def _build_parameter(parameter: Parameter) -> Schema:
    built: Schema = {"description": parameter.description, "in": parameter.place, "name": parameter.name}
    if parameter.place == "path":
        built["required"] = True
    return built | {"type": parameter.type, "uniqueItems": True}
