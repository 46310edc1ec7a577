"""Tables of built-in types: one printer a type, as data, and the plain Name / Created At table for the rest.

A printer is a list of columns with the function that makes each cell. Columns of priority 1 are those of `-o wide`.
Source: kubernetes/pkg/printers/internalversion/printers.go; apiserver/pkg/registry/rest/table.go (the plain one).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from quarterdeck.apis.resource import PrinterColumn
from quarterdeck.endpoints.table import columns
from quarterdeck.endpoints.table.cells import Column
from quarterdeck.endpoints.table.columns import Object


class BuiltinConvertor:
    """The table of one built-in type. `no_rows`: what stands for the rows of an empty list."""

    __slots__ = ("_cells", "_columns", "_conditions", "no_rows", "order", "repeats_columns")

    def __init__(
        self,
        printer: Sequence[Column],
        conditions: columns.RowConditions | None = None,
        order: columns.RowOrder | None = None,
        *,
        no_rows: bytes = b"[]",
        repeats_columns: bool = False,
    ) -> None:
        self.no_rows: Final = no_rows
        self.repeats_columns: Final = repeats_columns
        self.order: Final = order
        self._conditions = conditions
        self._columns = columns.define(
            PrinterColumn(column.name, column.type, "", column.format, column.description, column.priority)
            for column in printer
            if column.name
        )
        self._cells = [column.cell for column in printer]

    @property
    def column_definitions(self) -> list[dict[str, object]]:
        return self._columns.column_definitions

    @property
    def definitions(self) -> bytes:
        return self._columns.definitions

    def row(self, obj: Object, now_s: float, object_json: bytes) -> bytes:
        conditions = self._conditions(obj) if self._conditions is not None else None
        return columns.build_row([cell(obj, now_s) for cell in self._cells], object_json, conditions)


@cache
def convertor_for(group: str, kind: str) -> BuiltinConvertor:
    """The convertor of a built-in kind (any version; Scale is the one of a scale subresource)."""
    # Who never asks for a table never pays for what all of them say.
    from quarterdeck.endpoints.table import printers

    key = (group, kind)
    if (printer := printers.PRINTERS.get(key) or _find_further(key)) is None:
        return BuiltinConvertor(printers.PLAIN, no_rows=b"null")
    conditions, order = printers.ROW_CONDITIONS.get(key), printers.ROW_ORDERS.get(key)
    return BuiltinConvertor(printer, conditions, order, repeats_columns=key in printers.REPEATING)


def _find_further(key: tuple[str, str]) -> Sequence[Column] | None:
    from quarterdeck.endpoints.table import further

    return further.PRINTERS.get(key)
