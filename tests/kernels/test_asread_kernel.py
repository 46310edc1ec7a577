"""What an object is once it was written and read again; tests/property/test_objects_as_read.py does both beside it."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck._kernels.asread import as_read


@pytest.mark.parametrize(
    "value", [None, True, "", "é", "a\x00b", 0, -(2**63), 2**63 - 1, 0.5, -1e-7, [], {}, [[], {"a": [None]}]]
)
def test_what_is_read_as_it_is_is_told(value: Any) -> None:
    made = as_read({"spec": value, "metadata": {"a": value}, "kind": "K"}, "7")
    assert made == {"apiVersion": "", "kind": "K", "metadata": {"resourceVersion": "7", "a": value}, "spec": value}
    assert list(made) == ["apiVersion", "kind", "metadata", "spec"]


@pytest.mark.parametrize(
    "value", [1.0, 2**63, -(2**63) - 1, 1e300, float("nan"), float("inf"), "\ud800", ("a",), {1: 2}, {"\ud800": 1}]
)
def test_what_is_read_as_something_else_is_left_to_reading(value: Any) -> None:
    for place in ({"spec": value}, {"spec": [value]}, {"spec": {"a": {"b": value}}}, {"metadata": {"a": value}}):
        obj = {"apiVersion": "v1", "kind": "K", "metadata": {}, **place}
        assert as_read(obj, "7") is None


def test_metadata_that_is_none_and_great_depth_are_left_to_reading() -> None:
    assert as_read({"apiVersion": "v1", "kind": "K"}, "7") is None
    assert as_read({"metadata": []}, "7") is None
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    assert as_read({"metadata": {}, "spec": deep}, "7") is None


def test_dicts_in_the_metadata_are_new() -> None:
    labels, spec = {"a": "b"}, {"c": 1}
    made = as_read({"apiVersion": "v1", "kind": "K", "metadata": {"labels": labels}, "spec": spec}, "7")
    assert made is not None
    assert made["metadata"]["labels"] == labels
    assert made["metadata"]["labels"] is not labels
    assert made["spec"] is spec
