"""What is published, as the builders of documents take it: resources with the names of their types, and schemas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from quarterdeck.apis.resource import APIResource
from quarterdeck.openapi import builtin_types, custom_schemas, names, operations
from quarterdeck.openapi.operations import PathResource
from quarterdeck.openapi.publication import Published


@dataclass(slots=True)
class Described:
    """`schemas` are definitions by their names; those of built-in kinds are in the library, not here."""

    resources: list[PathResource] = field(default_factory=list)
    schemas: dict[str, Any] = field(default_factory=dict)


def describe(parts: Iterable[Published], *, is_v2: bool) -> Described:
    described = Described()
    for part in parts:
        definitions = _add_schemas(described.schemas, part, is_v2) if part.is_custom else _find_types(part.resource)
        if definitions is not None:
            described.resources.append(_path_resource(part, *definitions))
    return described


def _add_schemas(schemas: dict[str, Any], part: Published, is_v2: bool) -> tuple[str, str]:
    resource, selectable = part.resource, [{"fieldPath": path} for path in part.selectable]
    definition = names.definition_name(resource.group, resource.version, resource.kind)
    listing = names.definition_name(resource.group, resource.version, resource.list_kind)
    gvk = {"group": resource.group, "kind": resource.kind, "version": resource.version}
    list_gvk = {**gvk, "kind": resource.list_kind}
    schema = part.read_schema()
    schemas[definition] = custom_schemas.publish(schema, gvk, selectable, is_v2=is_v2)
    schemas[listing] = custom_schemas.publish_list(definition, list_gvk, resource.name, selectable, is_v2=is_v2)
    return definition, listing


def _find_types(resource: APIResource) -> tuple[str, str] | None:
    known = {(gvk["group"], gvk["version"], gvk["kind"]): name for name, gvk in builtin_types.library().kinds()}
    definition = known.get((resource.group, resource.version, resource.kind))
    return None if definition is None else (definition, f"{definition}List")


def _path_resource(part: Published, definition: str, listing: str) -> PathResource:
    resource = part.resource
    return PathResource(
        group=resource.group,
        version=resource.version,
        plural=resource.name,
        kind=resource.kind,
        definition=definition,
        list_definition=listing,
        namespaced=resource.namespaced,
        subresources=tuple(
            (each.name, operations.SCALE if each.gvk.kind == "Scale" else definition) for each in resource.subresources
        ),
        is_custom=part.is_custom,
    )
