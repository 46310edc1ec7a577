"""FieldsV1 as clients may send it, and its paths as texts.

Source: structured-merge-diff v6, fieldpath/serialize.go, element.go (String).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from quarterdeck._kernels import fieldset, longsteps
from quarterdeck.apimachinery import gofmt
from quarterdeck.fieldmanager import pathelement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quarterdeck._kernels.fieldset import Set


def normalize(sent: object) -> Set:
    """The set that a client's FieldsV1 stands for, in canonical form. What kind of element is unknown is dropped."""
    if not isinstance(sent, dict):
        raise pathelement.MalformedFields("expect { or n")
    out: Set = {}
    todo: list[tuple[Set, dict[str, Any]]] = [(out, sent)]
    while todo:
        made, source = todo.pop()
        for label, (is_member, below) in _elements(source).items():
            child: Set = {".": {}} if is_member and below else {}
            made[label] = child
            if below:
                todo.append((child, below))
    return fieldset.order(_without_lone_self(out))


def _elements(source: dict[str, Any]) -> dict[str, tuple[bool, dict[str, Any]]]:
    """The elements of a node: whether each is a member, and what lies below it.

    One may be spelled in several ways (`v:1`, `v:1.0`): then the last spelling below which there is anything counts."""
    found: dict[str, tuple[bool, dict[str, Any]]] = {}
    for text in longsteps.sort(source):
        label = None if text == "." else pathelement.normalize(text)
        if label is None:
            continue
        below = source[text]
        if below is None:
            below = {}
        elif not isinstance(below, dict):
            raise pathelement.MalformedFields("expect { or n")
        has_elements = any(name != "." and pathelement.normalize(name) is not None for name in below)
        is_member, before = found.get(label, (False, {}))
        if has_elements:
            found[label] = (is_member or "." in below, below)
        else:
            found[label] = (True, before)
    return found


def _without_lone_self(fields: Set) -> Set:
    """A node that holds nothing but itself is a member without children."""
    todo = [fields]
    while todo:
        node = todo.pop()
        for label, below in node.items():
            if len(below) == 1 and "." in below:
                node[label] = {}
            elif below and label != ".":
                todo.append(below)
    return fields


def paths(fields: Set) -> Iterator[tuple[str, ...]]:
    """Every member as its labels from the root: those of a node first, then what lies below each of its children."""
    todo: list[tuple[tuple[str, ...], Set]] = [((), fields)]
    while todo:
        prefix, node = todo.pop()
        children = []
        for label, below in node.items():
            if label == ".":
                continue
            if not below or "." in below:
                yield (*prefix, label)
            if below:
                children.append(((*prefix, label), below))
        todo.extend(reversed(children))


def path_text(labels: Iterable[str]) -> str:
    return "".join(map(label_text, labels))


def label_text(label: str, item: object = None) -> str:
    """`.name`, `[key="value"]`, `[="value"]` or `[0]`. Numbers of a path that was stored are floats; `item` is what the
    path of a value leads to, whose numbers are as they were sent."""
    kind, content = label[0], label[2:]
    if kind == "f":
        return "." + content
    if kind == "i":
        return f"[{content}]"
    value = json.loads(content, parse_int=float)
    if kind == "v":
        return f"[={_value_text(value if item is None else item)}]"
    if isinstance(item, dict):
        value.update((name, item[name]) for name in value.keys() & item.keys())
    return "[" + ",".join(f"{name}={_value_text(value[name])}" for name in sorted(value)) + "]"


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return gofmt.quote(value)
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{','.join(map(_value_text, value))}]"
    if isinstance(value, dict):
        return "".join(f"{name}={_value_text(below)}" for name, below in value.items())
    return gofmt.format_value(value)
