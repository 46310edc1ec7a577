"""OpenAPI v3: the paths of what one source serves in a version of a group.

Source: kube-openapi/pkg/builder3/openapi.go, pkg/spec3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck.openapi import paths
from quarterdeck.openapi.operations import Operation, Parameter, PathResource
from quarterdeck.openapi.paths import Schema

_REF: Final = "#/components/schemas/"
_PATCH_TYPES: Final = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
)
_CUSTOM_TYPES: Final = ("application/json", "application/yaml")
_UNAUTHORIZED: Final = {"description": "Unauthorized"}


def build_paths(resources: Iterable[PathResource]) -> tuple[dict[str, Schema], set[str]]:
    """The path items of `resources`, and the names of the schemas that these refer to."""
    return paths.build(resources, _build_operation, _build_parameter)


def _build_operation(operation: Operation, tag: str, gvk: Schema) -> Schema:
    media_types = sorted(operation.produces or _CUSTOM_TYPES)
    built: Schema = {
        "tags": [operation.tag or tag],
        "description": operation.description,
        "operationId": operation.operation_id,
    }
    if operation.parameters:
        built["parameters"] = [_build_parameter(parameter) for parameter in operation.parameters]
    if operation.body:
        built["requestBody"] = _build_body(operation)
    answer = _content(media_types, operation.answer)
    built["responses"] = {
        code: {"description": description, "content": answer} for code, description in operation.codes
    } | {"401": _UNAUTHORIZED}
    if not operation.action:
        return built
    shown = operation.gvk._asdict() if operation.gvk else gvk
    return built | {"x-kubernetes-action": operation.action, "x-kubernetes-group-version-kind": shown}


def _build_body(operation: Operation) -> Schema:
    media_types = operation.consumes or (_PATCH_TYPES if operation.action == "patch" else _CUSTOM_TYPES)
    body: Schema = {"content": _content(media_types, operation.body)}
    return body | {"required": True} if operation.is_body_required else body


def _content(media_types: Iterable[str], definition: str) -> Schema:
    media_type: Schema = {"schema": {"$ref": _REF + definition} if definition else {"type": "string"}}
    return dict.fromkeys(media_types, media_type)


def _build_parameter(parameter: Parameter) -> Schema:
    built: Schema = {"name": parameter.name, "in": parameter.place, "description": parameter.description}
    if parameter.place == "path":
        built["required"] = True
    return built | {"schema": {"type": parameter.type, "uniqueItems": True}}
