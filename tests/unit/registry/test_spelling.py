"""Members that Go compares as they were sent."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.apps import resources
from quarterdeck.registry.builtin.spelling import OBJECTS_MAX, EmptyBytes, Spelling
from quarterdeck.registry.strategy import copy_value
from support.builtin_kind import BuiltinKind

Object = dict[str, Any]
BODY = {"spec": {"config": [{"a": 1}, {"raw": {"y": 1, "x": [1, "<"]}}]}}
SPACED = b'{"spec": {"skip": [{"raw": 1}, "}"], "config": [ {"a": 1}, {"raw" : {"y": 1, "x": [1, "<"]} } ]}}'
COMPACT = b'{"spec":{"config":[{"a":1},{"raw":{"y":1,"x":[1,"\\u003c"]}}]}}'


def spelling() -> Spelling:
    return Spelling("spec.config.*.raw", "status.raw")


def stored(revision: str, **members: Any) -> Object:
    return {"metadata": {"uid": "u", "resourceVersion": revision}, **BODY, **members}


def made(found: Spelling, text: bytes) -> None:
    found.note(BODY)
    found.note_text(text)
    found.remember_new(stored(""))


@pytest.mark.parametrize(("text", "is_changed"), [(SPACED, True), (COMPACT, False), (b'{"spec": [', False)])
def test_a_patch_leaves_blanks_out(text: bytes, is_changed: bool) -> None:
    found = spelling()
    made(found, text)
    found.note(BODY)
    assert found.is_changed("spec", stored("1")) is is_changed


def test_a_refused_update_says_nothing_of_an_object_that_is_marked_for_deletion() -> None:
    found = spelling()
    made(found, SPACED)
    found.note(BODY)
    found.remember(stored("1"), stored("1"), "spec")
    found.settle(stored("1"))
    assert found.is_changed("spec", stored("2")), "a patch would leave the blanks out, as that one would have done"


def test_what_the_server_writes_by_itself_is_spelled_as_it_was() -> None:
    found = spelling()
    found.remember_new(stored(""))
    assert not found.is_changed("spec", stored("1"))
    found.remember(stored("1"), stored("1"), "spec")
    found.note(BODY)
    assert not found.is_changed("spec", stored("2"))


NUMBERS = b'{"spec":{"config":[{"a":1},{"raw":{"y":1.0,"x":[1e0,"\\u003c"],"y":1}}]}}'


@pytest.mark.parametrize(("text", "is_changed"), [(NUMBERS, False), (SPACED.replace(b'"y": 1', b'"y": 1.0'), True)])
def test_a_patch_of_a_text_leaves_numbers_and_repeated_members_as_they_are(text: bytes, is_changed: bool) -> None:
    found = spelling()
    made(found, text)
    for revision in ("1", "2"):
        found.note(BODY)
        found.note_patched(COMPACT, copy_value(BODY))
        assert found.is_changed("spec", stored(revision)) is is_changed
        found.remember(stored(revision), stored(revision), "spec")
        is_changed = False
    found.note(BODY)
    found.note_text(COMPACT)
    assert found.is_changed("spec", stored("3"))  # who sends it otherwise changes it


@pytest.mark.parametrize(("sent", "is_changed"), [(BODY, False), ({"spec": {"config": [{"a": 1}, {"raw": 2}]}}, True)])
def test_what_protobuf_showed_is_spelled_as_it_was(sent: Object, is_changed: bool) -> None:
    found = spelling()
    made(found, SPACED)
    found.note(sent)
    found.note_protobuf()
    assert found.is_changed("spec", stored("1")) is is_changed
    found.remember(stored("1"), stored("1"), "spec")
    found.note(BODY)
    assert found.is_changed("spec", stored("2"))  # JSON without blanks is another text


def test_protobuf_shows_no_empty_bytes() -> None:
    found, empty = EmptyBytes("hooks.*.bundle"), {"hooks": [{"bundle": ""}]}
    found.note(empty)
    found.remember_new(stored("", hooks=[{}]))
    found.note({"hooks": [{}]})
    found.note_protobuf()
    assert not found.is_changed("hooks", stored("1", hooks=[{}]))


def test_a_strategic_merge_patch_sorts_members() -> None:
    found, body = spelling(), {"spec": {"config": [{"a": 1}, {"raw": {"y": 1, "x": [1, "<"]}}]}}
    made(found, COMPACT)
    found.sort(body)
    found.note(body)
    assert found.is_changed("spec", stored("1"))


def test_what_is_sent_again_as_it_was_is_no_change() -> None:
    found = spelling()
    made(found, SPACED)
    found.note(BODY)
    found.note_text(SPACED)
    assert not found.is_changed("spec", stored("1"))


def test_who_spells_a_value_otherwise_owns_it() -> None:
    """The live object has another value there then, which a comparison finds."""
    found, live = spelling(), stored("1", status={"raw": 1}, other=2)
    made(found, SPACED)
    found.note(BODY)
    found.note_text(SPACED)
    assert found.respelled(live) is live
    found.note(BODY)  # without blanks
    seen = found.respelled(live)
    assert seen["spec"]["config"][0] == {"a": 1}
    assert seen["spec"]["config"][1]["raw"] != BODY["spec"]["config"][1]["raw"]
    assert (seen["status"], seen["other"]) == ({"raw": 1}, 2)
    assert live["spec"] == BODY["spec"]


def test_an_update_counts_once_it_has_moved_the_revision() -> None:
    found = spelling()
    made(found, SPACED)
    found.note(BODY)
    found.remember(stored("1"), stored("1"), "spec")
    assert found.is_changed("spec", stored("1"))  # it was refused
    assert not found.is_changed("spec", stored("2"))


def test_an_update_of_the_status_leaves_the_spec_as_it_is() -> None:
    found = spelling()
    made(found, SPACED)
    found.note({**BODY, "status": {"raw": 1}})
    found.remember(stored("1"), stored("1"), "status")
    assert found.is_changed("spec", stored("2"))
    assert not found.is_changed("status", stored("2", status={"raw": 1}))


def test_an_apply_that_changes_nothing_keeps_how_the_object_was_spelled() -> None:
    found = spelling()
    made(found, SPACED)
    found.note(BODY)
    found.note_kept()
    assert not found.is_changed("spec", stored("1"))
    found.remember(stored("1"), stored("1"), "spec")
    found.note(BODY)
    assert found.is_changed("spec", stored("2"))


def test_empty_bytes_are_told_from_none() -> None:
    found = EmptyBytes("hooks.*.bundle")
    found.note({"hooks": [{"bundle": ""}, {"bundle": "YQ=="}]})
    hooks = {"metadata": {"uid": "u", "resourceVersion": "1"}, "hooks": [{}, {"bundle": "YQ=="}]}
    found.remember_new(hooks)
    found.note({"hooks": [{"bundle": ""}, {"bundle": "Yg=="}]})
    assert not found.is_changed("hooks", hooks)
    found.note({"hooks": [{}, {}]})
    assert found.is_changed("hooks", hooks)


def test_so_many_objects_are_remembered() -> None:
    found = spelling()
    for number in range(OBJECTS_MAX + 1):
        found.note(BODY)
        found.note_text(SPACED)
        found.remember_new({**stored(""), "metadata": {"uid": str(number)}})
    found.note(BODY)
    assert not found.is_changed("spec", {**BODY, "metadata": {"uid": "0"}})
    assert found.is_changed("spec", {**BODY, "metadata": {"uid": "1"}})


def test_data_of_a_revision_that_is_spelled_otherwise_may_not_be_stored() -> None:
    (definition,) = (each for each in resources.definitions() if each.resource.kind == "ControllerRevision")
    kind, members = BuiltinKind(definition), {"data": {"x": 1}, "revision": 1}
    assert definition.spelling is not None
    kind.decode(members)
    definition.spelling.note_text(b'{"data": {"x": 1}}')
    definition.spelling.remember_new({**members, "metadata": {"uid": "u"}})
    assert kind.refusals_of_update(members, members) == ['data: Invalid value: {"x":1}: field is immutable']


def test_a_part_is_shown_with_the_texts_that_were_sent() -> None:
    found, value = spelling(), {"config": [{"a": '":1208925819614629174706176}'}, {"raw": {"y": 1, "x": [1, "<"]}}]}
    found.note({"spec": value})
    found.note_text(SPACED.replace(b'"<"', b'"<\\u00e9", 1e3'))
    shown = found.show(value, "spec", make=checks.in_order)
    assert shown == ('{"config":[{"a":"\\":1208925819614629174706176}"},{"raw":{"y":1,"x":[1,"\\u003c\\u00e9",1e3]}}]}')
    assert found.show({"config": []}, "spec", make=checks.in_order) == '{"config":[]}'
    found.note({"status": {"raw": {"b": 1000.0}}})
    assert found.show({"raw": {"b": 1}, "a": 1}, "status", make=checks.in_order) == '{"raw":{"b":1000},"a":1}'


def test_a_strategic_merge_patch_writes_numbers_as_go_does() -> None:
    found, body = spelling(), {"status": {"raw": {"b": 1000.0, "a": [1e21, {"d": 1e-7, "c": -0.0}]}}}
    found.sort(body)
    found.note(body)
    assert found.shown("status", "raw") == '{"a":[1e+21,{"c":-0,"d":1e-7}],"b":1000}'


def test_a_number_that_is_too_large_is_no_text() -> None:
    """The object is refused for it, in other words."""
    found = spelling()
    found.note({"spec": {"config": [{"raw": {"x": float("inf")}}]}})
    assert found.is_changed("spec", stored("1"))


def test_a_patched_text_decides_on_the_order_of_members() -> None:
    """A merge patch sorts what it writes; what is stored has the same order."""
    found, body = spelling(), {"spec": {"config": [{"raw": {"y": 1, "x": [{"d": 1.0, "c": 2}]}}]}}
    found.note(body)
    found.note_patched(b'{"spec":{"config":[{"raw":{"x":[{"c":2,"d":1.0}],"y":1}}]}}', body)
    raw = body["spec"]["config"][0]["raw"]
    assert (list(raw), list(raw["x"][0])) == (["x", "y"], ["c", "d"])
    deep = "[" * 100_000 + "]" * 100_000
    found.note_patched(f'{{"spec":{{"config":[{{"raw":{deep}}}]}}}}'.encode(), body)
    assert list(body["spec"]["config"][0]["raw"]) == ["x", "y"]


def test_a_text_is_as_long_as_it_was_sent() -> None:
    found, path, raw = (
        Spelling("spec.config.*.raw", measured=["status.data"]),
        "spec.config[1].raw",
        '{"a": "\\u00e9é"}',
    )
    body = {"spec": {"config": [{}, {"raw": {"a": "éé"}}]}, "status": {"data": {"a": 1}}}
    found.note(body)
    assert found.length(path, {"a": "éé"}) == len('{"a":"éé"}'.encode())
    found.note_text(f'{{"spec":{{"config":[{{}},{{"raw":{raw}}}]}},"status":{{"data":{{"a": 1 }}}}}}'.encode())
    assert found.length(path, {"a": "éé"}) == len(raw.encode())
    assert found.length("status.data", {"a": 1}) == len('{"a": 1 }')
    assert not found.is_changed("status", {"metadata": {}})  # of which nothing else is compared
    found.note(body)
    assert found.length("status.data", {"a": "<"}) == len('{"a":"\\u003c"}')
