"""What is published of a resource, in either version of OpenAPI."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apis.resource import APIResource

Security = dict[str, dict[str, str]]

BUILTIN_INFO: Final = {"title": "Kubernetes", "version": "1.36"}
CUSTOM_INFO: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
# How clients of the built-in kinds show who they are.
SECURITY: Final[Security] = {
    "BearerToken": {
        "type": "apiKey",
        "description": "Bearer Token authentication",
        "name": "authorization",
        "in": "header",
    }
}


def no_schema() -> None:
    """Of a built-in kind: its type is known by name."""


@dataclass(frozen=True, slots=True)
class Published:
    """One resource in one version. `read_schema` gives the definition's openAPIV3Schema whenever a document is built;
    `digest` tells whether it is still the same. `selectable` are the paths of selectable fields;
    `returns_deleted`: a delete of a built-in one answers with what it deleted. `preserves`: its definition says that
    unknown fields are preserved."""

    resource: APIResource
    read_schema: Callable[[], dict[str, Any] | None] = no_schema
    is_custom: bool = False
    selectable: tuple[str, ...] = ()
    digest: str = ""
    returns_deleted: bool = False
    preserves: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What is at the address of the same name as a document, and no resource. `answer` names a schema, "" is text;
    `consumes` is empty where nothing is said of it."""

    document: str
    operation_id: str
    tag: str
    answer: str
    produces: tuple[str, ...]
    consumes: tuple[str, ...] = ()

    @property
    def is_custom(self) -> bool:
        return False
