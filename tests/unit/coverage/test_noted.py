"""What is noted of rules, conditions and webhooks is bounded, and forgotten together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.cmd.coverage import merging
from quarterdeck.coverage import bindings, conditions, report, rules
from quarterdeck.coverage.boundedcounts import BoundedCounts
from quarterdeck.coverage.data import CoverageData
from quarterdeck.coverage.report import Declared


def stored(*found: Any, kind: str = "Thing", **status: Any) -> bytes:
    status = {"conditions": list(found), **status}
    return json.dumps({"apiVersion": "example.com/v1", "kind": kind, "status": status}).encode()


def ready(status: str = "True", reason: str = "") -> dict[str, str]:
    return {"type": "Ready", "status": status, "reason": reason}


def build(noted: CoverageData, declared: Declared | None = None) -> dict[str, Any]:
    declared = declared or Declared()
    fields = report.describe_fields(declared.versions, noted.fields.all())
    return report.build(noted, declared, fields, "*", "*")


def test_conditions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    found = conditions.Conditions()
    for number in range(conditions.REASONS_MAX + 3):
        found.look(stored(ready(reason=f"r{number}")))
    assert (len(list(found.all())), found.left_out) == (conditions.REASONS_MAX, 3)
    found.look(stored(ready(reason="x" * 5000)))
    assert found.left_out == 4
    monkeypatch.setattr(conditions, "STATES_MAX", conditions.REASONS_MAX + 1)
    for kind in ("One", "Two"):
        found.look(stored(ready(), kind=kind))
    assert (len(list(found.all())), found.left_out) == (conditions.REASONS_MAX + 1, 5)
    found.look(stored(ready(), kind="One"))
    assert found.left_out == 5, "what is known has room"
    found.clear()
    assert (list(found.all()), found.left_out) == ([], 0)


@pytest.mark.parametrize(
    "odd", [5, None, [], "text", {}, {"type": "Ready"}, {"type": 5, "status": "x"}, {"type": "A", "status": True}]
)
def test_what_is_no_condition_is_none(odd: Any) -> None:
    found = conditions.Conditions()
    found.look(stored(odd))
    found.look(json.dumps({"kind": "Thing", "status": {"conditions": odd}}).encode())
    found.look(json.dumps({"kind": "Thing", "spec": {"conditions": [ready()]}}).encode())
    assert list(found.all()) == []


def test_deep_status_is_looked_at_to_a_depth() -> None:
    below: Any = {"conditions": [ready()]}
    for _ in range(200):
        below = {"x": [below]}
    found = conditions.Conditions()
    found.look(stored(deep=below))
    assert list(found.all()) == []


def test_large_objects_are_left_out() -> None:
    found = conditions.Conditions()
    found.look(stored(ready(), text="x" * conditions.BYTES_MAX))
    found.look(stored(*[ready()] * (conditions.VALUES_MAX + 1)))
    found.look(stored(ready(), many={str(number): [] for number in range(conditions.VALUES_MAX)}))
    assert found.left_out == 3
    assert [(reason, count) for _, _, reason, count in found.all() if count > 1] == []


def test_counts_are_bounded() -> None:
    known = BoundedCounts[str, rules.Count](rules.Count, 2)
    counts = [known.of(name, name) for name in ("a", "b", "c")]
    assert [count is None for count in counts] == [False, False, True]
    assert known.left_out == 1
    assert known.of("a", "a") is counts[0], "who asks again goes on"
    assert counts[0] is not None
    counts[0].note(True, False)
    assert known.used() == {"a": counts[0]}
    known.clear()
    assert (known.used(), known.left_out) == ({}, 0)


def test_what_has_a_long_name_is_left_out() -> None:
    noted = CoverageData()
    assert noted.rules_of("Kind", "name", "v1")(".x" * 1000, "d") is None
    noted.conversions_of("x" * 2000).allowed += 1
    assert noted.webhooks.used() == {}
    assert (noted.rules.left_out, noted.webhooks.left_out) == (1, 1)


def test_a_long_rule_counts_by_its_beginning() -> None:
    text = "x" * 5000
    noted = CoverageData()
    count = noted.rules_of("CustomResourceDefinition", "d", "v1")(".a", text)
    assert count is not None
    count.note(True, False)
    schema = {"properties": {"a": {"x-kubernetes-validations": [{"rule": text}]}}}
    version = report.Version("d", "v1", "Kind", report.read_schema(schema))
    (told,) = build(noted, Declared([version]))["rules"]
    assert (told["evaluated"], told["false"], len(told["rule"])) == (1, 1, rules.TEXT_CHARS_MAX)


def test_rules_that_were_replaced_are_not_told_of_those_of_what_is_gone_are() -> None:
    noted = CoverageData()
    for name in ("there", "gone"):
        count = noted.rules_of_versions(name)("v1")(".a", "earlier")
        assert count is not None
        count.note(True, False)
    schema = {"properties": {"a": {"x-kubernetes-validations": [{"rule": "now"}]}}}
    told = build(noted, Declared([report.Version("there", "v1", "Kind", report.read_schema(schema))]))["rules"]
    assert [(each["name"], each["rule"]) for each in told] == [("gone", "earlier"), ("there", "now")]


def test_rules_far_down_are_left_out() -> None:
    schema: dict[str, Any] = {"x-kubernetes-validations": [{"rule": "true"}]}
    for _ in range(5000):
        schema = {"properties": {"a": schema}}
    assert list(rules.find_rules(schema)) == []


def test_all_is_forgotten_together_and_counted_on() -> None:
    noted = CoverageData()
    count = noted.rules_of("Kind", "name")(".spec", "rule")
    calls = noted.conversions_of("d")
    bound = noted.bindings.of(bindings.Binding("Kind", "policy", "name"))
    assert count is not None
    assert bound is not None
    for _ in range(2):
        count.note(False, True)
        calls.failed += 1
        bound.note(False, False)
        noted.conditions.look(stored(ready()))
        told = build(noted)
        assert [each["errors"] for each in told["rules"]] == [1]
        assert [each["failed"] for each in told["webhooks"]] == [1]
        assert [each["evaluated"] for each in told["bindings"]] == [1]
        assert [each["count"] for each in told["conditions"]] == [1]
        noted.clear()
        told = build(noted)
        assert [told[section] for section in merging.merge([]) if section not in ("leftOut", "notKept")] == [[]] * 6
