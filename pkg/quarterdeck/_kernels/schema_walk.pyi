"""Prunes and defaults decoded JSON by a compiled schema. Body: ext/schema_walk.pyx."""

from collections.abc import Sequence
from typing import Any

from quarterdeck._kernels.schema import Program

def walk(
    program: Program,
    obj: dict[str, Any],
    is_resource_root: bool,
    apply_defaults: bool,
    report_unknown: bool,
    keep_applied: bool = False,
    keep_unknown: bool = False,
) -> tuple[bool, Sequence[str], Sequence[tuple[str, dict[str, Any]]]]:
    """Prunes and defaults in place: (whether anything changed, unknown fields' paths, embedded resources with paths).

    With `keep_applied` a null stays where the schema has no default, and so do unknown fields, so that validation can
    refuse them; whether there was one is told in place of whether anything changed. With `keep_unknown` nothing is
    pruned. The paths of unknown fields are sorted; a key of a map is written `m.key` there, `m[key]` in the others.
    """

def complete_defaults(program: Program, within_metadata: bytes) -> None:
    """Prunes the default values, and gives them their own defaults. To be called once, before the first walk.
    `within_metadata` (schemameta.nodes_within): the nodes whose defaults lose nothing."""

def list_embedded(program: Program, obj: Any) -> list[tuple[str, dict[str, Any]]]:
    """The embedded resources within, each with its path."""

def copy_json(value: Any) -> Any:
    """A deep copy of any depth."""
