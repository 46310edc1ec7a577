"""Go's own values of what functions make, where a path opens an optional that holds one.

Source: cel-go's interpreter/attributes.go (applyQualifiers) and common/types/provider.go (NativeToValue).
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import celnative, celvalue
from quarterdeck.cel import go_types, go_values
from quarterdeck.cel.structs import StructValue
from quarterdeck.cel.values import CelErr, no_such_overload

# Types whose values Go cannot turn into values of CEL again.
_LOST: Final = frozenset(("kubernetes.Quantity", "kubernetes.URL", "net.IP", "net.CIDR", "kubernetes.Semver"))
# Types that have no value to Go.
_OBJECT: Final = "Object"  # what expressions make of mutating policies begin with
_WITHOUT_VALUE: Final = ("kubernetes.authorization.", "kubernetes.variables")


def native_of(value: object) -> object:
    """What becomes of a value that is of no type of JSON or of the language's own."""
    name = celvalue.cel_type_name(value)
    if name in _LOST:
        return CelErr(f"unsupported conversion to ref.Val: ({go_types.OPAQUE[name]}){go_values.show(value)}")
    if isinstance(value, StructValue) and name.startswith(_OBJECT):
        return {key: _field_of(field) for key, field in value.fields.items()}
    return no_such_overload if name.startswith(_WITHOUT_VALUE) else value


def _field_of(value: object) -> object:
    """A field of an object that an expression makes, as JSON."""
    if isinstance(value, StructValue):
        return native_of(value)
    items = celvalue.items_of(value)
    return [_field_of(item) for item in items] if items is not None else value


def type_of(value: object) -> str:
    """What Go calls its type, of what no JSON has."""
    return go_types.type_of(None if isinstance(value, celnative.NullMember) else value, is_json=False)
