"""Structural schemas compiled into flat programs. Body: ext/schema.pyx.

`schema_walk` prunes and defaults by a program, `schema_check` tells good objects from bad ones, `schema_findings`
tells what is wrong with the bad ones.
"""

from collections.abc import Callable
from typing import Any, final

from quarterdeck._kernels.pattern import Matcher

@final
class Program:
    """`root` is the schema as decoded JSONSchemaProps, already structural.

    `format_of(type, format)`: (the format's name, its checker or None), or None for a format that has no effect.
    `matcher_of(text)`: the pattern's matcher.
    `preserves` is to be set before the first object: nothing is pruned by it, neither unknown fields nor nulls.
    `typed_key(value)`: equal for two values exactly where Go's DeepEqual holds. `json_text(value)`: JSON as Go has it.
    """

    has_embedded: bool
    has_list_types: bool
    preserves: bool
    refs: list[Any]

    def __new__(
        cls,
        root: dict[str, Any],
        format_of: Callable[[str, str], tuple[str, Callable[[str], bool] | None] | None],
        matcher_of: Callable[[str], Matcher],
        typed_key: Callable[[Any], str],
        json_text: Callable[[Any], str],
    ) -> Program: ...
    def child(self, name: str) -> Program | None:
        """The program of one of the root's properties, sharing this program's nodes."""

    @property
    def node_count(self) -> int: ...
    @property
    def memory_bytes(self) -> int:
        """What the program holds besides the schema's own texts."""
