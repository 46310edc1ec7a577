"""Rules of a definition's schema are run on its defaults."""

import json

import pytest

from quarterdeck.apiextensions.strategy import DefinitionStrategy
from quarterdeck.apiextensions.validation.defaults import Allowance, Demands, TakesLong, validate_defaults
from quarterdeck.cel import recursion

ANY = {"x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-validations": [{"rule": "true"}]}


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


def test_a_message_of_blanks_is_told_as_it_stands():
    rule = {"rule": "self > 5", "message": " "}
    node = {"type": "integer", "default": 1, "x-kubernetes-validations": [rule]}
    (problem,) = validate_defaults({"type": "object", "properties": {"n": node}}, "s")
    assert str(problem) == "s.properties[n].default: Invalid value: 1"


def test_rules_are_not_run_on_a_default_with_which_something_else_is_wrong():
    number = {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]}
    schema = {"type": "object", "properties": {"a": {**number, "default": 1}, "b": {**number, "default": "x"}}}
    found = {problem.path: problem.detail for problem in validate_defaults(schema, "s")}
    assert found == {
        "s.properties[a].default": "failed rule: self > 5",
        "s.properties[b].default": ' in body must be of type integer: "string"',
    }


def test_transition_rules_compare_a_default_with_itself():
    (problem,) = validate_defaults(schema("self.low > oldSelf.low", {"low": 2}), "s")
    assert problem.path == "s.properties[spec].default"


def test_a_default_has_to_be_right_as_a_new_value_as_well():
    rule = {"rule": "oldSelf.hasValue()", "optionalOldSelf": True}
    node = {"type": "integer", "default": 1, "x-kubernetes-validations": [rule]}
    (problem,) = validate_defaults({"type": "object", "properties": {"n": node}}, "s")
    assert (problem.path, problem.detail) == ("s.properties[n].default", "failed rule: oldSelf.hasValue()")


@pytest.mark.parametrize(
    ("node", "default"),
    [
        ({"x-kubernetes-preserve-unknown-fields": True}, {}),
        ({"x-kubernetes-preserve-unknown-fields": True}, 1),
        ({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}, [1]),
    ],
)
def test_a_default_under_rules_that_have_no_type_is_refused(node, default):
    node = {**node, "default": default, "x-kubernetes-validations": [{"rule": "true"}]}
    (problem,) = validate_defaults({"type": "object", "properties": {"n": node}}, "s")
    assert (problem.path, problem.bad_value) == ("s.properties[n].default", node.get("type", ""))
    assert problem.detail == (
        "rule compiler initialization error: failed to convert to declType for CEL validation rules"
    )


@pytest.mark.parametrize(
    ("node", "default", "places"),
    [
        ({"type": "array", "items": ANY}, [1, 2], ["[0]", "[1]"]),
        ({"type": "array", "items": ANY}, [], []),
        ({"type": "array", "items": {"type": "array", "items": ANY}}, [[1]], ["[0][0]"]),
        ({"type": "object", "additionalProperties": ANY}, {"a": 1}, ["[a]"]),
        ({"type": "object", "properties": {"a": ANY}}, {"a": 1}, []),
        ({"type": "array", "items": {"type": "object", "properties": {"a": ANY}}}, [{"a": 1}], []),
    ],
)
def test_rules_without_a_type_below_a_default_are_told_of_elements_and_left_out_of_properties(node, default, places):
    found = validate_defaults({"type": "object", "properties": {"n": {**node, "default": default}}}, "s")
    assert [(each.path, each.bad_value) for each in found] == [(f"s.properties[n].default{at}", "") for at in places]
    assert all("failed to convert to declType" in each.detail for each in found)


def test_rules_on_the_default_of_an_embedded_resource_see_its_kind():
    node = {
        "type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True,
        "default": {"apiVersion": "v1", "kind": "Pod"},
        "x-kubernetes-validations": [{"rule": "self.kind == 'Service'"}],
    }  # fmt: skip
    (problem,) = validate_defaults({"type": "object", "properties": {"template": node}}, "s")
    assert problem.detail == "failed rule: self.kind == 'Service'"


def test_metadata_in_the_default_of_an_embedded_resource_is_stored_as_it_is_read():
    resource = {
        "type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True,
    }  # fmt: skip
    default = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "foo": 1}, "foo": 1}
    stored = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "foo": 1}
    one = {**resource, "default": json.loads(json.dumps(default))}
    several = {"type": "array", "items": resource, "default": [json.loads(json.dumps(default))]}
    assert validate_defaults({"type": "object", "properties": {"one": one, "several": several}}, "s") == []
    assert (one["default"], several["default"]) == (stored, [stored])


def names_with(rule, count=900):
    names = {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 10}}
    return {**names, "default": ["a"] * count, "x-kubernetes-validations": [{"rule": rule}]}


LONG = "self.all(x, self.all(y, quantity('1Gi').isLessThan(quantity('2Gi'))))"


def test_the_defaults_of_a_schema_share_one_budget():
    properties = {f"n{i:02}": names_with("self.all(x, self.map(y, y == x).size() > 0 && x == 'a')") for i in range(20)}
    problems = validate_defaults({"type": "object", "properties": properties}, "s")
    details = [problem.detail for problem in problems]
    assert 0 < len(problems) < len(properties) + 1
    assert all("cost" in detail for detail in details), details


def test_rules_that_take_long_do_not_run_where_the_caller_waits():
    root = {"type": "object", "properties": {"names": names_with(LONG)}}
    with pytest.raises(TakesLong):
        validate_defaults(root, "s", Demands(Allowance()))
    quick = {"type": "object", "properties": {"names": names_with("self.size() > 2", 100)}}
    assert validate_defaults(quick, "s", Demands(Allowance())) == []


def test_a_definition_with_such_defaults_leaves_the_loop_soon(monkeypatch):
    root = {"type": "object", "properties": {f"names{i}": names_with(LONG) for i in range(3)}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}]
    definition = {
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "versions": versions,
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        },
    }  # fmt: skip
    strategy = DefinitionStrategy()
    strategy.prepare_for_create(definition)
    evaluate = recursion.evaluate
    limits = []

    def spy(kernel, values, limit):
        limits.append(limit)
        return evaluate(kernel, values, limit)

    monkeypatch.setattr(recursion, "evaluate", spy)
    found = strategy.validate(definition, [])
    assert callable(found)
    assert max(limits) <= Allowance().left
    assert len(limits) == 1  # that of the first default ends it
    assert any("cost" in problem.detail for problem in found())
