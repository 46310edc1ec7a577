"""How long rules may keep the event loop, and what is left to a thread."""

import pytest

from quarterdeck.apiextensions.rules import Rules
from quarterdeck.apiextensions.ruletimes import RuleTimes
from quarterdeck.cel import recursion, rule_walk
from quarterdeck.cel.environment import PER_CALL_LIMIT
from quarterdeck.metrics.registry import Registry

STRINGS = {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 10}}


def schema_with(*rules):
    node = {**STRINGS, "x-kubernetes-validations": [{"rule": rule} for rule in rules]}
    return {"type": "object", "properties": {"names": node}}


@pytest.fixture
def limits(monkeypatch):
    """What each evaluation of an expression might have cost, in order."""
    evaluate = recursion.evaluate
    found = []

    def spy(kernel, values, limit):
        found.append(limit)
        return evaluate(kernel, values, limit)

    monkeypatch.setattr(recursion, "evaluate", spy)
    return found


@pytest.mark.parametrize(
    "test",
    [
        "x != y || true",
        "quantity('1Gi').isLessThan(quantity(x)) || true",
        "cidr('10.0.0.0/8').containsIP('10.1.1.1')",
        "timestamp('2024-01-01T00:00:00Z').getHours('Europe/Berlin') > 0 || true",
        "x.matches(y) || true",
    ],
)
def test_a_rule_that_runs_to_its_limit_leaves_the_loop_soon(test, limits):
    rules = Rules(schema_with(f"self.all(x, self.all(y, {test}))"), RuleTimes(Registry()))
    obj = {"names": ["1Gi"] * 900}
    rules.validate({"names": []}, None, [])  # compiled at the first use
    limits.clear()
    rest = rules.validate(obj, None, [])
    assert callable(rest)
    assert limits == [rule_walk.INLINE_COST - rule_walk.VISIT_COST]  # of going to the list
    rest()
    assert limits[1:] == [PER_CALL_LIMIT]


def test_many_cheap_values_leave_the_loop_soon(limits):
    item = {"type": "string", "maxLength": 10, "x-kubernetes-validations": [{"rule": "self != 'x'"}]}
    names = {"type": "array", "maxItems": 200_000, "items": item}
    rules = Rules({"type": "object", "properties": {"names": names}}, RuleTimes(Registry()))
    rules.validate({"names": []}, None, [])
    obj = {"names": ["a"] * 100_000}
    rest = rules.validate(obj, None, [])
    assert callable(rest)
    assert len(limits) <= rule_walk.INLINE_COST // rule_walk.VISIT_COST
    assert rest() == []
    assert len(limits) == 100_000


def test_what_is_left_to_a_thread_says_the_same():
    times = RuleTimes(Registry())
    rules = Rules(schema_with("self.all(x, self.all(y, x == 'a'))", "self.size() < 3"), times)
    warnings: list[str] = []
    assert rules.validate({"names": ["a", "b"]}, None, warnings) != []
    rest = rules.validate({"names": ["a"] * 300}, None, warnings)
    assert callable(rest)
    assert [error.detail for error in rest()] == ["failed rule: self.size() < 3"]
    # An update that leaves the list as it was is forgiven, aside as well.
    same = rules.validate({"names": ["a"] * 300}, {"names": ["a"] * 300}, warnings)
    assert callable(same)
    assert same() == []
    assert len(warnings) == 1
    assert (times.compilations.count, times.evaluations.count) == (1, 3)
