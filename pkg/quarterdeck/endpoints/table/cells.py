"""The cells that tables of built-in types have in common: names, ages, counts, and texts at a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import labels, meta, requirements, time
from quarterdeck.endpoints.table import columns
from quarterdeck.endpoints.table.columns import Object

NONE: Final = "<none>"

Cell = Callable[[Object, float], object]


class Column(NamedTuple):
    """`name` "": rows have the cell, and the table does not say what it is."""

    name: str
    cell: Cell
    description: str
    type: str = "string"
    format: str = ""
    priority: int = 0


def name(obj: Object, now_s: float) -> object:
    return meta.name(obj)


def name_of_class(annotations: Sequence[str]) -> Cell:
    """The name, with a mark if an annotation makes the class the default."""

    def cell(obj: Object, now_s: float) -> object:
        found = dig(obj, ("metadata", "annotations")) or {}
        mark = " (default)" if any(found.get(each) == "true" for each in annotations) else ""
        return f"{name(obj, now_s)}{mark}"

    return cell


def age(obj: Object, now_s: float) -> object:
    return since(meta.metadata(obj).get("creationTimestamp"), now_s)


def created_at(obj: Object, now_s: float) -> object:
    return meta.metadata(obj).get("creationTimestamp") or time.ZERO


def since(timestamp: str | None, now_s: float) -> str:
    return time.human_age(timestamp or "", now_s)


def count(*fields: str) -> Cell:
    """How many entries the maps in `fields` have together."""
    return lambda obj, now_s: sum(len(obj.get(field) or ()) for field in fields)


def text(*path: str) -> Cell:
    """The text at a path of fields, "" where it is absent."""
    return lambda obj, now_s: dig(obj, path) or ""


def integer(*path: str) -> Cell:
    return lambda obj, now_s: dig(obj, path) or 0


def flag(*path: str) -> Cell:
    return lambda obj, now_s: bool(dig(obj, path))


def dig(value: Any, path: Sequence[str]) -> Any:
    for field in path:
        value = value.get(field) if isinstance(value, dict) else None
    return value


NAME: Final = Column("Name", name, columns.NAME_DESCRIPTION, format="name")
AGE: Final = Column("Age", age, columns.CREATED_DESCRIPTION)


def of_containers(field: str, *path: str) -> Cell:
    """The cell with a field of each container at a path."""
    return lambda obj, now_s: ",".join(each.get(field, "") for each in dig(obj, path) or ())


def selector(*path: str) -> Cell:
    """A label selector as it is written in requests."""
    return lambda obj, now_s: _selector_text(dig(obj, path))


def _selector_text(found: Object | None) -> str:
    try:
        return str(labels.from_label_selector(found)) or NONE
    except requirements.SelectorError:
        return "<error>"
