"""Reading stored objects whose sets of fields are known: always what reading them in full gives."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from quarterdeck._kernels import jsonwrite, knownsets


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    knownsets.forget()
    yield
    knownsets.forget()


def fields_of(count: int, prefix: str = "name") -> dict[str, Any]:
    return {"f:spec": {".": {}, **{f"f:{prefix}-{number}": {} for number in range(count)}}}


def entry_of(fields: Any, **more: Any) -> dict[str, Any]:
    return {"manager": "m", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": fields, **more}


def stored(*entries: Any, **more: Any) -> bytes:
    obj = {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a", "managedFields": list(entries)}, **more}
    data = jsonwrite.encode_stored(obj)
    assert data is not None
    return data


def load(data: bytes) -> Any:
    return knownsets.load(data, orjson.loads)


def sets_of(obj: Any) -> list[Any]:
    return [entry["fieldsV1"] for entry in obj["metadata"]["managedFields"]]


def test_objects_with_the_same_texts_share_their_sets() -> None:
    first = load(stored(entry_of(fields_of(20)), entry_of(fields_of(30), subresource="status"), spec={"a": 1}))
    second = load(stored(entry_of(fields_of(20)), entry_of(fields_of(30), subresource="status"), spec={"a": 2}))
    assert [one is other for one, other in zip(sets_of(first), sets_of(second), strict=True)] == [True, True]
    assert (first["spec"], second["spec"]) == ({"a": 1}, {"a": 2})
    assert list(second["metadata"]["managedFields"][1]) == [*entry_of({}), "subresource"]


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [entry_of(fields_of(0))],
        [entry_of({})],
        [entry_of(fields_of(1)), entry_of(fields_of(50))],
        [entry_of(fields_of(50)), entry_of(fields_of(1)), entry_of(fields_of(50))],
        [entry_of(fields_of(50), subresource="a}b]c,{\"")],
        [entry_of(fields_of(50), subresource='"fieldsV1":{')],
        [entry_of(fields_of(50, 'q"\\}{'))],
        [entry_of(fields_of(50)) for _ in range(12)],
        [{"manager": "without"}, entry_of(fields_of(50))],
        [entry_of(fields_of(50)), {"manager": "without"}],
        [entry_of(None), entry_of(fields_of(50))],
        [entry_of([fields_of(50)])],
        [{"manager": "m", "fieldsV1": fields_of(50), "operation": "Update"}],
        [entry_of(fields_of(2_000))],
        [5, entry_of(fields_of(50))],
    ],
)  # fmt: skip
def test_what_is_read_is_what_stands_there(entries: list[Any]) -> None:
    others = [stored(entry_of(fields_of(50))), stored(entry_of(fields_of(50, 'q"\\}{')))]
    data = stored(*entries, spec={"text": "x" * 100})
    for _ in range(3):
        assert load(data) == orjson.loads(data)
        assert jsonwrite.encode_stored(load(data)) == data
        for other in others:
            assert load(other) == orjson.loads(other)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_what_stands_elsewhere_is_left_alone(count: int) -> None:
    """An object may hold such members, too, and others of their names."""
    inner = {"managedFields": [entry_of(fields_of(50))], "fieldsV1": fields_of(50)}
    whole = stored(*[entry_of(fields_of(50))] * count, spec=inner, fieldsV1=fields_of(50), text='"fieldsV1":{"a"')
    without = {"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}, "spec": inner}
    early = {"spec": inner, "metadata": {"managedFields": [entry_of(fields_of(50))]}}
    load(stored(entry_of(fields_of(50))))
    for data in (whole, jsonwrite.encode(without), jsonwrite.encode(early), jsonwrite.encode([early])):
        for _ in range(2):
            assert load(data) == orjson.loads(data)


def test_text_that_is_written_otherwise_is_read_but_not_kept() -> None:
    """As another server may have written it."""
    fields = fields_of(50)
    spaced = json.dumps({"metadata": {"managedFields": [entry_of(fields)]}}).encode()
    escaped = stored(entry_of(fields)).replace(b"f:name-1", b"f:n\\u0061me-1")
    for data in (spaced, escaped):
        assert load(data) == load(data) == orjson.loads(data)
        assert sets_of(load(data))[0] is not sets_of(load(data))[0]


@pytest.mark.parametrize("end", [1, 40, 100, 200, 700, -1])
def test_what_is_cut_off_is_refused(end: int) -> None:
    data = stored(entry_of(fields_of(50)), entry_of(fields_of(20)))
    load(data)
    with pytest.raises(orjson.JSONDecodeError):
        load(data[:end])


def test_one_text_may_begin_as_another_does() -> None:
    texts = [fields_of(count) for count in range(5, 60)]
    chance = random.Random(1)
    for _ in range(2_000):
        entries = [entry_of(chance.choice(texts)) for _ in range(chance.randrange(1, 4))]
        data = stored(*entries)
        obj = load(data)
        assert obj == orjson.loads(data)
        assert jsonwrite.encode_stored(obj) == data


def test_after_sets_that_never_come_again_one_that_does_is_kept() -> None:
    kept = load(stored(entry_of(fields_of(50))))
    for number in range(5_000):
        data = stored(entry_of(fields_of(40, f"n-{number}")))
        assert load(data) == orjson.loads(data)
    again = [sets_of(load(stored(entry_of(fields_of(50)))))[0] for _ in range(12)]
    assert again[-1] is again[-2]
    assert again[-1] == sets_of(kept)[0]
