"""What the comparison of recordings takes for chance, and what it does not."""

from __future__ import annotations

from typing import Any

import pytest

from support.golden import pace, placeholders
from support.golden.seconds import Seconds

_OLD = {"plural": "widgets", "kind": "Widget"}
_NEW = {"plural": "widgets", "kind": "Widget", "shortNames": ["ww"]}


def definition(wanted: dict[str, Any], accepted: dict[str, Any], **other: Any) -> dict[str, Any]:
    spec = {"group": "g", "names": wanted}
    body = {"kind": "CustomResourceDefinition", "spec": spec, "status": {"acceptedNames": accepted}, **other}
    return {"code": 200, "body": body}


_BEFORE = definition(_OLD, _OLD)
_RECORDED_TOO_EARLY = [_BEFORE, definition(_NEW, _OLD)]


def test_names_that_were_not_accepted_yet_are_explained() -> None:
    assert pace.explains(_RECORDED_TOO_EARLY, 1, definition(_NEW, _NEW))


@pytest.mark.parametrize(
    "actual",
    [
        definition(_NEW, {**_NEW, "categories": ["all"]}),
        definition(_NEW, {}),
        definition({**_NEW, "kind": "W"}, {**_NEW, "kind": "W"}),
        definition(_NEW, _NEW, metadata={}),
        {"code": 409, "body": {"kind": "Status"}},
    ],
    ids=["more names", "no names", "another spec", "another member", "a refusal"],
)
def test_other_differences_stay(actual: dict[str, Any]) -> None:
    assert not pace.explains(_RECORDED_TOO_EARLY, 1, actual)


def test_names_that_were_recorded_nowhere_before_are_not_explained() -> None:
    assert not pace.explains([_BEFORE, definition(_NEW, {"plural": "x"})], 1, definition(_NEW, _NEW))


@pytest.mark.parametrize(
    ("wanted", "accepted", "conditions", "is_settled"),
    [
        (_OLD, {}, [], False),
        (_OLD, _OLD, [("NamesAccepted", "True")], False),
        (_OLD, _OLD, [("NamesAccepted", "True"), ("Established", "True")], True),
        (_NEW, _OLD, [("NamesAccepted", "True"), ("Established", "True")], False),
        (_NEW, _OLD, [("NamesAccepted", "False")], True),
    ],
    ids=["new", "not established", "done", "changed", "in conflict"],
)
def test_controllers_are_awaited(
    wanted: dict[str, Any], accepted: dict[str, Any], conditions: list[tuple[str, str]], is_settled: bool
) -> None:
    told = [{"type": name, "status": status} for name, status in conditions]
    status = {"acceptedNames": accepted, "conditions": told}
    assert pace.is_settled({"metadata": {}, "spec": {"names": wanted}, "status": status}) is is_settled


def test_the_condition_of_an_api_service_is_awaited() -> None:
    service: dict[str, Any] = {"kind": "APIService", "metadata": {}, "status": {}}
    assert not pace.is_settled(service)
    assert pace.is_settled({**service, "metadata": {"deletionTimestamp": "now"}})
    assert pace.is_settled({**service, "status": {"conditions": [{"type": "Available", "status": "False"}]}})


def test_entries_of_an_echo_have_no_order() -> None:
    escaped = r'invalid: "{\"managedFields\":[{\"manager\":\"b\",\"f\":[1,2]},{\"manager\":\"a\"}],\"name\":1}"'
    assert placeholders.level(escaped) == (
        r'invalid: "{\"managedFields\":[{\"manager\":\"a\"},{\"manager\":\"b\",\"f\":[1,2]}],\"name\":1}"'
    )
    one = r'"managedFields":[{"manager":"b","f":[1,2]},{"manager":"a"}],"name":1'
    other = r'"managedFields":[{"manager":"a"},{"manager":"b","f":[1,2]}],"name":1'
    assert placeholders.level(one) == placeholders.level(other)
    assert placeholders.level(one) != placeholders.level(other.replace("2", "3"))
    assert placeholders.level('"managedFields":[{"b":1},{"a"') == '"managedFields":[{"b":1},{"a"'


@pytest.mark.parametrize(
    ("cell", "is_age"), [("3s", True), ("119s", True), ("120s", False), ("<unknown>", False), (3, False), ("3m", False)]
)
def test_seconds_of_an_age_are_chance(cell: Any, is_age: bool) -> None:
    levelled = placeholders.level({"kind": "Table", "rows": [{"cells": ["a", cell]}]})
    assert levelled["rows"][0]["cells"] == ["a", "<age>" if is_age else cell]


def test_ages_are_found_in_picked_cells_and_in_yaml() -> None:
    picked = placeholders.level({"kind": "Table", "rows": {"0": {"cells": {"0": "a", "1": "3s"}}}})
    assert picked["rows"]["0"]["cells"] == {"0": "a", "1": "<age>"}
    assert placeholders.level("kind: Table\nrows:\n- cells:\n  - 0s\n  - a0s\n").endswith("  - <age>\n  - a0s\n")


def written(revision: str, *managers: str, **members: Any) -> dict[str, Any]:
    fields = [{"manager": manager, "time": f"{revision}{manager}"} for manager in managers]
    return {**members, "metadata": {"uid": "u", "resourceVersion": revision, "managedFields": fields}}


@pytest.mark.parametrize(
    ("after", "same"),
    [
        (written("8", "b", "a"), {8: 7}),
        (written("8", "a", "b"), {}),
        (written("8", "b", "a", "c"), {}),
        (written("8", "b", "a", spec=1), {}),
    ],
    ids=["another order", "the same order", "another manager", "another spec"],
)
def test_a_write_of_another_order_alone_counts_as_none(after: dict[str, Any], same: dict[int, int]) -> None:
    seconds = Seconds()
    seconds.show(written("7", "a", "b"))
    seconds.show(after)
    assert seconds.same == same
    names = placeholders.Placeholders({})
    names.rank_revisions([{"resourceVersion": each} for each in ("7", "8", "9")], seconds.same)
    ranks = [names.apply({"resourceVersion": each})["resourceVersion"] for each in ("7", "8", "9")]
    assert ranks == (["<rv-1>", "<rv-1>", "<rv-2>"] if same else ["<rv-1>", "<rv-2>", "<rv-3>"])
