"""The path items of resources, built in or custom: what both OpenAPI versions have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.openapi import builtin_operations, names, operations
from quarterdeck.openapi.operations import Operation, Parameter, Path, PathResource

Schema = dict[str, Any]
BuildOperation = Callable[[Operation, str, Schema], Schema]
BuildParameter = Callable[[Parameter], Schema]


def build(
    resources: Iterable[PathResource], build_operation: BuildOperation, build_parameter: BuildParameter
) -> tuple[dict[str, Schema], set[str]]:
    """The path items by address, and the names of the schemas that these refer to. `build_operation` is given an
    operation, its resource's tag and its resource's kind."""
    items: dict[str, Schema] = {}
    needed: set[str] = set()
    for resource in resources:
        gvk = GroupVersionKind(resource.group, resource.version, resource.kind)._asdict()
        tag = names.tag(resource.group, resource.version)
        for path in _paths_of(resource):
            item: Schema = {operation.method: build_operation(operation, tag, gvk) for operation in path.operations}
            if path.parameters:
                item["parameters"] = [build_parameter(parameter) for parameter in path.parameters]
            items[path.path] = item
            for operation in path.operations:
                needed |= {operation.answer, operation.body} - {""}
    return items, needed


def _paths_of(resource: PathResource) -> Iterator[Path]:
    """In the order of their addresses, as documents list them."""
    if resource.page is not None:
        yield resource.page
    elif resource.is_custom:
        yield from operations.build_paths(resource)
    else:
        yield builtin_operations.build_root(resource)
        yield from builtin_operations.build_paths(resource)
