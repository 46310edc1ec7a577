"""What a definition says of one of its versions: how it is served, what its tables show, what may be selected.

Source: apiextensions-apiserver/pkg/apiserver/customresource_{discovery_controller,handler}.go,
pkg/apiserver/schema/defaulting/algorithm.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apis.resource import APIResource, GroupVersionKind, PrinterColumn, Subresource
from quarterdeck.discovery import version_order
from quarterdeck.discovery.documents import storage_version_hash
from quarterdeck.registry.customresource.selectable import selectable_values
from quarterdeck.registry.scale import split_json_path
from quarterdeck.registry.strategy import Object, copy_value
from quarterdeck.schema.engine import Engine
from quarterdeck.storage.cacher import Attributes

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_Attributes: Final = Attributes

SCALE_KIND: Final = GroupVersionKind("autoscaling", "v1", "Scale")
_SUBRESOURCE_VERBS: Final = ("get", "patch", "update")
# What discovery says of a resource whose definition is being deleted: nothing new can be made.
_TERMINATING_VERBS: Final = ("delete", "deletecollection", "get", "list", "watch")
_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")

Definition = Mapping[str, Any]


def build_resource(definition: Definition, version: Definition, storage_version: str) -> APIResource:
    """The resource that a definition describes in one of its versions, under the names that were accepted."""
    spec, names = definition["spec"], definition["status"]["acceptedNames"]
    group, kind = spec["group"], names["kind"]
    gvk = GroupVersionKind(group, version["name"], kind)
    is_storage_served = any(each["name"] == storage_version and each["served"] for each in spec["versions"])
    subresources = []
    declared = version.get("subresources") or {}
    if declared.get("status") is not None:
        subresources.append(Subresource("status", gvk, _SUBRESOURCE_VERBS))
    if declared.get("scale") is not None:
        subresources.append(Subresource("scale", SCALE_KIND, _SUBRESOURCE_VERBS))
    return APIResource(
        group=group,
        version=version["name"],
        name=names["plural"],
        singular=names.get("singular", ""),
        kind=kind,
        list_kind=names.get("listKind", ""),
        namespaced=spec["scope"] == "Namespaced",
        verbs=_TERMINATING_VERBS if is_terminating(definition) else _VERBS,
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        storage_version_hash=storage_version_hash(group, storage_version, kind) if is_storage_served else "",
        subresources=tuple(subresources),
    )


def is_terminating(definition: Definition) -> bool:
    return conditions.is_true(dict(definition), conditions.TERMINATING)


def selectable_paths(version: Definition) -> list[str]:
    return [entry["jsonPath"] for entry in version.get("selectableFields") or []]


@lru_cache(maxsize=1024)
def attributes_by(paths: tuple[str, ...]) -> Callable[[Object], Attributes]:
    """The same function again for the same paths: what it has found out about objects stays true then."""
    return partial(attributes_of, paths)


def attributes_of(paths: tuple[str, ...], obj: Object) -> Attributes:
    """What selectors see of an object that is being written."""
    fields = selectable_values(obj, paths) if paths else {}
    return _Attributes(obj["metadata"].get("labels") or {}, fields)


def fields_as_read(engines: Mapping[str, Engine], paths: tuple[str, ...], obj: Object) -> dict[str, str]:
    """The selectable fields of a stored object that an earlier schema may have let in: the present one reads it. What
    is being written has gone through that one already."""
    engine = engines.get(obj.get("apiVersion", ""))
    if engine is not None:
        obj = copy_value(obj)
        engine.default(obj)
    return selectable_values(obj, paths)


def is_first(definition: Definition) -> bool:
    """Whether all objects were written by the definition as it is."""
    return bool(definition["metadata"].get("generation", 1) == 1)


def printer_columns(version: Definition) -> list[PrinterColumn]:
    return [
        PrinterColumn(
            name=column["name"],
            type=column["type"],
            json_path=column["jsonPath"],
            format=column.get("format", ""),
            description=column.get("description", ""),
            priority=column.get("priority", 0),
        )
        for column in version.get("additionalPrinterColumns") or []
    ]


def deprecation_warning(definition: Definition, version: Definition) -> str:
    if not version.get("deprecated"):
        return ""
    if given := version.get("deprecationWarning"):
        return str(given)
    spec = definition["spec"]
    group, kind = spec["group"], spec["names"]["kind"]
    text = f"{group}/{version['name']} {kind} is deprecated"
    newer = [
        other["name"]
        for other in spec["versions"]
        if other["served"]
        and not other.get("deprecated")
        and version_order.sort_key(other["name"]) < version_order.sort_key(version["name"])
    ]
    if not newer:
        return text
    return f"{text}; use {group}/{version_order.sort_versions(newer)[0]} {kind}"


def replicas_path(version: Definition) -> tuple[str, ...] | None:
    """The names on the way to the replicas that a version's scale shows; None without a scale."""
    scale = (version.get("subresources") or {}).get("scale")
    return tuple(split_json_path(scale["specReplicasPath"])) if scale is not None else None
