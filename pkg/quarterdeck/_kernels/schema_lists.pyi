"""Tells which elements of lists of type set and map are duplicates. Body: ext/schema_lists.pyx."""

from typing import Any

from quarterdeck._kernels.schema import Program
from quarterdeck._kernels.schema_findings import Finding

def find_in_lists(program: Program, value: Any) -> list[Finding]:
    """Findings (see schema_findings): each repeated element once, and what is no object in a list of type map."""
