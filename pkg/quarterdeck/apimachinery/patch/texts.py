"""The text of a patched document, as a refusal of the patch quotes it.

Upstream patches texts: what a patch does not look into stays as it was written, by the server or by the client, save
spaces and what is escaped for HTML; an object that it looks into is written anew, sorted by its keys. So `1e-07` and
"\\u00e9" of a patch are quoted as they were sent, and objects of built-in kinds have the order of their Go types where
the patch does not go.

A document is cut into tokens once; its nodes are spans of them, opened where a patch looks into them.

Source: gopkg.in/evanphx/json-patch.v4 (lazyNode), encoding/json (RawMessage).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.patch import jsonpatch

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
_HTML: Final = str.maketrans({
    "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029",
})  # fmt: skip


class _Text:
    """A JSON text cut into tokens; `ends` has the place after the bracket that closes the one at a place."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = _TOKEN.findall(text)
        self.ends: dict[int, int] = {}
        open_at: list[int] = []
        for at, token in enumerate(self.tokens):
            if token in ("{", "["):
                open_at.append(at)
            elif token in ("}", "]"):
                self.ends[open_at.pop()] = at + 1

    def root(self) -> _Node | None:
        return self.node(0)

    def node(self, at: int) -> _Node | None:
        return None if self.tokens[at] == "null" else _Node(self, at)

    def end(self, at: int) -> int:
        return self.ends.get(at, at + 1)


class _Node:
    """A value. `members` are its children once somebody has looked into it; null is None."""

    __slots__ = ("at", "members", "text")

    def __init__(self, text: _Text, at: int) -> None:
        self.text = text
        self.at = at
        self.members: dict[str, _Node | None] | list[_Node | None] | None = None

    def open(self) -> dict[str, _Node | None] | list[_Node | None] | None:
        """The children; None for a scalar."""
        if self.members is None:
            first = self.text.tokens[self.at]
            if first == "{":
                self.members = dict(self._fields())
            elif first == "[":
                self.members = list(self._items())
        return self.members

    def _fields(self) -> Iterator[tuple[str, _Node | None]]:
        tokens, at, end = self.text.tokens, self.at + 1, self.text.end(self.at) - 1
        while at < end:
            yield json_codec.decode(tokens[at].encode("utf-8", "surrogatepass")).value, self.text.node(at + 2)
            at = self.text.end(at + 2) + 1

    def _items(self) -> Iterator[_Node | None]:
        at, end = self.at + 1, self.text.end(self.at) - 1
        while at < end:
            yield self.text.node(at)
            at = self.text.end(at) + 1

    def raw(self) -> str:
        return "".join(self.text.tokens[self.at : self.text.end(self.at)]).translate(_HTML)


def compact(text: str) -> str:
    """A JSON text without the spaces between its tokens, and with what is escaped for HTML."""
    return "".join(_TOKEN.findall(text)).translate(_HTML)


def merged(document: str, patch: bytes) -> str:
    """The text of `document`, an object, after a merge patch, an object or a list too."""
    root = _Text(document).root()
    changes = _Text(gofmt.decode_utf8(patch)).root()
    assert root is not None
    if changes is None:
        return "null"
    if not isinstance(changes.open(), dict):
        _drop_nulls(changes)
        return _write(changes)
    pending = [(root, changes)]
    while pending:
        target, change = pending.pop()
        members, wanted = target.open(), change.open()
        assert isinstance(members, dict)
        assert isinstance(wanted, dict)
        for name, value in wanted.items():
            current = members.get(name)
            if value is None:
                members.pop(name, None)
            elif current is not None and _is_object(current):
                if _is_object(value):
                    pending.append((current, value))
                else:
                    members[name] = value
            else:
                _drop_nulls(value)
                members[name] = value
    return _write(root)


def patched(document: str, patch: bytes) -> str:
    """The text of `document` after a JSON patch that is known to apply to it."""
    root = _Text(document).root()
    assert root is not None
    root.open()
    sent = _Text(gofmt.decode_utf8(patch)).root()
    operations = json_codec.decode(patch, keeps_huge=True).value or []
    texts = sent.open() if sent is not None else []
    for operation, text in zip(operations, texts or [], strict=True):
        members = text.open() if isinstance(text, _Node) else {}
        value = members.get("value") if isinstance(members, dict) else None
        if value is not None and operation["op"] == "replace" and not operation["path"]:
            root = value
            root.open()
        else:
            _operate(root, operation or {}, value)
    return _write(root)


def _operate(root: _Node, operation: dict[str, Any], value: _Node | None) -> None:
    kind, path = operation["op"], operation["path"]
    if kind == "test":
        if not path:
            _open_all(root)
            return
        container, key = _find(root, path)
        _open_all(container.get(key) if isinstance(container, dict) else container[_place(key, container)])
        return
    if kind in ("move", "copy"):
        container, key = _find(root, operation["from"])
        value = container.get(key) if isinstance(container, dict) else container[_place(key, container)]
        if kind == "move":
            _delete(container, key)
    container, key = _find(root, path)
    if kind == "copy" and value is not None:  # which is written as it is now: its place may be inside of it
        value = _Text(_write(value)).root()
    if kind == "remove":
        _delete(container, key)
    elif isinstance(container, dict):
        container[key] = value
    elif kind == "replace":
        container[_place(key, container)] = value
    else:
        container.insert(len(container) if key == "-" else _place(key, [*container, None]), value)


def _find(root: _Node | None, path: str) -> tuple[Any, str]:
    names = [jsonpatch.unescape(token) for token in path.split("/")[1:]]
    node = root
    for name in names[:-1]:
        assert node is not None
        members = node.open()
        node = members.get(name) if isinstance(members, dict) else (members or [])[_place(name, members or [])]
    assert node is not None
    return node.open(), names[-1]


def _place(key: str, container: list[Any]) -> int:
    return int(key) % len(container)


def _delete(container: Any, key: str) -> None:
    if isinstance(container, list):
        del container[_place(key, container)]
    else:
        del container[key]


def _open_all(node: _Node | None) -> None:
    """A comparison looks into all that it compares."""
    pending = [node] if node is not None else []
    while pending:
        members = pending.pop().open() or []
        pending += [value for value in _values(members) if value is not None]


def _values(members: dict[str, _Node | None] | list[_Node | None]) -> list[_Node | None]:
    return list(members.values()) if isinstance(members, dict) else members


def _is_object(node: _Node) -> bool:
    return node.text.tokens[node.at] == "{"


def _drop_nulls(node: _Node) -> None:
    """Opens everything and drops the members of objects that are null."""
    pending = [node]
    while pending:
        members = pending.pop().open() or []
        if isinstance(members, dict):
            for name in [name for name, value in members.items() if value is None]:
                del members[name]
        pending += [value for value in _values(members) if value is not None]


def _write(root: _Node | None) -> str:
    out: list[str] = []
    stack: list[_Node | str | None] = [root]
    while stack:
        item = stack.pop()
        if item is None:
            out.append("null")
        elif isinstance(item, str):
            out.append(item)
        elif item.members is None:
            out.append(item.raw())
        else:
            stack += reversed(_pieces(item.members))
    return "".join(out)


def _pieces(members: dict[str, _Node | None] | list[_Node | None]) -> list[_Node | str | None]:
    """What the text of an opened container consists of."""
    pieces: list[_Node | str | None] = []
    if isinstance(members, dict):
        for name in longsteps.sort(members):
            pieces += ["," if pieces else "{", gofmt.format_json(name) + ":", members[name]]
        return [*(pieces or ["{"]), "}"]
    for item in members:
        pieces += ["," if pieces else "[", item]
    return [*(pieces or ["["]), "]"]
