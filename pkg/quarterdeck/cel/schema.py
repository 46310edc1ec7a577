"""What a structural schema declares to CEL: types for the checker, sizes for the cost estimate.

One Declaration a schema node, built once for a whole schema and used by the rules of every node above it; it is not
kept. A node that is not exposed (no type that rules could use) has none, and neither have lists and maps of it.
Source: apiserver's pkg/cel/common/schemas.go, pkg/cel/types.go, pkg/cel/limits.go, pkg/cel/escaping.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from quarterdeck.cel import strfmt, types
from quarterdeck.cel.types import Type

Schema = Mapping[str, Any]

REQUEST_BYTES_MAX: Final = 3 * 1024 * 1024
_DURATION_BYTES_MAX: Final = 32
_DATETIME_BYTES_MAX: Final = 32
_DURATION_BYTES_MIN: Final = 3
_DATETIME_BYTES_MIN: Final = 21
_DATE_BYTES: Final = 12
_STRING_BYTES_MIN: Final = 2
_BOOL_BYTES_MIN: Final = 4
_NUMBER_BYTES_MIN: Final = 1
_UNBOUNDED_STRING: Final = REQUEST_BYTES_MAX - 2

_ESCAPABLE = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*")
_ESCAPES: Final = re.compile(r"__([^_]+)__")
_ESCAPED: Final = {"underscores": "__", "dot": ".", "dash": "-", "slash": "/"}

RESERVED: Final = frozenset(
    ("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
     "let", "loop", "package", "namespace", "return", "var", "void", "while")
)  # fmt: skip


class Declaration:
    """`elements_max` is the most characters, items or entries; `bytes_min` the least a value takes in JSON."""

    __slots__ = ("bytes_min", "elem", "elements_max", "fields", "key", "type")

    def __init__(self, declared: Type, bytes_min: int, elements_max: int = 0) -> None:
        self.type = declared
        self.bytes_min = bytes_min
        self.elements_max = elements_max
        self.elem: Declaration | None = None
        self.key: Declaration | None = None
        self.fields: dict[str, Declaration] | None = None  # by escaped name

    def size_at(self, path: tuple[str, ...]) -> tuple[int, int] | None:
        """The size of what stands at `path` (whose first element is the variable), if that is declared."""
        node: Declaration | None = self
        for name in path[1:]:
            assert node is not None
            if name in ("@items", "@values"):
                node = node.elem
            elif name == "@keys":
                node = node.key
            else:
                node = node.fields.get(name) if node.fields is not None else None
            if node is None:
                return None
        assert node is not None
        return 0, node.elements_max


_MAP_KEY: Final = Declaration(types.STRING, _STRING_BYTES_MIN)


def escape(name: str) -> str | None:
    """A property's name as rules write it; None for a name they cannot."""
    if name in RESERVED:
        return f"__{name}__"
    if name.isidentifier() and name.isascii() and "__" not in name:
        return name
    if _ESCAPABLE.fullmatch(name) is None:
        return None
    return (
        name.replace("__", "__underscores__").replace(".", "__dot__").replace("-", "__dash__").replace("/", "__slash__")
    )


def unescape(name: str) -> str | None:
    """A property's name of what rules write; None where a part between two underscores and two is no escape."""
    out: list[str] = []
    at = 0
    for found in _ESCAPES.finditer(name):
        word = found[1]
        if word in RESERVED and found[0] != name:
            return None
        char = word if word in RESERVED else _ESCAPED.get(word)
        if char is None:
            return None
        out += (name[at : found.start()], char)
        at = found.end()
    return "".join((*out, name[at:]))


# format: (type, least bytes, most characters or None for maxLength, what reads a value)
FORMATS: Final[dict[str, tuple[Type, int, int | None, Callable[[str], object]]]] = {
    "duration": (types.DURATION, _DURATION_BYTES_MIN, _DURATION_BYTES_MAX, strfmt.read_duration),
    "date": (types.TIMESTAMP, _DATE_BYTES, _DATE_BYTES, strfmt.read_date),
    "date-time": (types.TIMESTAMP, _DATETIME_BYTES_MIN, _DATETIME_BYTES_MAX, strfmt.read_datetime),
    "byte": (types.BYTES, _STRING_BYTES_MIN, None, strfmt.read_bytes),
}


def declare(schema: Schema, is_resource_root: bool) -> Declaration | None:
    """The declaration of a schema node and all below it; None for what is not exposed to rules."""
    if schema.get("x-kubernetes-int-or-string"):
        max_length = schema.get("maxLength")
        return Declaration(types.DYN, 1, _UNBOUNDED_STRING if max_length is None else max(max_length, 0) * 4)
    kind = schema.get("type")
    if kind == "object":
        return _declare_object(schema, is_resource_root)
    if kind == "array":
        return _declare_list(schema)
    if kind == "string":
        return _declare_string(schema)
    if kind == "integer":
        return Declaration(types.INT, _NUMBER_BYTES_MIN)
    if kind == "number":
        return Declaration(types.DOUBLE, _NUMBER_BYTES_MIN)
    if kind == "boolean":
        return Declaration(types.BOOL, _BOOL_BYTES_MIN)
    return None


def _declare_string(schema: Schema) -> Declaration:
    max_length = schema.get("maxLength")
    format_name = schema.get("format")
    if format_name in FORMATS:
        declared, bytes_min, most, _ = FORMATS[format_name]
        if most is None:
            most = _UNBOUNDED_STRING if max_length is None else max(max_length, 0)
        return Declaration(declared, bytes_min, most)
    if max_length is not None:
        most = max(max_length, 0) * 4  # code points of up to four bytes
    elif schema.get("enum"):
        most = max((len(v.encode()) for v in schema["enum"] if isinstance(v, str)), default=0)
    else:
        most = _UNBOUNDED_STRING
    return Declaration(types.STRING, _STRING_BYTES_MIN, most)


def _declare_list(schema: Schema) -> Declaration | None:
    items = schema.get("items")
    if not isinstance(items, dict):
        return None
    elem = declare(items, bool(items.get("x-kubernetes-embedded-resource")))
    if elem is None:
        return None
    most = schema.get("maxItems")
    most = (REQUEST_BYTES_MAX - 2) // (elem.bytes_min + 1) if most is None else max(most, 0)
    declared = Declaration(types.list_of(elem.type), 2, most)
    declared.elem = elem
    return declared


def _declare_object(schema: Schema, is_resource_root: bool) -> Declaration | None:
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        return _declare_map(schema, values)
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    if is_resource_root:
        properties = with_object_meta(properties)
    required = frozenset(schema.get("required") or ())
    bytes_min = 2
    fields: dict[str, Declaration] = {}
    for name, prop in properties.items():
        field = declare(prop, bool(prop.get("x-kubernetes-embedded-resource")))
        if field is None:
            continue
        escaped = escape(name)
        if escaped is not None:
            fields[escaped] = field
        if name in required and prop.get("default") is None:
            bytes_min += len(name.encode()) + field.bytes_min + 4
    by_name = {n: f.type for n, f in fields.items()}
    for word in RESERVED.intersection(properties):
        # Rules may also write the word itself, where the grammar lets them.
        if f"__{word}__" in by_name:
            by_name.setdefault(word, by_name[f"__{word}__"])
    declared = Declaration(types.struct("object", by_name), bytes_min)
    declared.fields = fields
    return declared


def _declare_map(schema: Schema, values: Schema) -> Declaration | None:
    elem = declare(values, bool(values.get("x-kubernetes-embedded-resource")))
    if elem is None:
        return None
    most = schema.get("maxProperties")
    most = (REQUEST_BYTES_MAX - 2) // (elem.bytes_min + 6) if most is None else max(most, 0)
    declared = Declaration(types.map_of(types.STRING, elem.type), 2, most)
    declared.elem = elem
    declared.key = _MAP_KEY
    return declared


_TEXT: Final[Schema] = {"type": "string"}
_OBJECT_META: Final[Schema] = {"type": "object", "properties": {"name": _TEXT, "generateName": _TEXT}}


def with_object_meta(properties: Mapping[str, Schema]) -> Mapping[str, Schema]:
    """The fields that rules at a resource's root may always use. Declared ones stay only where all of them are."""
    metadata = properties.get("metadata") or {}
    inner = metadata.get("properties") or {}
    if (
        all((properties.get(name) or {}).get("type") == "string" for name in ("kind", "apiVersion"))
        and metadata.get("type") == "object"
        and all((inner.get(name) or {}).get("type") == "string" for name in ("name", "generateName"))
    ):
        return properties
    return {**properties, "kind": _TEXT, "apiVersion": _TEXT, "metadata": _OBJECT_META}


def name_types(root: Declaration, name: str) -> None:
    """Gives the object types below `root` the names that error messages show: `selfType1.spec.@idx`."""
    stack = [(root, name)]
    while stack:
        node, path = stack.pop()
        if node.fields is not None:
            node.type.name = path
            stack += [(field, f"{path}.{n}") for n, field in node.fields.items()]
        elif node.elem is not None:
            stack.append((node.elem, f"{path}.{'@elem' if node.key is not None else '@idx'}"))


def declare_field(declaration: Declaration | None, name: str, node: Schema, is_in_scope: bool) -> Declaration | None:
    """A part of the declaration above, or one of its own where that has none. Below rules, what has none above them
    has none either."""
    if declaration is None and is_in_scope:
        return None
    escaped = escape(name)
    declared_fields = declaration.fields if declaration is not None else None
    if declared_fields is not None and escaped is not None and escaped in declared_fields:
        return declared_fields[escaped]
    return declare(node, bool(node.get("x-kubernetes-embedded-resource")))


def declare_running_field(declaration: Declaration | None, name: str, node: Schema) -> Declaration | None:
    """Of a property whose rules run: only what has no name in the language is looked at by itself.
    Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (validator)."""
    escaped = escape(name)
    if escaped is None:
        return declare(node, bool(node.get("x-kubernetes-embedded-resource")))
    found = declaration.fields if declaration is not None else None
    return found.get(escaped) if found is not None else None
