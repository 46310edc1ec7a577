"""What is published of a resource, in either version of OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apis.resource import APIResource

BUILTIN_INFO: Final = {"title": "Kubernetes", "version": "v1.36.0"}


@dataclass(frozen=True, slots=True)
class Published:
    """One resource in one version. `schema` is the definition's openAPIV3Schema, None for a built-in kind, whose type
    is known by name. `selectable` are the selectableFields as the definition has them."""

    resource: APIResource
    schema: dict[str, Any] | None
    is_custom: bool
    selectable: tuple[dict[str, Any], ...] = ()
