"""What a request has written down empty."""

from __future__ import annotations

from quarterdeck.registry.builtin import written


def test_empty_members_come_back_where_they_were_sent() -> None:
    written.note({"spec": {"a": [], "b": {}, "c": [{"d": []}], "e": 1, "f": None}})
    assert written.restore({"c": [{}], "e": 1}, "spec") == {"a": [], "b": {}, "c": [{"d": []}], "e": 1}
    assert written.is_empty("spec", "a")
    assert written.is_empty("spec", "b")
    assert not written.is_empty("spec", "c")


def test_nothing_is_kept_of_an_object_without_empty_members() -> None:
    written.note({"spec": {"a": []}})
    written.note({"spec": {"a": [1]}})
    assert not written.is_empty("spec", "a")
    assert written.restore({}, "spec") == {}


def test_what_is_printed_at_a_field() -> None:
    written.note({"spec": {"a": [], "b": [{"c": {}}, {}]}})
    assert written.shown("spec.a", []) == []
    assert written.shown("spec.b[0].c", None) == {}
    assert written.shown("spec.b[1].c", None) is None
    assert written.shown("spec.b[7].c", None) is None
    assert written.shown("spec.other", ["x"]) == ["x"]
