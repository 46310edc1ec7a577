"""What is published, as the builders of documents take it: resources with the names of their types, and schemas.

Source: kube-openapi/pkg/aggregator/aggregator.go for names that are taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from quarterdeck.apis.enablement import is_stable
from quarterdeck.apis.resource import APIResource, GroupVersionKind
from quarterdeck.openapi import builtin_operations, builtin_types, custom_schemas, names, operations
from quarterdeck.openapi.operations import Part, Path, PathResource
from quarterdeck.openapi.publication import Page, Published


@dataclass(slots=True)
class Described:
    """`schemas` are definitions by their names; those of built-in kinds are in the library, not here."""

    resources: list[PathResource] = field(default_factory=list)
    schemas: dict[str, Any] = field(default_factory=dict)


def describe(parts: Iterable[Published | Page], *, is_v2: bool) -> Described:
    described = Described()
    for part in parts:
        if isinstance(part, Page):
            described.resources.append(_page(part))
            continue
        definitions = _add_schemas(described.schemas, part, is_v2) if part.is_custom else _find_types(part.resource)
        if definitions is not None:
            described.resources.append(_path_resource(part, *definitions))
    return described


def _add_schemas(schemas: dict[str, Any], part: Published, is_v2: bool) -> tuple[str, str]:
    resource, selectable = part.resource, [{"fieldPath": path} for path in part.selectable]
    definition = _name_of(resource, resource.kind, is_v2=is_v2)
    listing = _name_of(resource, resource.list_kind, is_v2=is_v2)
    gvk = {"group": resource.group, "kind": resource.kind, "version": resource.version}
    list_gvk = {**gvk, "kind": resource.list_kind}
    # In version 2 kubectl takes known properties for the only ones: where others are preserved there are none.
    schema = None if is_v2 and part.preserves else part.read_schema()
    schemas[definition] = custom_schemas.publish(schema, gvk, selectable, is_v2=is_v2)
    schemas[listing] = custom_schemas.publish_list(definition, list_gvk, resource.name, selectable, is_v2=is_v2)
    return definition, listing


def _name_of(resource: APIResource, kind: str, *, is_v2: bool) -> str:
    """One that a built-in type of the same document has is left to that type. A document of version 3 is that of one
    group and version, where only the types of metadata are beside the definition's own."""
    name = names.definition_name(resource.group, resource.version, kind)
    is_taken = (is_v2 or name.startswith(names.META_PREFIX)) and name in builtin_types.library()
    return f"{name}_v2" if is_taken else name


def _find_types(resource: APIResource) -> tuple[str, str] | None:
    if not is_stable(resource.version):
        builtin_types.add_version(resource.group, resource.version)
    definition = _definitions().get(resource.gvk)
    return None if definition is None else (definition, f"{definition}List")


def _definitions() -> dict[GroupVersionKind, str]:
    return {
        GroupVersionKind(gvk["group"], gvk["version"], gvk["kind"]): name
        for name, gvk in builtin_types.library().kinds()
    }


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
        verbs=None if part.is_custom else frozenset(resource.verbs),
        is_custom=part.is_custom,
        parts=() if part.is_custom else tuple(_parts(resource)),
        returns_deleted=part.returns_deleted,
    )


def _parts(resource: APIResource) -> Iterator[Part]:
    known = _definitions()
    for each in sorted(resource.subresources, key=lambda each: each.name):
        yield Part(each.name, each.gvk, each.verbs, known.get(each.gvk, ""))


def _page(page: Page) -> PathResource:
    path = Path(f"/{page.document}/", (), [builtin_operations.build_page(page)])
    return PathResource("", "", "", "", "", "", namespaced=False, is_custom=False, page=path)
