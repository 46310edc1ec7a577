"""Rules of custom resources on objects: order, paths, reasons, old values, ratcheting, budgets, pauses."""

import pytest

from quarterdeck.apimachinery import field
from quarterdeck.cel.crd_rules import OBJECT_COST_MAX, compile_rules


def rules(schema, *, is_root=False):
    compiled = compile_rules(schema, is_root=is_root, path="spec.validation.openAPIV3Schema")
    assert not compiled.errors
    return compiled


def with_rules(schema, *found):
    return {**schema, "x-kubernetes-validations": [r if isinstance(r, dict) else {"rule": r} for r in found]}


def texts(result):
    return [str(error) for error in result.errors]


INT = {"type": "integer"}
TEXT = {"type": "string", "maxLength": 20}


def test_rules_run_from_the_outside_in():
    inner = with_rules({"type": "object", "properties": {"n": with_rules(INT, "self > 2")}}, "self.n > 1")
    schema = with_rules({"type": "object", "properties": {"a": inner}}, "has(self.b)") | {}
    schema["properties"]["b"] = INT
    assert texts(rules(schema).validate({"a": {"n": 0}})) == [
        "<nil>: Invalid value: failed rule: has(self.b)",
        "a: Invalid value: failed rule: self.n > 1",
        "a.n: Invalid value: 0: failed rule: self > 2",
    ]


def test_paths_name_items_keys_and_field_paths():
    schema = {
        "type": "object",
        "properties": {
            "l": {"type": "array", "maxItems": 5, "items": with_rules(TEXT, "self != 'x'")},
            "m": {"type": "object", "maxProperties": 5, "additionalProperties": with_rules(INT, "self > 0")},
            "o": with_rules(
                {"type": "object", "properties": {"v": TEXT, "m": {"type": "object", "additionalProperties": TEXT}}},
                {"rule": "self.v != 'x'", "fieldPath": ".m['a.b']", "reason": "FieldValueForbidden", "message": "no"},
            ),
        },
    }
    assert texts(rules(schema).validate({"l": ["a", "x"], "m": {"a.b/c": 0}, "o": {"v": "x"}})) == [
        "l[1]: Invalid value: \"x\": failed rule: self != 'x'",
        "m[a.b/c]: Invalid value: 0: failed rule: self > 0",
        "o.m[a.b]: Forbidden: no",
    ]


def test_a_transition_rule_waits_for_an_old_value():
    compiled = rules({"type": "object", "properties": {"n": with_rules(INT, "self >= oldSelf")}})
    assert not texts(compiled.validate({"n": 1}))
    assert not texts(compiled.validate({"n": 1}, {}))
    assert texts(compiled.validate({"n": 1}, {"n": 2})) == ["n: Invalid value: 1: failed rule: self >= oldSelf"]


def test_an_optional_old_value_is_given_on_creation_too():
    rule = {"rule": "oldSelf.hasValue() ? self >= oldSelf.value() : self == 0", "optionalOldSelf": True}
    compiled = rules({"type": "object", "properties": {"n": with_rules(INT, rule)}})
    assert texts(compiled.validate({"n": 1}))
    assert not texts(compiled.validate({"n": 1}, {"n": 1}))


def test_old_entries_of_a_map_list_are_found_by_key():
    entry = with_rules({"type": "object", "properties": {"k": TEXT, "v": INT}}, "self.v >= oldSelf.v")
    compiled = rules(
        {
            "type": "array",
            "maxItems": 5,
            "items": entry,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
        }
    )
    old = [{"k": "a", "v": 5}, {"k": "b", "v": 1}]
    assert texts(compiled.validate([{"k": "b", "v": 2}, {"k": "a", "v": 4}, {"k": "c", "v": 0}], old)) == [
        "[1]: Invalid value: failed rule: self.v >= oldSelf.v"
    ]


def test_what_did_not_change_is_only_warned_about():
    schema = {"type": "object", "properties": {"n": with_rules(INT, "self > 5"), "m": with_rules(INT, "self > 5")}}
    compiled = rules(schema)
    result = compiled.validate({"n": 1, "m": 2}, {"n": 1, "m": 3})
    assert texts(result) == ["m: Invalid value: 2: failed rule: self > 5"]
    assert result.warnings == ["n: Invalid value: 1: failed rule: self > 5"]
    assert len(compiled.validate({"n": 1, "m": 2}, {"n": 1, "m": 3}, ratchet=False).errors) == 2


def test_evaluation_errors_are_never_ratcheted():
    compiled = rules({"type": "object", "properties": {"n": with_rules(INT, "10 / self > 0")}})
    result = compiled.validate({"n": 0}, {"n": 0})
    assert texts(result) == ['n: Invalid value: "integer": division by zero evaluating rule: 10 / self > 0']
    assert not result.warnings


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("'n is %d'.format([self])", "n is 3"),
        ("' spaced '", "spaced"),
        ("''", "fallback"),
        ("'two\\nlines'", "fallback"),
        ("string(1 / (self - 3))", "fallback"),
    ],
)
def test_message_expressions_fall_back_to_the_message(expression, message):
    rule = {"rule": "self > 5", "message": "fallback", "messageExpression": expression}
    assert texts(rules(with_rules(INT, rule)).validate(3)) == [f"<nil>: Invalid value: 3: {message}"]


def test_the_limit_of_one_rule_ends_the_validation():
    loops = "self.all(x, self.all(y, self.all(z, x != y || y == z)))"
    schema = {"type": "array", "maxItems": 60, "items": {"type": "integer"}}
    compiled = rules(with_rules(schema, {"rule": loops}, "self.size() < 1"))
    result = compiled.validate([0] * 200)
    assert result.budget < 0
    assert texts(result) == [
        "<nil>: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation "
        f"rules will be run due to call cost exceeds limit for rule: {loops}"
    ]


def test_a_call_that_costs_more_than_an_object_may_ends_the_validation_for_that():
    schema = {"type": "array", "maxItems": 60, "items": {"type": "integer"}}
    wrong = {"rule": "self.size() < 1", "messageExpression": "string(self.distinct().size())"}
    values = list(range(3000))
    assert texts(rules(with_rules(schema, "self.distinct().size() > 0")).validate(values)) == [
        '<nil>: Invalid value: "array": validation failed due to running out of cost budget, no further validation '
        "rules will be run"
    ]
    assert texts(rules(with_rules(schema, wrong)).validate(values)) == [
        '<nil>: Invalid value: "array": messageExpression evaluation failed due to running out of cost budget, no '
        "further validation rules will be run"
    ]


def test_the_budget_of_an_object_ends_the_validation():
    result = rules(with_rules(INT, "self > 0", "self > 1", "self > 2")).validate(5, budget=3)
    assert texts(result) == [
        '<nil>: Invalid value: "integer": validation failed due to running out of cost budget, no further validation '
        "rules will be run"
    ]
    assert result.budget == -1


def run_with_pause(steps):
    """(how often it paused, the result)."""
    pauses = 0
    while True:
        try:
            next(steps)
            pauses += 1
        except StopIteration as done:
            return pauses, done.value


def test_a_validation_that_takes_long_pauses_once():
    items = with_rules({"type": "integer"}, "self >= 0")
    compiled = rules({"type": "array", "maxItems": 1000, "items": items})
    pauses, result = run_with_pause(compiled.begin(list(range(1000)), inline_cost=100))
    assert pauses == 1
    assert not result.errors
    assert result.budget == OBJECT_COST_MAX - 2000
    assert run_with_pause(compiled.begin([1, 2]))[0] == 0


def test_what_a_long_rule_says_and_costs_does_not_depend_on_the_pause():
    loop = "self.all(x, self.all(y, x >= 0))"
    schema = with_rules({"type": "array", "items": INT, "maxItems": 200}, loop, "self.size() > 1000", loop)
    schema["x-kubernetes-validations"][1]["messageExpression"] = "string(self.map(x, self.map(y, y).size()).size())"
    schema["x-kubernetes-validations"][2]["rule"] = "self.all(x, self.all(y, x + y < 100))"
    values = list(range(120))
    whole = rules(schema).validate(values)
    for inline_cost in (0, 1, 10, 1000, 100_000, 150_000, 1 << 60):
        pauses, result = run_with_pause(rules(schema).begin(values, inline_cost=inline_cost))
        assert (texts(result), result.budget) == (texts(whole), whole.budget)
        assert pauses == (inline_cost < 1 << 60)
    assert len(whole.errors) == 2


def test_rules_of_all_of_are_run_and_not_ratcheted():
    schema = {"type": "object", "properties": {"n": INT}}
    schema["allOf"] = [{"properties": {"n": {"x-kubernetes-validations": [{"rule": "self > 5"}]}}}]
    assert texts(rules(schema).validate({"n": 1}, {"n": 1})) == ["n: Invalid value: 1: failed rule: self > 5"]


def test_nulls_are_absent_fields():
    schema = {"type": "object", "properties": {"n": {**INT, "nullable": True}}}
    compiled = rules(with_rules(schema, "!has(self.n)"))
    assert not texts(compiled.validate({"n": None}))


def test_a_schema_without_rules_costs_nothing():
    compiled = rules({"type": "object", "properties": {"n": INT}})
    assert not compiled
    assert not compiled.validate({"n": "anything"}).errors


def test_faults_of_the_schema_keep_its_rules_from_being_compiled():
    inner = with_rules({"type": "object", "properties": {"n": INT}}, "self.absent == 1")
    schema = {"type": "object", "properties": {"a": inner, "b": with_rules(INT, "self.absent == 1")}}
    path = "spec.validation.openAPIV3Schema"
    found = compile_rules(schema, is_root=True, path=path, faulty_paths=[f"{path}.properties[a].properties[n].type"])
    assert [error.path for error in found.errors] == [f"{path}.properties[b].x-kubernetes-validations[0].rule"]
    assert found.errors[0].type == field.INVALID


def test_a_deeply_nested_schema_is_no_crash():
    schema = with_rules(INT, "self > 0")
    for _ in range(1500):
        schema = {"type": "object", "properties": {"a": schema}}
    compiled = compile_rules(schema, is_root=True, path="x")
    obj = 0
    for _ in range(1500):
        obj = {"a": obj}
    assert len(compiled.validate(obj).errors) == 1


@pytest.mark.parametrize(
    ("field", "schema", "value"),
    [
        ("l", {"type": "array", "maxItems": 3, "items": INT}, [1]),
        ("m", {"type": "object", "maxProperties": 3, "additionalProperties": INT}, {"a": 1}),
        ("o", {"type": "object", "properties": {"a": INT}}, {"a": 1}),
    ],
)
def test_what_a_schema_describes_is_compared_with_its_like_alone(field, schema, value):
    checks = [f"dyn(self.{field}) == 'x'", f"dyn('x') == self.{field}", f"dyn(self.{field}) == null"]
    found = rules(with_rules({"type": "object", "properties": {field: schema}}, *checks, f"dyn(self.{field}) != 'x'"))
    told = texts(found.validate({field: value}))
    assert len(told) == 3
    assert "'no such overload'" in told[0]
    assert told[1:] == [f"<nil>: Invalid value: failed rule: {check}" for check in checks[1:]]


@pytest.mark.parametrize("text", ["int('x')", "uint(-1)", "bool('x')", "string(dyn(type(1))).size()"])
def test_the_type_is_told_before_what_keeps_an_expression_from_becoming_a_program(text):
    rule = {"rule": text, "message": "m"}
    message = {"rule": "true", "messageExpression": text}
    compiled = compile_rules(with_rules({"type": "object"}, rule, message), is_root=False, path="x")
    assert [error.detail for error in compiled.errors] == [
        *(
            ["program instantiation failed: type conversion error from 'string' to 'bool'"]
            if text[:4] == "bool"
            else ["cel expression must evaluate to a bool"]
        ),
        "messageExpression must evaluate to a string",
    ]


@pytest.mark.parametrize("optional", [None, True])
def test_a_rule_that_becomes_no_program_names_the_old_value_all_the_same(optional):
    old = "oldSelf == self" if optional is None else "(oldSelf.hasValue() && oldSelf.value() == self)"
    rule = {"rule": f"{old} || uint(-1) == 1u"} | ({} if optional is None else {"optionalOldSelf": optional})
    listed = {"type": "array", "maxItems": 3, "items": with_rules({"type": "integer"}, rule)}
    schema = {"type": "object", "properties": {"l": listed}}
    compiled = compile_rules(schema, is_root=False, path="x")
    assert sorted(error.detail for error in compiled.errors) == [
        "oldSelf cannot be used on the uncorrelatable portion of the schema within x.properties[l]",
        "program instantiation failed: unsigned integer overflow",
    ]


@pytest.mark.parametrize(("map_type", "is_told"), [("", True), ("set", True), ("granular", False), ("atomic", False)])
def test_members_of_a_map_of_an_unknown_type_have_no_old_value(map_type, is_told):
    member = with_rules({"type": "integer"}, {"rule": "self == oldSelf"})
    schema = {"type": "object", "x-kubernetes-map-type": map_type, "properties": {"a": member}}
    compiled = compile_rules(schema, is_root=False, path="x")
    told = ["oldSelf cannot be used on the uncorrelatable portion of the schema within x"]
    assert [error.detail for error in compiled.errors] == (told if is_told else [])
