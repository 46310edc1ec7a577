"""Conditions: a transition time moves with the status alone."""

from __future__ import annotations

from quarterdeck.apiextensions import conditions

OLD = "2020-01-01T00:00:00Z"


def one(status: str, **more: object) -> dict[str, object]:
    return {"type": "Established", "status": status, "reason": "Old", "message": "old", **more}


def set_established(existing: dict[str, object], status: str) -> dict[str, object]:
    wanted = conditions.build("Established", status, "New", "new")
    changed: dict[str, object] = conditions.with_condition([existing], wanted)[0]
    return changed


def test_the_transition_time_stays_with_the_status() -> None:
    changed = set_established(one("True", lastTransitionTime=OLD), "True")
    assert (changed["reason"], changed["message"], changed["lastTransitionTime"]) == ("New", "new", OLD)


def test_the_transition_time_moves_with_the_status() -> None:
    assert set_established(one("False", lastTransitionTime=OLD), "True")["lastTransitionTime"] > OLD  # type: ignore[operator]


def test_a_condition_without_transition_time_gets_one() -> None:
    for missing in ({}, {"lastTransitionTime": None}):
        assert set_established(one("True", **missing), "True")["lastTransitionTime"]


def test_the_other_conditions_and_members_stay() -> None:
    other = {"type": "Odd", "status": "True"}
    existing = one("True", lastTransitionTime=OLD, observedGeneration=3)
    changed = conditions.with_condition([other, existing], conditions.build("Established", "True", "New", "new"))
    assert changed == [other, {**existing, "reason": "New", "message": "new"}]
    assert conditions.without_condition(changed, "Odd") == changed[1:]


def test_says_the_same_does_not_look_at_times() -> None:
    wanted = conditions.build("Established", "True", "Old", "old")
    assert conditions.says_the_same(one("True", lastTransitionTime=OLD), wanted)
    assert not conditions.says_the_same(one("False"), wanted)
    assert not conditions.says_the_same(None, wanted)
    assert conditions.says_the_same(None, None)
