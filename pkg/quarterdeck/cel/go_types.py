"""What Go calls the type of a value that an expression made: `%T` of what cel-go's value holds.

Source: cel-go common/types (Value() of each type), apiserver/pkg/cel.
"""

from __future__ import annotations

from typing import Final

from quarterdeck._kernels import celvalue
from quarterdeck.cel.values import Optional, UInt

# Of what the libraries of expressions make.
OPAQUE: Final = {
    "kubernetes.Quantity": "*resource.Quantity",
    "kubernetes.URL": "*url.URL",
    "net.IP": "netip.Addr",
    "net.CIDR": "netip.Prefix",
    "kubernetes.Semver": "semver.Version",
    "kubernetes.NamedFormat": "cel.Format",
    "JSONPatch": "*mutation.JSONPatchVal",
}
_PLAIN: Final = {
    "bool": "bool",
    "int": "int64",
    "uint": "uint64",
    "double": "float64",
    "bytes": "[]uint8",
    "null_type": "structpb.NullValue",
    "google.protobuf.Timestamp": "time.Time",
    "google.protobuf.Duration": "time.Duration",
}
LIST: Final = "[]ref.Val"
MAP: Final = "map[ref.Val]ref.Val"
JSON_MAP: Final = "map[string]interface {}"
_CONTAINERS: Final = {"list": (LIST, "[]interface {}"), "map": (MAP, JSON_MAP)}


def type_of(value: object, *, is_json: bool) -> str:
    """`is_json`: a list or a map was taken from an object; else an expression made it."""
    while isinstance(value, Optional):
        if not value.present:
            return "<nil>"
        value = value.value
    name = "uint" if isinstance(value, UInt) else celvalue.cel_type_name(value)
    if name in _CONTAINERS:
        return _CONTAINERS[name][is_json]
    return _PLAIN.get(name) or OPAQUE.get(name) or (JSON_MAP if name.startswith("Object") else name)
