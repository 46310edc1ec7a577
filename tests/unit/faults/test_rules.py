"""Which calls a rule is about, which of them it chooses, and what a rule must not be."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.faults import parsing
from quarterdeck.faults.reading import BadRule
from quarterdeck.faults.rule import Call, Rule
from quarterdeck.faults.ruleset import RULES_MAX, RuleSet

UPDATE = Call("update", "jane", "kubectl/v1", "example.com", "boats", "n", "one")
DISCOVERY = Call("get", "jane", path="/apis")


def parse(**rule: Any) -> Rule:
    return parsing.parse_rule({"conflict": {}, **rule}, "rule", lambda: "r")


@pytest.mark.parametrize(
    "match, fits",
    [
        ({}, True),
        ({"verbs": "update"}, True),
        ({"verbs": ["create", "up*"]}, True),
        ({"verbs": ["create"]}, False),
        ({"groups": [""]}, False),
        ({"groups": ["example.com"], "resources": ["boats"]}, True),
        ({"resources": ["boats/status"]}, False),
        ({"resources": ["boats*"]}, True),
        ({"namespaces": ["m"]}, False),
        ({"namespaces": ["n"], "names": ["one", "two"], "users": ["jane"]}, True),
        ({"names": ["two"]}, False),
        ({"users": ["john"]}, False),
        ({"userAgents": ["kubectl/*"]}, True),
        ({"userAgents": ["kubectl"]}, False),
        ({"nonResourceURLs": ["*"]}, False),
    ],
)
def test_a_rule_is_about_what_all_of_its_patterns_fit(match: dict[str, Any], fits: bool) -> None:
    assert parse(match=match).match.fits(UPDATE) is fits


def test_other_paths_are_matched_by_rules_that_name_them_alone() -> None:
    assert not parse().match.fits(DISCOVERY)
    assert not parse(match={"verbs": ["get"]}).match.fits(DISCOVERY)
    assert parse(match={"nonResourceURLs": ["/api*"]}).match.fits(DISCOVERY)
    assert not parse(match={"nonResourceURLs": ["/healthz"]}).match.fits(DISCOVERY)


@pytest.mark.parametrize(
    "schedule, taken",
    [
        ({}, "111111111"),
        ({"times": 2}, "110000000"),
        ({"after": 3}, "000111111"),
        ({"every": 3}, "100100100"),
        ({"after": 1, "every": 2, "times": 2}, "010100000"),
        ({"probability": 0}, "000000000"),
    ],
)
def test_the_schedule_says_which_calls_are_chosen(schedule: dict[str, Any], taken: str) -> None:
    rule = parse(**schedule)
    assert "".join(str(int(rule.take())) for _ in taken) == taken
    assert rule.matched == len(taken)


def test_the_same_seed_chooses_the_same_calls() -> None:
    def draw(seed: int) -> list[bool]:
        rule = parse(probability=0.5, seed=seed)
        return [rule.take() for _ in range(200)]

    assert draw(1) == draw(1) != draw(2)
    assert 50 < sum(draw(1)) < 150


def test_what_is_given_back_may_be_chosen_again() -> None:
    rule = parse(times=1)
    assert rule.take()
    rule.give_back()
    assert rule.take()
    assert not rule.take()


@pytest.mark.parametrize(
    "rule, told",
    [
        ([], "rule: must be an object"),
        ({}, "rule: must have exactly one of conflict, tooManyRequests"),
        ({"conflict": {}, "drop": {}}, "rule: must have exactly one of"),
        ({"conflict": {}, "time": 1}, "rule.time: no such field"),
        ({"conflict": {"when": "After"}}, "rule.conflict.when: no such field"),
        ({"conflict": {}, "times": -1}, "rule.times: must be a whole number from 0 to"),
        ({"conflict": {}, "times": True}, "rule.times: must be a whole number"),
        ({"conflict": {}, "probability": 1.5}, "rule.probability: must be between 0 and 1"),
        ({"conflict": {}, "probability": "half"}, "rule.probability: must be a number"),
        ({"conflict": {}, "match": {"verb": ["get"]}}, "rule.match.verb: no such field"),
        ({"conflict": {}, "match": {"verbs": [1]}}, "rule.match.verbs: must be a list of texts"),
        ({"conflict": {}, "match": {"webhooks": ["*"]}}, "rule.match.webhooks: only with webhookTimeout"),
        ({"webhookTimeout": {}, "match": {"verbs": ["get"]}}, "calls of webhooks are matched by webhooks alone"),
        ({"conflict": {}, "name": "a/b"}, "rule.name: must have at most 253 characters and no slash"),
        ({"conflict": {}, "name": 1}, "rule.name: must be text"),
        ({"error": {"code": 418}}, "error.code: must be one of 400, 401"),
        ({"error": {"when": "Midway"}}, "rule.error.when: must be one of Before, After"),
        ({"drop": {"when": "Later"}}, "rule.drop.when: must be one of Before, After, Midway"),
        ({"watch": {"bookmarks": "no"}}, "rule.watch.bookmarks: must be true or false"),
        ({"delay": {"seconds": float("nan")}}, "rule.delay.seconds: must be a number"),
    ],
)
def test_what_is_wrong_with_a_rule_is_told_with_its_place(rule: Any, told: str) -> None:
    with pytest.raises(BadRule) as caught:
        parsing.parse_rule(rule, "rule", lambda: "r")
    assert told in str(caught.value)


def test_rules_that_were_read_can_be_put_again() -> None:
    rule = parse(name="n", match={"verbs": ["get"]}, after=1, seed=3)
    rule.take()
    again = parsing.parse_rule(rule.describe(), "rule", lambda: "r")
    assert (again.name, again.match, again.schedule, again.action) == (
        rule.name,
        rule.match,
        rule.schedule,
        rule.action,
    )
    assert again.matched == 0


def test_the_first_rule_that_chooses_has_the_call() -> None:
    rules = RuleSet()
    rules.put([parse(name="a", times=1), parse(name="b", match={"verbs": ["update"]})])
    chosen = [rules.choose(UPDATE) for _ in range(2)]
    assert [each.name for each in chosen if each is not None] == ["a", "b"]
    rules.put([parse(name="a")])
    found = rules.choose(UPDATE)
    assert found is not None
    assert found.name == "a"
    assert [each.name for each in rules.all()] == ["a", "b"]
    assert rules.remove("a") is not None
    assert rules.remove("a") is None
    rules.clear()
    assert rules.is_empty
    assert rules.choose(UPDATE) is None


def test_rules_are_bounded() -> None:
    rules = RuleSet()
    rules.put(parse(name=str(number)) for number in range(RULES_MAX))
    with pytest.raises(BadRule):
        rules.put([parse(name="one more")])
    assert len(rules.all()) == RULES_MAX
    assert rules.find("one more") is None


def test_the_time_of_day_jumps_only_where_there_is_a_clock_that_can() -> None:
    def step(**action: Any) -> Rule:
        return parsing.parse_rule({"clockStep": action}, "rule", lambda: "r")

    rules, steps = RuleSet(), list[float]()
    with pytest.raises(BadRule, match="no virtual clock"):
        rules.put([step(seconds=60)])
    assert rules.is_empty
    rules.step = steps.append
    rules.put([step(seconds=-60)])
    rules.step_clock(-60)
    assert steps == [-60]
    for wrong in ({}, {"seconds": 0}, {"seconds": "1h"}, {"seconds": 1e12}):
        with pytest.raises(BadRule, match=r"clockStep\.seconds"):
            step(**wrong)
