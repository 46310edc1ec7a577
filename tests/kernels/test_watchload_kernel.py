"""Entries of what is stored are those that are made one by one."""

from __future__ import annotations

import sys

import pytest

from quarterdeck._kernels.watchload import take_in
from quarterdeck._kernels.watchobject import Entry

PREFIX = "/registry/core/configmaps/"
VALUE = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}'
SHOWN = VALUE.replace(b'{"name"', b'{"resourceVersion":"%d","name"')


def take(items: list[tuple[str, bytes, int, int]], start: int = 0) -> tuple[int, list[tuple[object, ...]]]:
    entries: list[Entry] = []
    until = take_in(items, start, PREFIX, entries)
    shown = [(each.path, each.namespace, each.data, each.revision, each.create_revision) for each in entries]
    assert all(each.labels is None and each.fields is None for each in entries)
    assert all(each.namespace is sys.intern(each.namespace) for each in entries)
    return until, shown


def test_objects_of_one_resource() -> None:
    names = ["a/one", "a/two", "ab/one", "", "one", "a/b/c", "ü/one", "a/one"]
    items = [(PREFIX + name, VALUE, number + 5, number) for number, name in enumerate(names)]
    until, shown = take(items)
    assert until == len(items)
    assert shown == [
        (name, name.partition("/")[0] if "/" in name else "", SHOWN % (number + 5), number + 5, number)
        for number, name in enumerate(names)
    ]


@pytest.mark.parametrize(
    "other",
    [
        ("/registry/core/secrets/a/one", VALUE, 2, 2),
        ("/registry/core/configmap", VALUE, 2, 2),
        (f"{PREFIX}a/one", b'{"metadata":{}}', 2, 2),
    ],
)
def test_it_ends_before_what_has_to_be_looked_at_closely(other: tuple[str, bytes, int, int]) -> None:
    items = [(f"{PREFIX}a/b", VALUE, 1, 1), other, (f"{PREFIX}a/c", VALUE, 3, 3)]
    assert take(items) == (1, [("a/b", "a", SHOWN % 1, 1, 1)])
    assert take(items, 1) == (1, [])
    assert take(items, 2) == (3, [("a/c", "a", SHOWN % 3, 3, 3)])
    assert take(items, 3) == (3, [])


@pytest.mark.parametrize("item", [None, (), ("a", b"", 1), (b"a", b"", 1, 1), ("a", "", 1, 1), ("a", b"", 2**63, 1)])
def test_what_is_no_item(item: object) -> None:
    with pytest.raises((TypeError, OverflowError)):
        take([item])  # type: ignore[list-item]
