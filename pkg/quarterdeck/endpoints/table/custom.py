"""Tables of custom resources: additionalPrinterColumns compiled to cells.

Source: apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go, and
pkg/apiserver/helpers (GetColumnsForVersion: the default Age column).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeGuard

from quarterdeck.apimachinery import meta, time
from quarterdeck.apimachinery.jsonpath.parser import ParseError
from quarterdeck.apimachinery.jsonpath.steps import INT64_MAX, INT64_MIN, Integer
from quarterdeck.apis.resource import PrinterColumn
from quarterdeck.endpoints.table import columns
from quarterdeck.endpoints.table.columns import Object
from quarterdeck.endpoints.table.jsonpath import JSONPath, print_value

_AGE_COLUMN: Final = PrinterColumn(
    "Age", "date", ".metadata.creationTimestamp", description=columns.CREATED_DESCRIPTION
)

_Cell = Callable[[object, float], object]


class CustomConvertor:
    """Compiled columns of one version. Built by `compile_columns`."""

    __slots__ = ("_cells", "_columns")

    def __init__(self, defined: columns.Columns, cells: list[tuple[JSONPath, _Cell]]) -> None:
        self._columns = defined
        self._cells = cells

    @property
    def column_definitions(self) -> list[dict[str, object]]:
        return self._columns.column_definitions

    @property
    def definitions(self) -> bytes:
        return self._columns.definitions

    @property
    def no_rows(self) -> bytes:
        return b"[]"

    @property
    def repeats_columns(self) -> bool:
        return False

    @property
    def order(self) -> columns.RowOrder | None:
        return None

    def row(self, obj: Object, now_s: float, object_json: bytes) -> bytes:
        cells: list[object] = [meta.name(obj)]
        for path, cell in self._cells:
            is_found, value = path.find_first(obj)
            cells.append(cell(value, now_s) if is_found else None)
        return columns.build_row(cells, object_json)


def compile_columns(printer_columns: Sequence[PrinterColumn]) -> CustomConvertor:
    """No columns give the default one, Age. A column whose path cannot be read ends the table before it."""
    shown = [columns.NAME_COLUMN]
    cells: list[tuple[JSONPath, _Cell]] = []
    for column in printer_columns or [_AGE_COLUMN]:
        try:
            path = JSONPath(column.json_path)
        except ParseError:
            break
        shown.append(_describe(column))
        cells.append((path, _CELLS.get(column.type, _no_cell)))
    return CustomConvertor(columns.define(shown), cells)


def _describe(column: PrinterColumn) -> PrinterColumn:
    description = column.description
    if not description:
        description = f"Custom resource definition column (in JSONPath format): {column.json_path}"
    return PrinterColumn(column.name, column.type, column.json_path, column.format, description, column.priority)


# --- cells -------------------------------------------------------------------------------------


def _normalize(value: object) -> object:
    """A whole float reads as the integer that it was stored as."""
    if isinstance(value, float) and value.is_integer() and INT64_MIN <= value <= INT64_MAX:
        return int(value)
    return value


def _string_cell(value: object, now_s: float) -> object:
    return value if isinstance(value, str) else print_value(_normalize(value))


def _is_number(value: object) -> TypeGuard[int | float]:
    """Whether it is a number of the object: no boolean, nor what a path makes of numbers and bytes."""
    return isinstance(value, int | float) and not isinstance(value, bool | Integer)


def _integer_cell(value: object, now_s: float) -> object:
    if not _is_number(value):
        return None
    return int(value) if INT64_MIN <= value <= INT64_MAX else INT64_MIN


def _number_cell(value: object, now_s: float) -> object:
    if not _is_number(value):
        return None
    return float(value)


def _boolean_cell(value: object, now_s: float) -> object:
    return value if isinstance(value, bool) else None


def _date_cell(value: object, now_s: float) -> object:
    return time.human_age(value, now_s) if isinstance(value, str) else None


def _no_cell(value: object, now_s: float) -> object:
    return None


_CELLS: Final[dict[str, _Cell]] = {
    "string": _string_cell,
    "integer": _integer_cell,
    "number": _number_cell,
    "boolean": _boolean_cell,
    "date": _date_cell,
}
