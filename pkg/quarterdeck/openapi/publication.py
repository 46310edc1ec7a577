"""What is published of a resource, in either version of OpenAPI."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apis.resource import APIResource

BUILTIN_INFO: Final = {"title": "Kubernetes", "version": "v1.36.0"}
CUSTOM_INFO: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}


def no_schema() -> None:
    """Of a built-in kind: its type is known by name."""


@dataclass(frozen=True, slots=True)
class Published:
    """One resource in one version. `read_schema` gives the definition's openAPIV3Schema whenever a document is built;
    `digest` tells whether it is still the same. `selectable` are the paths of selectable fields."""

    resource: APIResource
    read_schema: Callable[[], dict[str, Any] | None] = no_schema
    is_custom: bool = False
    selectable: tuple[str, ...] = ()
    digest: str = ""
