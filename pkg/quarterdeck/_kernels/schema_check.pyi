"""Tells good objects from bad ones by a compiled schema, and nothing more. Body: ext/schema_check.pyx."""

from typing import Any

from quarterdeck._kernels.schema import Program

def is_valid(program: Program, value: Any) -> bool:
    """Whether the value fulfils the schema; lists of type set and map are looked at too."""
