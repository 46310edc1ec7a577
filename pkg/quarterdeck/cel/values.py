"""The kernel's values under their own names; see the kernel `celvalue` for what they mean."""

from __future__ import annotations

from quarterdeck._kernels import celvalue

CelErr = celvalue.CelErr
Duration = celvalue.Duration
ListValue = celvalue.ListValue
MapLiteral = celvalue.MapLiteral
MapValue = celvalue.MapValue
ObjectValue = celvalue.ObjectValue
Optional = celvalue.Optional
Reader = celvalue.Reader
Timestamp = celvalue.Timestamp
TypeValue = celvalue.TypeValue
UInt = celvalue.UInt

optional_none = celvalue.optional_none
no_such_overload = celvalue.no_such_overload
missing = celvalue.missing
