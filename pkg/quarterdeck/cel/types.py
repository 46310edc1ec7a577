"""Types of the checker: what an expression's parts are known to be before anything runs.

A type is compared by identity first: scalars are singletons, and each object type is one instance (types of objects are
nominal, so two equal-looking fields never share a type). Source: cel-go's common/types and checker/types.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final


class Kind:
    """Plain integers: reading a member of an enumeration takes longer than most of what is done with one."""

    DYN: Final = 0
    ERROR: Final = 1
    NULL: Final = 2
    BOOL: Final = 3
    INT: Final = 4
    UINT: Final = 5
    DOUBLE: Final = 6
    STRING: Final = 7
    BYTES: Final = 8
    TIMESTAMP: Final = 9
    DURATION: Final = 10
    LIST: Final = 11
    MAP: Final = 12
    STRUCT: Final = 13
    OPAQUE: Final = 14
    TYPE: Final = 15
    PARAM: Final = 16
    ANY: Final = 17
    WRAPPER: Final = 18  # a message that holds one value, which stands for it; or null


class Type:
    """`params` are the element types of lists and maps and of opaque types; `fields` those of an object. `plain` types
    have no parts and are one instance each; `generic` ones have type parameters in them; an object's type that is
    `open` has any field, of any type."""

    __slots__ = ("fields", "generic", "kind", "name", "open", "params", "plain")

    def __init__(self, kind: int, name: str, params: tuple[Type, ...] = ()) -> None:
        self.kind = kind
        self.name = name
        self.params = params
        self.plain = kind <= Kind.DURATION and kind != Kind.ERROR
        self.generic: bool = kind == Kind.PARAM or any(p.generic for p in params)
        self.fields: dict[str, Type] | None = None
        self.open = False

    def field_type(self, name: str) -> Type | None:
        """Of an object's field; None where there is none of the name."""
        if self.open:
            return DYN
        return self.fields.get(name) if self.fields is not None else None

    def __repr__(self) -> str:
        return f"Type({self})"

    def __str__(self) -> str:
        return self._show({Kind.NULL: "null"})

    @property
    def declared_name(self) -> str:
        """As cel-go's own String has it; its errors have other words."""
        return self._show(_DECLARED)

    def _show(self, names: dict[int, str]) -> str:
        # A worklist: the type of a schema nests as deeply as the schema.
        shown: list[str] = []
        stack: list[Type | str] = [self]
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                shown.append(part)
                continue
            shown.append(names.get(part.kind, part.name))
            if part.params:
                shown.append("(")
                stack.append(")")
                for i in range(len(part.params) - 1, -1, -1):
                    stack.append(part.params[i])
                    if i:
                        stack.append(", ")
        return "".join(shown)


_DECLARED: Final = {
    Kind.TIMESTAMP: "google.protobuf.Timestamp",
    Kind.DURATION: "google.protobuf.Duration",
    Kind.ANY: "google.protobuf.Any",
}

DYN: Final = Type(Kind.DYN, "dyn")
ERROR: Final = Type(Kind.ERROR, "!error!")
NULL: Final = Type(Kind.NULL, "null_type")
BOOL: Final = Type(Kind.BOOL, "bool")
INT: Final = Type(Kind.INT, "int")
UINT: Final = Type(Kind.UINT, "uint")
DOUBLE: Final = Type(Kind.DOUBLE, "double")
STRING: Final = Type(Kind.STRING, "string")
BYTES: Final = Type(Kind.BYTES, "bytes")
TIMESTAMP: Final = Type(Kind.TIMESTAMP, "timestamp")
DURATION: Final = Type(Kind.DURATION, "duration")
ANY: Final = Type(Kind.ANY, "any")

_lists: dict[Type, Type] = {}


def list_of(elem: Type) -> Type:
    """A list type; those of the scalars are kept, so that overloads found for them can be memoized."""
    known = _lists.get(elem)
    if known is None:
        known = Type(Kind.LIST, "list", (elem,))
        if elem.kind <= Kind.DURATION:
            _lists[elem] = known
    return known


def map_of(key: Type, value: Type) -> Type:
    return Type(Kind.MAP, "map", (key, value))


def type_of(param: Type) -> Type:
    return Type(Kind.TYPE, "type", (param,))


def optional_of(param: Type) -> Type:
    return Type(Kind.OPAQUE, "optional_type", (param,))


def struct(name: str, fields: dict[str, Type] | None = None) -> Type:
    made = Type(Kind.STRUCT, name)
    made.fields = fields
    return made


def field_of(made: Type, name: str, field: str, given: Type) -> tuple[Type, str | None]:
    """The type of a field of an object that is made, and what is told of a field that the type does not have. `made` is
    an error where `name` is no object's type, or no type at all."""
    found = made.field_type(field)
    if found is not None:
        return found, None
    if made.kind == Kind.ERROR and name not in _KNOWN:
        return ERROR, None if name == "map" else f"unexpected failed resolution of '{name}'"
    # Patches have every field there, most without a type.
    if made.name == "JSONPatch":
        return ERROR, f"expected type of field '{field}' is '' but provided type is '{given}'"
    return ERROR, f"undefined field '{field}'" if made.fields is not None or made.kind == Kind.ERROR else None


def open_struct(name: str) -> Type:
    made = struct(name, {})
    made.open = True
    return made


def opaque(name: str) -> Type:
    return Type(Kind.OPAQUE, name)


def param(name: str) -> Type:
    return Type(Kind.PARAM, name)


TYPE: Final = Type(Kind.TYPE, "type")
LIST_DYN: Final = list_of(DYN)
JSON_OBJECT: Final = map_of(STRING, DYN)

IP: Final = opaque("net.IP")
CIDR: Final = opaque("net.CIDR")
URL: Final = struct("kubernetes.URL")
QUANTITY: Final = struct("kubernetes.Quantity")
SEMVER: Final = struct("kubernetes.Semver")
FORMAT: Final = struct("kubernetes.NamedFormat")
AUTHORIZER: Final = struct("kubernetes.authorization.Authorizer")
PATH_CHECK: Final = struct("kubernetes.authorization.PathCheck")
GROUP_CHECK: Final = struct("kubernetes.authorization.GroupCheck")
RESOURCE_CHECK: Final = struct("kubernetes.authorization.ResourceCheck")
DECISION: Final = struct("kubernetes.authorization.Decision")

# What a type's name in an expression (`type(x) == string`) stands for.
NAMED: Final[dict[str, Type]] = {
    "bool": BOOL,
    "bytes": BYTES,
    "double": DOUBLE,
    "duration": DURATION,
    "int": INT,
    "list": list_of(param("A")),
    "map": map_of(param("A"), param("B")),
    "null_type": NULL,
    "string": STRING,
    "timestamp": TIMESTAMP,
    "type": TYPE,
    "uint": UINT,
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.Duration": DURATION,
    "optional_type": opaque("optional_type"),
    "net.IP": IP,
    "net.CIDR": CIDR,
}
# Protobuf's messages.
_WRAPPED: Final = {
    "BoolValue": BOOL,
    "BytesValue": BYTES,
    "DoubleValue": DOUBLE,
    "FloatValue": DOUBLE,
    "Int32Value": INT,
    "Int64Value": INT,
    "StringValue": STRING,
    "UInt32Value": UINT,
    "UInt64Value": UINT,
}
_MESSAGES: Final[dict[str, Type]] = {
    "google.protobuf.Any": ANY,
    "google.protobuf.Empty": struct("google.protobuf.Empty", {}),
    "google.protobuf.ListValue": LIST_DYN,
    "google.protobuf.Struct": JSON_OBJECT,
    "google.protobuf.Value": DYN,
    **{f"google.protobuf.{name}": Type(Kind.WRAPPER, "wrapper", (held,)) for name, held in _WRAPPED.items()},
}
NAMED.update(_MESSAGES)
# Those of which upstream's provider of types knows.
_KNOWN: Final = frozenset(("bool", "bytes", "double", "duration", "int", "list", "string", "timestamp", "uint"))
# Names of types for which there is no value: what says one cannot become a program.
WITHOUT_VALUE: Final = frozenset(("duration", "timestamp", *_MESSAGES))
# Names of numbers.
CONSTANTS: Final = {"google.protobuf.NullValue.NULL_VALUE": 0}

# Kinds whose values have one size, which the cost estimate counts as 1.
SCALAR_KINDS: Final = frozenset((Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT))


def is_dyn(t: Type) -> bool:
    return t.kind == Kind.DYN or t.kind == Kind.ANY


def is_dyn_or_error(t: Type) -> bool:
    return t.kind <= Kind.ERROR or t.kind == Kind.ANY


def is_optional(t: Type) -> bool:
    return t.kind == Kind.OPAQUE and t.name == "optional_type"


def format_call(args: Iterable[Type], is_member: bool) -> str:
    """The arguments of a call as error messages show them: `(int, string)`, `string.(int)`."""
    shown = [str(a) for a in args]
    if is_member:
        return f"{shown[0]}.({', '.join(shown[1:])})"
    return f"({', '.join(shown)})"
