"""Ages in tables: a scenario takes less than two minutes, and what it made itself is that many seconds old.

A fixed time in the past is another number of days away each day that a recording is replayed on.
"""

from __future__ import annotations

import re
from typing import Any

_SECONDS = r"(?:\d\d?s|1[01]\ds)"
_DAYS = r"(?:\d+y(?:\d+d)?|\d+d)"
_AGE = rf"(?:(?P<days>{_DAYS})|{_SECONDS})"
_CELL = re.compile(_AGE)
_LINE_OF_YAML = re.compile(rf"(?m)(?<=^  - ){_AGE}$")


def name_in_table(table: dict[str, Any]) -> None:
    """In place. A step that picks single cells has objects by position for lists."""
    for row in _items(table.get("rows")):
        cells = row.get("cells")
        if isinstance(cells, list):
            row["cells"] = [_named(cell) for cell in cells]
        elif isinstance(cells, dict):
            row["cells"] = {position: _named(cell) for position, cell in cells.items()}


def name_in_text(text: str) -> str:
    """A table written as YAML; other texts as they are."""
    return _LINE_OF_YAML.sub(_name, text) if "kind: Table" in text else text


def _items(rows: Any) -> list[dict[str, Any]]:
    return list(rows.values()) if isinstance(rows, dict) else rows or []


def _named(cell: Any) -> Any:
    found = _CELL.fullmatch(cell) if isinstance(cell, str) else None
    return cell if found is None else _name(found)


def _name(found: re.Match[str]) -> str:
    return "<days>" if found["days"] else "<age>"
