"""Objects as tables (meta.k8s.io Table): what `kubectl get` prints.

`compile_columns` makes the convertor of a CRD version, `builtin.convertor_for` that of a built-in type; both give
column definitions and rows as JSON bytes, which `build_table` joins. No storage and no clock: objects and the time
are handed in.

Sources: apiextensions-apiserver/pkg/registry/customresource/tableconvertor, apiserver/pkg/endpoints/handlers/
response.go (asTable), kubernetes/pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

from quarterdeck.endpoints.table.columns import build_table, parse_include_object, partial_metadata
from quarterdeck.endpoints.table.custom import compile_columns

__all__ = ["build_table", "compile_columns", "parse_include_object", "partial_metadata"]
