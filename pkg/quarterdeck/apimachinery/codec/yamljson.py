"""What of a YAML value has no JSON form. Looked for only where a number is not finite: it may have been replaced since
by another member of the same name.

Source: encoding/json encode.go, which writes the members of a map in the order of their names.
"""

from __future__ import annotations

import math
from typing import Any

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt


def explain_unsupported(value: Any) -> str:
    """The error about the first number without a JSON form; "" if there is none."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo += [item[name] for name in reversed(longsteps.sort(item))]
        elif isinstance(item, list):
            todo += reversed(item)
        elif isinstance(item, float) and not math.isfinite(item):
            return f"json: unsupported value: {gofmt.format_float(item)}"
    return ""
