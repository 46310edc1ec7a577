"""Maps whose keys are no texts, integers or booleans: upstream takes any value that Go can hash."""

import pytest

from quarterdeck.cel import environment, types

ENV = environment.Environment({"x": types.DYN})


def outcome_of(expression):
    program = environment.compile_expression(expression, ENV)
    assert isinstance(program, environment.Program), program
    return program.evaluate({})


def value_of(expression):
    outcome = outcome_of(expression)
    assert not outcome.error, outcome.error
    return outcome.value


@pytest.mark.parametrize(
    "expression",
    [
        "size({1.5: 'x'}) == 1",
        "{1.5: 'x'}[1.5] == 'x'",
        "1.5 in {1.5: 'x'}",
        "!(2.5 in {1.5: 'x'})",
        "dyn({2.0: 'x'})[2.0] == 'x'",
        "!(2 in dyn({2.0: 'x'}))",
        "2.0 in dyn({2: 'x'})",
        "2.0 in dyn({2u: 'x'})",
        "2u in dyn({2: 'x'})",
        "2 in dyn({2u: 'x'})",
        "{dyn(1): 1, dyn(1u): 2, dyn(1.0): 3, dyn(true): 4}.size() == 4",
        "{dyn(1): 1, dyn(1u): 2}[1u] == 2",
        "{1.5: 1, 1.5: 2} == {1.5: 2}",
        "{0.0: 1}[-0.0] == 1",
        "null in {null: 'x'}",
        "timestamp(0) in {timestamp(0): 'x'}",
        "timestamp('2024-01-01T00:00:00+01:00') in {timestamp('2024-01-01T00:00:00+01:00'): 'x'}",
        "!(timestamp('2024-01-01T00:00:00Z') in {timestamp('2024-01-01T01:00:00+01:00'): 'x'})",
        "!(timestamp('2024-01-01T00:00:00+01:30') in {timestamp('2024-01-01T00:00:00+01:30'): 'x'})",
        "duration('60s') in {duration('1m'): 'x'}",
        "int in {type(1): 'x'}",
        "ip('::1') in {ip('0:0::1'): 1}",
        "cidr('10.0.0.0/8') in {cidr('10.0.0.0/8'): 1}",
        "!([1] in {[1]: 1})",
        "{[1]: 1} != {[1]: 1}",
        "{[1]: 1}.all(k, v, k == [1] && v == 1)",
        "[{[1]: 1}].all(m, m.all(k, k in m && m.size() == 1))",
        "{{}: 1}.size() == 1",
        "{1.5: 'x'}.map(k, k) == [1.5]",
        "{quantity('1'): 'x'}.transformMap(k, v, v + 'y').all(k, k == quantity('1'))",
        "{'a': 'x'}.transformMapEntry(k, v, {1.5: k}) == {1.5: 'a'}",
        "[1.5].map(x, {x: 1}) == [{1.5: 1}]",
        "[quantity('1')].map(x, {x: 1}).size() == 1",
        "{0.0 / 0.0: 1, -0.0 / 0.0: 2}.size() == 2",
        "!(0.0 / 0.0 in {0.0 / 0.0: 1})",
        "{'a': 1, ?'a': optional.none()}.size() == 0",
        "{1: 1, ?1: optional.none(), 2: 2} == {2: 2}",
    ],
)
def test_keys_of_any_type(expression):
    assert value_of(expression) is True


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("dyn({1.5: 'x'})[1]", "no such key: 1"),
        ("{1.5: 'x'}[2.5]", "no such key: 2.5"),
        ("{1: 'x'}.transformMapEntry(k, v, {1u: v}).size() + [1, 2].transformMapEntry(i, v, {1.5: i}).size()",
         "insert failed: key 1.5 already exists"),
        ("[dyn(1), dyn(1u)].transformMapEntry(i, v, {v: i})", "insert failed: key 1 already exists"),
        ("'%s'.format([{1.5: 'x'}])", "error during formatting: no formatting function for map key of type double"),
        ("[b'a'].map(x, {x: 1})", "internal error: runtime error: hash of unhashable type types.Bytes"),
        ("true || [b'a'].map(x, {x: 1}).size() == 1 ? {semver('1.0.0'): 1}.size() : 0",
         "internal error: runtime error: hash of unhashable type cel.Semver"),
        ("dyn(b'a') in {1: 'x'}", "internal error: runtime error: hash of unhashable type types.Bytes"),
        ("dyn(b'a') in ['x']", "internal error: runtime error: hash of unhashable type types.Bytes"),
        ("dyn(semver('1.0.0')) in ['x']", "internal error: runtime error: hash of unhashable type cel.Semver"),
    ],
)  # fmt: skip
def test_keys_that_are_none(expression, error):
    assert outcome_of(expression).error == error


def test_bytes_are_no_key_of_a_map_of_constants():
    found = environment.compile_expression("{b'a': 1}.size() == 1", ENV)
    assert isinstance(found, environment.Failure)
    assert found.text == "runtime error: hash of unhashable type types.Bytes"
