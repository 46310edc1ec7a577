"""The apiVersion and kind of a document, as encoding/json finds them."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.codec import typemeta


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (None, ("", "")),
        ({}, ("", "")),
        ({"apiVersion": "v1", "kind": "K"}, ("v1", "K")),
        ({"APIVERSION": "v1", "Kind": "K"}, ("v1", "K")),
        ({"kind": "K", "KIND": "L"}, ("", "L")),
        ({"KIND": "L", "kind": "K"}, ("", "K")),
        ({"kind": "K", "KIND": None}, ("", "K")),
        ({"kind": "K", "kinds": "L", "kin": "M"}, ("", "K")),
    ],
)
def test_the_last_one_counts_whatever_the_case_of_its_letters(document: Any, expected: tuple[str, str]) -> None:
    assert typemeta.read(document) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ([("kind", "K"), ("kind", "L")], ("", "L")),
        ([("kind", "K"), ("kind", None)], ("", "K")),
        ([("apiVersion", None), ("kind", "K"), ("apiVersion", "v1")], ("v1", "K")),
    ],
)
def test_each_of_several_members_of_a_name_is_read(members: Any, expected: tuple[str, str]) -> None:
    assert typemeta.read_members(members) == expected


@pytest.mark.parametrize("name", ["kind", "Kind", "KIND"])
def test_a_refusal_names_the_field_as_go_does(name: str) -> None:
    text = "json: cannot unmarshal number into Go struct field .kind of type string"
    with pytest.raises(typemeta.Mismatch, match=text):
        typemeta.read_members([(name, 5), ("kind", "K")])


def test_what_was_yaml_is_read_in_the_order_of_names() -> None:
    assert typemeta.read({"kind": "K", "KIND": "L"}, is_sorted=True) == ("", "K")


@pytest.mark.parametrize(("name", "told"), [("KIND", ".kind"), ("APIVersion", ".apiVersion")])
def test_a_value_of_another_type_is_told_by_the_name_that_go_gives_it(name: str, told: str) -> None:
    with pytest.raises(typemeta.Mismatch, match=f"Go struct field {told} of type string"):
        typemeta.read({name: 5})


@pytest.mark.parametrize("document", [5, [], {"kind": 5}, {"kind": "K", "KIND": {}}, {"Kind": [], "kind": "K"}])
def test_another_type_is_refused_wherever_it_stands(document: Any) -> None:
    with pytest.raises(typemeta.Mismatch):
        typemeta.read(document)


@pytest.mark.parametrize(
    ("more", "is_plain"),
    [
        ({}, True),
        ({"spec": 1, "data": 2}, True),
        ({"KIND": "L"}, False),
        ({"apiversion": "v1"}, False),
        ({"K": 1}, True),
    ],
)
def test_a_document_says_plainly_what_it_is_where_nothing_else_says_it(more: dict[str, Any], is_plain: bool) -> None:
    assert typemeta.is_plainly({"apiVersion": "v1", "kind": "K", **more}, "v1", "K") is is_plain
    assert not typemeta.is_plainly({"apiVersion": "v1", "kind": "L", **more}, "v1", "K")
