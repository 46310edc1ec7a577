"""What OpenAPI says of built-in types and their fields, for people: `TABLE.TYPE # text`, and its fields indented.

A kind that has a line here is published, with all types that it refers to. The words are this project's own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

_PARTS: Final = (
    "admissionregistration",
    "apiregistration",
    "apps",
    "authentication",
    "authorization",
    "autoscaling",
    "batch",
    "certificates",
    "containers",
    "coordination",
    "core",
    "discovery",
    "events",
    "flowcontrol",
    "networking",
    "node",
    "pods",
    "policy",
    "rbac",
    "resource",
    "scheduling",
    "storage",
    "volumes",
)

TEXT: Final[str] = "\n".join(import_module(f"{__name__}.{part}").TEXT for part in _PARTS)
