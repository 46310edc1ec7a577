"""What two runs may differ in, and what not."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.cmd.replay.normal import DIFFERENCES_MAX, Names

OLD, NEW, OTHER = (f"{digit * 8}-1111-4111-8111-111111111111" for digit in "abc")


def made(name: str, uid: str, revision: int, **more: Any) -> dict[str, Any]:
    head = {
        "name": name,
        "uid": uid,
        "resourceVersion": str(revision),
        "creationTimestamp": f"2026-01-01T00:00:{revision}Z",
    }
    return {"kind": "Boat", "metadata": head, **more}


def test_uids_revisions_and_times_may_differ() -> None:
    names = Names()
    recorded = made("one", OLD, 10, spec={"owner": OLD, "since": "2026-01-01T10:00:00.123456Z", "text": f"of {OLD}"})
    met = made("one", NEW, 25, spec={"owner": NEW, "since": "2026-02-01T10:00:00Z", "text": f"of {NEW}"})
    names.learn(recorded, met)
    assert names.compare(recorded, met) == []


def test_the_same_uid_has_to_be_the_same_object() -> None:
    names = Names()
    names.learn(made("one", OLD, 10), made("one", NEW, 25))
    assert names.compare(made("one", OLD, 11), made("one", OTHER, 26)) == [
        ("metadata.uid", f"is '{OTHER}', was '{OLD}'")
    ]


def test_ages_in_tables_may_differ_and_nothing_else_that_looks_like_one() -> None:
    def table(age: str) -> dict[str, Any]:
        return {"rows": [{"cells": ["one", age], "object": {"after": age}}]}

    assert Names().compare(table("0s"), table("3m12s")) == [("rows[0].object.after", "is '3m12s', was '0s'")]
    assert len(Names().compare(table("0s"), table("soon"))) == 2


def test_managed_fields_stand_in_the_order_of_their_seconds() -> None:
    entries = [{"manager": "a", "operation": "Apply", "time": "2026-01-01T00:00:00Z"}, {"manager": "b"}]
    recorded, met = {"managedFields": entries}, {"managedFields": entries[::-1]}
    assert Names().compare(recorded, met) == []
    assert Names().compare(recorded, {"managedFields": [entries[0], {"manager": "c"}]})


def test_what_differs_is_told_with_its_place() -> None:
    recorded: dict[str, Any] = {"a": {"b": [1, {"c": "x"}]}, "gone": None, "n": 1, "t": True}
    met = {"a": {"b": [2, {"c": "y"}, 3]}, "new": [], "n": "1", "t": 1}
    assert Names().compare(recorded, met) == [
        ("a.b", "has 3 items, had 2"),
        ("a.b[0]", "is 2, was 1"),
        ("a.b[1].c", "is 'y', was 'x'"),
        ("gone", "is missing, was None"),
        ("n", "is '1', was 1"),
        ("t", "is 1, was True"),
        ("new", "is [], was missing"),
    ]
    assert len(Names().compare(list(range(100)), list(range(1, 101)))) == DIFFERENCES_MAX


@pytest.mark.parametrize(
    "was, now",
    [
        ("too old resource version: 3 (5)", "too old resource version: 30 (51)"),
        ("Too large resource version: 9, current: 4", "Too large resource version: 9, current: 4"),
    ],
)
def test_revisions_in_texts_may_differ(was: str, now: str) -> None:
    assert Names().compare({"message": was}, {"message": now}) == []
    assert Names().compare({"message": "3 boats"}, {"message": "4 boats"})


def test_requests_speak_of_this_run() -> None:
    names = Names()
    recorded = {"items": [made("x-aaaaa", OLD, 10)], "metadata": {"resourceVersion": "12", "continue": "t1"}}
    met = {"items": [made("x-bbbbb", NEW, 25)], "metadata": {"resourceVersion": "31", "continue": "t2"}}
    for each in (recorded, met):
        each["items"][0]["metadata"]["generateName"] = "x-"  # type: ignore[index]
    names.learn(recorded, met)
    assert names.path("/api/v1/boats/x-aaaaa?watch=1&resourceVersion=12") == (
        "/api/v1/boats/x-bbbbb?watch=1&resourceVersion=31"
    )
    assert names.path("/api/v1/boats?limit=1&continue=t1&resourceVersion=0") == (
        "/api/v1/boats?limit=1&continue=t2&resourceVersion=0"
    )
    assert names.path("/api/v1/boats/x%2Faaaaa") == "/api/v1/boats/x%2Faaaaa"
    sent = {"metadata": {"name": "x-aaaaa", "resourceVersion": "10", "ownerReferences": [{"uid": OLD}]}, "n": "10"}
    assert names.value(sent) == {
        "metadata": {"name": "x-bbbbb", "resourceVersion": "25", "ownerReferences": [{"uid": NEW}]},
        "n": "10",
    }
    assert names.value({f'k:{{"uid":"{OLD}"}}': {}}) == {f'k:{{"uid":"{NEW}"}}': {}}


def test_a_revision_that_was_never_told_is_that_of_the_newest_before_it() -> None:
    names = Names()
    assert names.revision("7") == "7"
    names.learn({"resourceVersion": "10"}, {"resourceVersion": "100"})
    names.learn({"resourceVersion": "20"}, {"resourceVersion": "205"})
    assert [names.revision(each) for each in ("9", "10", "15", "20", "99", "0", "abc")] == [
        "9", "100", "100", "205", "205", "0", "abc",
    ]  # fmt: skip
