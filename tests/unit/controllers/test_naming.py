"""Names of definitions: what is accepted, which conflict is told, who gets a name that is given back."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.controllers.naming import TakenNames, judge_names
from support.control import World

Names = dict[str, Any]


def definition(name: str, wanted: Names, accepted: Names | None = None) -> dict[str, Any]:
    status = {"acceptedNames": accepted or {"plural": "", "kind": ""}, "conditions": None}
    return {
        "metadata": {"name": f"{name}.example.com"},
        "spec": {"group": "example.com", "names": wanted},
        "status": status,
    }


def names(plural: str, kind: str, **more: Any) -> Names:
    return {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List", **more}


WIDGETS = names("widgets", "Widget", shortNames=["wg"])
OTHER = definition("widgets", WIDGETS, WIDGETS)


def judge(subject: dict[str, Any], *others: dict[str, Any]) -> tuple[Names, str, str, str]:
    taken = TakenNames()
    for each in (*others, subject):
        taken.add(each["status"]["acceptedNames"])
    accepted, found = judge_names(subject, taken)
    return accepted, found["status"], found["reason"], found["message"]


def test_fresh_names_are_accepted() -> None:
    wanted = names("gadgets", "Gadget", shortNames=["ga"], categories=["all"])
    assert judge(definition("gadgets", wanted), OTHER) == (wanted, "True", "NoConflicts", "no conflicts found")


@pytest.mark.parametrize(
    ("member", "value", "reason", "message"),
    [
        ("plural", "wg", "PluralConflict", '"wg" is already in use'),
        ("singular", "widgets", "SingularConflict", '"widgets" is already in use'),
        ("shortNames", ["ok", "widget"], "ShortNamesConflict", '"widget" is already in use'),
        ("kind", "WidgetList", "KindConflict", '"WidgetList" is already in use'),
        ("listKind", "Widget", "ListKindConflict", '"Widget" is already in use'),
    ],
)
def test_each_kind_of_name_may_conflict(member: str, value: Any, reason: str, message: str) -> None:
    wanted = {**names("gadgets", "Gadget"), member: value}
    accepted, *found = judge(definition("gadgets", wanted), OTHER)
    assert found == ["False", reason, message]
    assert accepted == {
        "plural": "",
        "kind": "",
        **{name: given for name, given in wanted.items() if name != member},
    }


def test_the_last_conflict_is_told() -> None:
    assert judge(definition("gadgets", WIDGETS), OTHER)[2] == "ListKindConflict"


def test_conflicts_of_short_names_are_told_once_each() -> None:
    twice = names("gadgets", "Gadget", shortNames=["wg", "wg"])
    assert judge(definition("gadgets", twice), OTHER)[3] == '"wg" is already in use'
    several = names("gadgets", "Gadget", shortNames=["wg", "widgets", "wg"])
    assert judge(definition("gadgets", several), OTHER)[3] == '["wg" is already in use, "widgets" is already in use]'


def test_a_name_that_is_accepted_stays_accepted_whoever_else_has_it() -> None:
    wanted = names("gadgets", "Gadget", shortNames=["wg", "new"])
    accepted = names("gadgets", "Gadget", shortNames=["wg"])
    assert judge(definition("gadgets", wanted, accepted), OTHER) == (
        wanted,
        "True",
        "NoConflicts",
        "no conflicts found",
    )
    same = definition("other", WIDGETS, WIDGETS)
    assert judge(same, OTHER)[1] == "True"


def test_a_new_name_that_the_definition_has_already_is_taken() -> None:
    accepted = names("gadgets", "Gadget")
    wanted = {**accepted, "shortNames": ["gadgets"]}
    assert judge(definition("gadgets", wanted, accepted)) == (
        accepted,
        "False",
        "ShortNamesConflict",
        '"gadgets" is already in use',
    )


def test_a_first_definition_may_repeat_its_own_names() -> None:
    wanted = {**names("gadgets", "Gadget"), "shortNames": ["gadgets"], "singular": "gadgets"}
    assert judge(definition("gadgets", wanted))[1] == "True"


def test_names_that_are_not_asked_for_any_more_are_given_back() -> None:
    accepted = names("gadgets", "Gadget", shortNames=["ga"], categories=["all"])
    wanted = names("gadgets", "Gadget")
    assert judge(definition("gadgets", wanted, accepted))[0] == wanted


async def test_a_name_goes_to_who_waits_for_it_when_its_owner_goes() -> None:
    world = await World().start()
    await world.define("widgets", "Widget")
    await world.settle()
    await world.define("gadgets", "Widget")
    await world.settle()
    assert world.condition("gadgets", "NamesAccepted") == (
        "False",
        "ListKindConflict",
        '"WidgetList" is already in use',
    )
    assert world.condition("gadgets", "Established") == ("False", "NotAccepted", "not all names are accepted")
    await world.delete(world.definitions[""], "", "widgets.example.com")
    await world.settle()
    assert world.definition("widgets") is None
    assert world.condition("gadgets", "NamesAccepted") == ("True", "NoConflicts", "no conflicts found")
    assert world.condition("gadgets", "Established") == (
        "True",
        "InitialNamesAccepted",
        "the initial names have been accepted",
    )


async def test_a_name_goes_to_who_waits_for_it_when_its_owner_lets_go() -> None:
    world = await World().start()
    await world.define("widgets", names={"shortNames": ["w"]})
    await world.settle()
    await world.define("gadgets", names={"shortNames": ["w"]})
    await world.settle()
    assert world.condition("gadgets", "NamesAccepted") == ("False", "ShortNamesConflict", '"w" is already in use')

    def drop(obj: dict[str, Any]) -> None:
        del obj["spec"]["names"]["shortNames"]

    await world.change(world.definitions[""], "", "widgets.example.com", drop)
    await world.settle()
    assert world.condition("gadgets", "NamesAccepted") == ("True", "NoConflicts", "no conflicts found")


async def test_what_is_accepted_is_not_judged_again() -> None:
    """As upstream: a definition that has all it asks for is left alone, even with a condition that a client wrote."""
    world = await World().start()
    await world.define("widgets")
    await world.settle()

    def spoil(obj: dict[str, Any]) -> None:
        next(one for one in obj["status"]["conditions"] if one["type"] == "NamesAccepted")["reason"] = "Mine"

    await world.change(world.definitions["status"], "", "widgets.example.com", spoil)
    await world.settle()
    assert (world.condition("widgets", "NamesAccepted") or ())[1] == "Mine"


def test_a_name_that_two_have_is_free_when_both_have_let_it_go() -> None:
    taken = TakenNames()
    for _ in range(2):
        taken.add(WIDGETS)
    for is_left in (True, False):
        taken.remove(WIDGETS)
        assert ("wg" in taken.resources, "Widget" in taken.kinds) == (is_left, is_left)
    assert not taken.resources and not taken.kinds


async def test_nothing_is_kept_of_definitions_that_are_gone() -> None:
    world = await World().start()
    for plural in ("widgets", "gadgets"):
        await world.define(plural, "Same")
    await world.settle()
    for plural in ("gadgets", "widgets"):
        await world.delete(world.definitions[""], "", f"{plural}.example.com")
        await world.settle()
    naming = world.controllers.naming
    assert (naming._accepted, naming._taken, naming._waiting) == ({}, {}, {})
