"""Tells what is wrong with an object, by a compiled schema. Body: ext/schema_findings.pyx.

A finding is `(code, path, value, limit)`; the codes are those of quarterdeck.schema.findings.
"""

from typing import Any, final

from quarterdeck._kernels.schema import Program

Finding = tuple[int, str, Any, Any]

@final
class Absent:
    """The type of `ABSENT`: there is no old value."""

ABSENT: Absent

def find(program: Program, value: Any, old: Any | Absent, findings_max: int, path_chars_max: int) -> list[Finding]:
    """What the schema finds wrong; with an old value, what an unchanged value does wrong is forgiven.

    Once there are more findings, or more text in their paths, than the limits say, further ones are left out.
    """
