"""The parts of another server's OpenAPI v2 document that belong to one version of a group, in the shape that this
server writes: what has no place there, or another type than it has to have, is left out, so that one server's mistakes
make nobody else's document unreadable.

Source: kube-openapi/pkg/aggregator/aggregator.go (FilterSpecByPathsWithoutSideEffects).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import orjson

Value = dict[str, Any]
Read = Callable[[Any, int], Any]

DEPTH_MAX: Final = 50  # of schemas, each up to two levels of JSON, and of values within them: writers go to 254
DEFINITION: Final = "#/definitions/"
PARAMETER: Final = "#/parameters/"
_METHODS: Final = ("get", "put", "post", "delete", "patch")


class ForeignParts:
    """`paths` below one prefix, and the `definitions` and the `parameters` that they refer to, by name."""

    __slots__ = ("definitions", "parameters", "paths")

    def __init__(self, paths: dict[str, Value], definitions: dict[str, Value], parameters: dict[str, Value]) -> None:
        self.paths = paths
        self.definitions = definitions
        self.parameters = parameters


def read(body: bytes, prefix: str) -> ForeignParts:
    """`prefix`: the path of the version (`/apis/GROUP/VERSION`). Raises ValueError for what is no such document."""
    told = orjson.loads(body)
    if not isinstance(told, dict):  # who leaves out that it is one of 2.0 is understood, as upstream
        raise ValueError("no document of OpenAPI v2")
    shared = _Shared(_as_dict(told.get("parameters")))
    paths = {
        path: _read_item(item, shared)
        for path, item in _as_dict(told.get("paths")).items()
        if path == prefix or path.startswith(f"{prefix}/")
    }
    known = _as_dict(told.get("definitions"))
    definitions: dict[str, Value] = {}
    waiting = [*references(paths), *references(shared.read)]
    while waiting:
        name = waiting.pop()
        if name not in definitions and name in known:
            definitions[name] = _read_schema(known[name], 0)
            waiting += references(definitions[name])
    return ForeignParts(paths, definitions, shared.read)


def references(value: Any) -> Iterator[str]:
    """The names of the definitions that are referred to, wherever they stand in what was read here."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            name = each.get("$ref")
            if isinstance(name, str) and name.startswith(DEFINITION):
                yield name.removeprefix(DEFINITION)
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _as_dict(value: Any) -> Value:
    return value if isinstance(value, dict) else {}


class _Shared:
    """The parameters that a document tells once. `read`: those that are referred to, by name."""

    def __init__(self, told: Value) -> None:
        self.read: dict[str, Value] = {}
        self._told = told

    def find(self, name: str) -> Value | None:
        if name not in self.read and (parameter := _read_parameter(_as_dict(self._told.get(name)))) is not None:
            self.read[name] = parameter
        return self.read.get(name)


def _read_item(item: Any, shared: _Shared) -> Value:
    told = _as_dict(item)
    found: Value = {name: _read_operation(told[name], shared) for name in _METHODS if isinstance(told.get(name), dict)}
    if parameters := _read_parameters(told.get("parameters"), shared):
        found["parameters"] = parameters
    return found


def _read_operation(told: Value, shared: _Shared) -> Value:
    found = _pick(told, _OPERATION, 0) | _extensions(told)
    if parameters := _read_parameters(told.get("parameters"), shared):
        found["parameters"] = parameters
    found["responses"] = {
        code: _read_response(answer) for code, answer in _as_dict(told.get("responses")).items() if code.isalnum()
    }
    return found


def _read_response(told: Any) -> Value:
    response = _as_dict(told)
    found: Value = {"description": _text(response.get("description"), 0) or ""}
    if isinstance(response.get("schema"), dict):
        found["schema"] = _read_schema(response["schema"], 0)
    return found


def _read_parameters(told: Any, shared: _Shared) -> list[Value]:
    found = []
    for each in told if isinstance(told, list) else ():
        parameter = _as_dict(each)
        name = parameter.get("$ref")
        if not isinstance(name, str):
            read = _read_parameter(parameter)
        else:
            read = {"$ref": name} if shared.find(name.removeprefix(PARAMETER)) is not None else None
        if read is not None:
            found.append(read)
    return found


def _read_parameter(told: Value) -> Value | None:
    place = told.get("in")
    if place == "body":
        return _pick(told, _BODY, 0) | {"schema": _read_schema(_as_dict(told.get("schema")), 0)}
    return _pick(told, _PLAIN, 0) if place in ("path", "query") else None


def _read_schema(told: Any, depth: int) -> Value:
    schema = _as_dict(told)
    return _pick(schema, _SCHEMA, depth) | _extensions(schema) if depth < DEPTH_MAX else {}


def _pick(told: Value, readers: dict[str, Read], depth: int) -> Value:
    found = {}
    for name, read in readers.items():
        value = told.get(name)
        if value is not None and (value := read(value, depth)) is not None:
            found[name] = value
    return found


def _extensions(told: Value) -> Value:
    return {name: value for name, value in told.items() if name.startswith("x-") and _is_shallow(value)}


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH_MAX):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += each.values()
            elif isinstance(each, list):
                below += each
        if not below:
            return True
        level = below
    return False


# One reader for each type of a member: None where the value has another.


def _text(value: Any, _: int) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: Any, _: int) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else None


def _type(value: Any, depth: int) -> str | list[str] | None:
    return _text(value, depth) or _texts(value, depth)


def _flag(value: Any, _: int) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: Any, _: int) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(value: Any, _: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else None


def _any(value: Any, _: int) -> Any:
    return value if _is_shallow(value) else None


def _list(value: Any, _: int) -> list[Any] | None:
    return value if isinstance(value, list) and _is_shallow(value) else None


def _inner(value: Any, depth: int) -> Value | None:
    return _read_schema(value, depth + 1) if isinstance(value, dict) else None


def _inners(value: Any, depth: int) -> list[Value] | None:
    return [_read_schema(each, depth + 1) for each in value] if isinstance(value, list) else None


def _inner_by_name(value: Any, depth: int) -> dict[str, Value] | None:
    if not isinstance(value, dict):
        return None
    return {name: _read_schema(each, depth + 1) for name, each in value.items()}


def _inner_or_flag(value: Any, depth: int) -> Value | None:
    """`true` is any value, which a schema without words is too."""
    return {} if value is True else _inner(value, depth)


def _docs(value: Any, depth: int) -> Value | None:
    return _pick(_as_dict(value), {"description": _text, "url": _text}, depth)


_SCHEMA: Final[dict[str, Read]] = {
    **dict.fromkeys(("$ref", "format", "title", "description", "pattern"), _text),
    **dict.fromkeys(("multipleOf", "maximum", "minimum"), _number),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "uniqueItems"), _flag),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), _count),
    **dict.fromkeys(("default", "example"), _any),
    "required": _texts,
    "enum": _list,
    "type": _type,
    "items": _inner,
    "allOf": _inners,
    "properties": _inner_by_name,
    "additionalProperties": _inner_or_flag,
    "externalDocs": _docs,
}
_OPERATION: Final[dict[str, Read]] = {
    **dict.fromkeys(("description", "operationId"), _text),
    **dict.fromkeys(("tags", "produces", "consumes", "schemes"), _texts),
}
_BODY: Final[dict[str, Read]] = {"description": _text, "name": _text, "in": _text, "required": _flag}
_PLAIN: Final[dict[str, Read]] = {**_BODY, "type": _text, "uniqueItems": _flag}
