"""The paths of a resource, built in or custom."""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.openapi import builtin_operations, operations
from quarterdeck.openapi.operations import Path, PathResource


def paths_of(resource: PathResource) -> Iterator[Path]:
    """In the order of their addresses, as documents list them."""
    if resource.page is not None:
        yield resource.page
    elif resource.is_custom:
        yield from operations.build_paths(resource)
    else:
        yield builtin_operations.build_root(resource)
        yield from builtin_operations.build_paths(resource)
