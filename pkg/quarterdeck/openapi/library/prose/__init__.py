"""What OpenAPI says of built-in types and their fields, for people: `TABLE.TYPE # text`, and its fields indented.

A kind that has a line here is published, with all types that it refers to.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

_TABLES: Final = (
    "admissionregistration",
    "apiregistration",
    "apps",
    "authentication",
    "authorization",
    "autoscaling",
    "batch",
    "certificates",
    "coordination",
    "core",
    "events",
    "flowcontrol",
    "networking",
    "node",
    "rbac",
    "policy",
    "resource",
    "scheduling",
    "storage",
)

TEXT: Final[str] = "\n".join(import_module(f"{__name__}.{table}").TEXT for table in _TABLES)
