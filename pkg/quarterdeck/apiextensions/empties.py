"""Lists and maps of schemas and versions that a definition's body has written down, and written down empty.

Go keeps them apart from absent ones (`oneOf: []` is no nil slice), and some rules of validation see the difference.
They are never written: what is stored, answered and owned by managers does not have them. So decoding takes them out
of the object, and validation puts them back for as long as it looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from quarterdeck._kernels import json as json_kernel
from quarterdeck._kernels import longsteps, members
from quarterdeck.apiextensions import jsonvalues

Schema = dict[str, Any]

_LISTS_OF_SCHEMAS: Final = ("allOf", "oneOf", "anyOf")
_MAPS_OF_SCHEMAS: Final = ("properties", "patternProperties", "definitions", "dependencies")
_LISTS_OF_VERSIONS: Final = ("additionalPrinterColumns", "selectableFields")
_OMITTED: Final = frozenset(
    (
        *_LISTS_OF_SCHEMAS,
        *_MAPS_OF_SCHEMAS,
        "enum",
        "required",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-validations",
    )
)


class _Empty(NamedTuple):
    schema: Schema  # or a version
    name: str
    value: Any


class Empties:
    """What was taken out of one spec."""

    def __init__(self, spec: dict[str, Any], found: list[_Empty]) -> None:
        self._spec = spec
        self._found = found

    def are_of(self, spec: Any) -> bool:
        """Whether some were taken from that one."""
        return bool(self._found) and spec is self._spec

    @contextmanager
    def restored(self, spec: Any) -> Iterator[None]:
        """While this lasts they are back, if `spec` is the one that they were taken from."""
        found = self._found if spec is self._spec else []
        for empty in found:
            empty.schema[empty.name] = empty.value
        try:
            yield
        finally:
            for empty in found:
                del empty.schema[empty.name]


_NONE: Final = Empties({}, [])
# Of the definition that was decoded last in this task: between decoding and validation there is no other.
_taken: ContextVar[Empties] = ContextVar("empties of a definition", default=_NONE)


def take_out(spec: dict[str, Any]) -> None:
    """In place. What is taken is kept for `last_taken`."""
    found: list[_Empty] = []
    for version in spec.get("versions") or ():
        found += [_Empty(version, name, []) for name in _LISTS_OF_VERSIONS if version.get(name) == []]
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if schema is not None and members.has_empty(schema):
            found += _find(schema)
    for empty in found:
        del empty.schema[empty.name]
    if found or _taken.get() is not _NONE:
        _taken.set(Empties(spec, found))


def last_taken() -> Empties:
    return _taken.get()


def mark_changed(live: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The live definition as a comparison by reflect.DeepEqual sees it: with another list of versions, where the
    request has empties in its own. The list is owned as a whole."""
    if not _taken.get().are_of(new["spec"]):
        return live
    return {**live, "spec": {**live["spec"], "versions": [*(live["spec"].get("versions") or ()), {}]}}


def are_alike_without(one: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    """Whether nothing but empties keeps the schemas of two versions (`{openAPIV3Schema: …}`) apart: to upstream's
    semantic comparison they are as good as absent."""
    schemas = [(each or {}).get("openAPIV3Schema") for each in (one, other)]
    if one is None or other is None or not any(each is not None and members.has_empty(each) for each in schemas):
        return False
    copies = [json_kernel.copy(each) for each in schemas]
    for copy in copies:
        for empty in _find(copy) if copy is not None else ():
            del empty.schema[empty.name]
    return jsonvalues.are_equal(*copies)


def _find(root: Schema) -> list[_Empty]:
    found: list[_Empty] = []
    pending = [root]
    while pending:
        schema = pending.pop()
        longsteps.pause()
        for name, value in schema.items():
            if type(value) in (dict, list):
                if value:
                    pending += _schemas_in(name, value)
                elif name in _OMITTED:
                    found.append(_Empty(schema, name, value))
    return found


def _schemas_in(name: str, value: Any) -> list[Schema]:
    """The schemas in a member of a schema that is not empty."""
    if name in _MAPS_OF_SCHEMAS:
        return [child for child in value.values() if type(child) is dict]
    if name in _LISTS_OF_SCHEMAS or (name == "items" and type(value) is list):
        return list(value)
    return [value] if name in ("items", "additionalProperties", "additionalItems", "not") else []
