"""Rules of a definition's schema are run on its defaults."""

from quarterdeck.apiextensions.rules import Rules
from quarterdeck.apiextensions.validation.defaults import validate_defaults
from quarterdeck.cel import regex


def schema(rule, default):
    limited = {"type": "object", "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}}}
    return {
        "type": "object",
        "properties": {"spec": {**limited, "default": default, "x-kubernetes-validations": [{"rule": rule}]}},
    }


def test_a_default_that_breaks_a_rule_is_refused():
    (problem,) = validate_defaults(schema("self.low <= self.high", {"low": 2, "high": 1}), "s")
    assert problem.path == "s.properties[spec].default"
    assert validate_defaults(schema("self.low <= self.high", {"low": 1, "high": 1}), "s") == []


def test_transition_rules_compare_a_default_with_itself():
    (problem,) = validate_defaults(schema("self.low > oldSelf.low", {"low": 2}), "s")
    assert problem.path == "s.properties[spec].default"


def test_an_often_used_pattern_of_a_rule_gets_an_automaton():
    rules = Rules({"type": "object", "x-kubernetes-validations": [{"rule": "self.kind.matches('^W[a-z]+$')"}]})
    for _ in range(100):
        assert rules.validate({"apiVersion": "g/v1", "kind": "Widget", "metadata": {}}, None, []) == []
    assert rules.validate({"apiVersion": "g/v1", "kind": "widget", "metadata": {}}, None, [])
    assert regex._table("^W[a-z]+$") is not None
