"""Schemas and objects that fit them, for the property tests of field management."""

from hypothesis import strategies as st

STRING = {"type": "string"}
INTEGER = {"type": "integer"}

names = st.sampled_from(["a", "b", "c"])
texts = st.sampled_from(["x", "y", "<&>", 'q"', "ü"])
numbers = st.integers(-1, 2)
loose_leaves = st.one_of(texts, numbers, st.booleans())
loose_values = st.recursive(
    loose_leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(names, inner, max_size=2)),
    max_leaves=5,
)

ITEM = {
    "type": "object",
    "properties": {
        "name": STRING,
        "port": {"type": "integer", "default": 1},
        "tags": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
        "more": {"type": "object", "properties": {"a": STRING, "b": STRING}},
    },
}
SET = {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}
GROUP = {"type": "object", "properties": {"a": STRING, "set": SET}}
INNER = {"type": "object", "properties": {"b": STRING}}
SPEC = {
    "type": "object",
    "properties": {
        "text": STRING,
        "count": INTEGER,
        "plain": {"type": "array", "items": STRING},
        "set": SET,
        "numbers": {"type": "array", "items": INTEGER, "x-kubernetes-list-type": "set"},
        "items": {
            "type": "array",
            "items": ITEM,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "name"],
        },
        "map": {"type": "object", "additionalProperties": STRING},
        "whole": {"type": "object", "properties": {"a": STRING, "b": STRING}, "x-kubernetes-map-type": "atomic"},
        "nested": {"type": "object", "properties": {"a": STRING, "set": SET, "inner": INNER}},
        "groups": {"type": "object", "additionalProperties": GROUP},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}  # fmt: skip
ROOT = {"type": "object", "properties": {"apiVersion": STRING, "kind": STRING, "spec": SPEC}}

items = st.fixed_dictionaries(
    {},
    optional={
        "name": texts,
        "port": st.integers(1, 2),
        "tags": st.lists(texts, max_size=2, unique=True),
        "more": st.fixed_dictionaries({}, optional={"a": texts, "b": texts}),
    },
)


def _distinct(found):
    return list({(item.get("name"), item.get("port", 1)): item for item in found}.values())


def specs(*, duplicates=False):
    """What fits SPEC; with `duplicates` also sets and lists of maps that hold an item twice."""
    sets = st.lists(texts, max_size=3) if duplicates else st.lists(texts, max_size=3, unique=True)
    counts = st.lists(numbers, max_size=3) if duplicates else st.lists(numbers, max_size=3, unique=True)
    item_lists = st.lists(items, max_size=3)
    members = {
        "text": texts,
        "count": numbers,
        "plain": st.lists(texts, max_size=2),
        "set": sets,
        "numbers": counts,
        "items": item_lists if duplicates else item_lists.map(_distinct),
        "map": st.dictionaries(names, _or_null(texts), max_size=2),
        "whole": st.fixed_dictionaries({}, optional={"a": texts, "b": texts}),
        "nested": st.fixed_dictionaries(
            {},
            optional={
                "a": texts,
                "set": sets,
                "inner": _or_null(st.fixed_dictionaries({}, optional={"b": texts})),
            },
        ),
        "groups": st.dictionaries(names, st.fixed_dictionaries({}, optional={"a": texts, "set": sets}), max_size=2),
        "free": st.dictionaries(names, loose_values, max_size=2),
    }
    return st.fixed_dictionaries({}, optional={name: _or_null(value) for name, value in members.items()})


def _or_null(values):
    return st.one_of(values, values, values, st.none())
