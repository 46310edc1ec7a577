"""Which fields of definitions' schemas clients have ever set.

A field is a member that a schema names, wherever it stands; what is in lists and maps counts together for all of them
(coverage/paths.py). A version's fields are a tree, made at the first write: what a write sets is found without looking
at anything that the schema does not name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from quarterdeck.coverage.paths import CHARS_MAX, DEPTH_MAX, LIST_ITEM, MAP_VALUE, member

FIELDS_MAX: Final = 200_000  # of all versions: some 50 MiB
VERSIONS_MAX: Final = 4096
_OBJECTS_OWN: Final = frozenset(("apiVersion", "kind", "metadata"))
_SETTING: Final = frozenset(("add", "replace", "copy", "move"))
_CONTAINERS: Final = (dict, list)


class Field:
    """`count`: of the writes that set it. `element` is what lists or maps hold, by `mark`; it is no field itself."""

    __slots__ = ("count", "element", "mark", "members")

    def __init__(self) -> None:
        self.count = 0
        self.members: dict[str, Field] | None = None
        self.element: Field | None = None
        self.mark = ""


Found = dict[Field, None]


class VersionFields:
    """Of one version of a definition, whose schema has the digest. `number` of fields there are, `left_out` there is
    no room for."""

    def __init__(self, digest: str, schema: Mapping[str, Any], room: int) -> None:
        self.digest = digest
        self.number = 0
        self.left_out = 0
        self.writes = 0
        self.root = Field()
        self._build(schema, room)

    def _build(self, schema: Mapping[str, Any], room: int) -> None:
        pending: list[tuple[Field, Mapping[str, Any], int, int]] = [(self.root, schema, 0, 0)]
        while pending:
            field, node, depth, chars = pending.pop()
            for name, below in (node.get("properties") or {}).items():
                if field is self.root and name in _OBJECTS_OWN:
                    continue
                longer = chars + len(name) + 1
                if self.number >= room or depth >= DEPTH_MAX or longer > CHARS_MAX:
                    self.left_out += 1
                    continue
                self.number += 1
                field.members = field.members or {}
                made = field.members[name] = Field()
                pending.append((made, below, depth + 1, longer))
            for keyword, mark in (("items", LIST_ITEM), ("additionalProperties", MAP_VALUE)):
                below = node.get(keyword)
                if isinstance(below, dict) and depth < DEPTH_MAX:
                    field.element, field.mark = Field(), mark
                    pending.append((field.element, below, depth + 1, chars + len(mark)))

    def inherit(self, earlier: VersionFields) -> None:
        """What was set while the schema was another one stays set."""
        self.writes = earlier.writes
        pending = [(self.root, earlier.root)]
        while pending:
            field, old = pending.pop()
            field.count = old.count
            if field.members and old.members:
                pending += [(below, old.members[name]) for name, below in field.members.items() if name in old.members]
            if field.element is not None and old.element is not None and field.mark == old.mark:
                pending.append((field.element, old.element))

    def add(self, found: Found) -> None:
        self.writes += 1
        for field in found:
            field.count += 1

    def counts(self) -> Iterator[tuple[str, int]]:
        """Of each field, by its path; fields stand behind what they are in."""
        pending = [("", self.root)]
        while pending:
            path, field = pending.pop()
            if field.element is not None:
                pending.append((path + field.mark, field.element))
            for name, below in sorted((field.members or {}).items(), reverse=True):
                pending.append((member(path, name), below))
            if path and not path.endswith((LIST_ITEM, MAP_VALUE)):
                yield path, field.count


class Fields:
    """Of all definitions that have been written to, by name and version. The one that was prepared first makes room for
    others; `left_out` counts the fields of those that are forgotten so."""

    def __init__(self) -> None:
        self.left_out = 0
        self._versions: dict[tuple[str, str], VersionFields] = {}

    def get(self, definition: str, version: str) -> VersionFields | None:
        return self._versions.get((definition, version))

    def prepare(self, definition: str, version: str, digest: str, schema: Mapping[str, Any]) -> VersionFields:
        """What a write to a version is added to that has not been written to while its schema was this one."""
        earlier = self._versions.pop((definition, version), None)
        if len(self._versions) >= VERSIONS_MAX:
            self.left_out += self._versions.pop(next(iter(self._versions))).number
        room = FIELDS_MAX - sum(each.number for each in self._versions.values())
        made = self._versions[definition, version] = VersionFields(digest, schema, room)
        if earlier is not None:
            made.inherit(earlier)
        return made

    def all(self) -> list[tuple[str, str, VersionFields]]:
        return [(*key, found) for key, found in self._versions.items()]

    def clear(self) -> None:
        self._versions.clear()
        self.left_out = 0


def find(root: Field, value: Any) -> Found:
    """The fields that an object, or a part of one in a patch, has a value for. null is none."""
    found: Found = {}
    _find(root, value, found)
    return found


def find_patched(root: Field, operations: Any) -> Found:
    """Those that the operations of a JSON patch give a value, and those on the way to them."""
    found: Found = {}
    for operation in operations if isinstance(operations, list) else ():
        if not isinstance(operation, dict) or operation.get("op") not in _SETTING:
            continue
        value = operation.get("value")
        if value is None and operation["op"] in ("add", "replace"):
            continue
        field = _follow(root, str(operation.get("path") or "").split("/")[1:], found)
        if field is not None:
            _find(field, value, found)
    return found


def find_at(root: Field, names: Sequence[str]) -> Found:
    """The field that the names lead to, and those on the way."""
    found: Found = {}
    _follow(root, names, found)
    return found


def _find(field: Field, value: Any, found: Found) -> None:
    pending = [(field, value)]
    while pending:
        field, value = pending.pop()
        members, element = field.members, field.element
        if type(value) is list:
            if element is not None and field.mark == LIST_ITEM:
                pending += [(element, below) for below in value if type(below) in _CONTAINERS]
        elif type(value) is not dict:
            continue
        elif members is not None:
            for name, below in value.items():
                if below is not None and (known := members.get(name)) is not None:
                    found[known] = None
                    if type(below) in _CONTAINERS:
                        pending.append((known, below))
        elif element is not None and field.mark == MAP_VALUE:
            pending += [(element, below) for below in value.values() if type(below) in _CONTAINERS]


def _follow(root: Field, tokens: Sequence[str], found: Found) -> Field | None:
    """Where a JSON pointer leads to; None where that is no field and nothing in one."""
    field: Field | None = root
    on_the_way: Found = {}
    for token in tokens:
        assert field is not None
        name = token.replace("~1", "/").replace("~0", "~")
        if field.element is not None:
            field = field.element
            continue
        field = (field.members or {}).get(name)
        if field is None:
            break
        on_the_way[field] = None
    found.update(on_the_way)
    return field
