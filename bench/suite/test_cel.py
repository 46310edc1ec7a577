"""Rules in CEL: compiled and evaluated. bench/micro/bench_cel.py has the memory that the corpus' rules take."""

from __future__ import annotations

from typing import Any

import celpy
import pytest
from bench.suite.groups import group
from celpy import celtypes
from celpy.adapter import json_to_cel

from quarterdeck._kernels import celvalue
from quarterdeck.cel import readers, rule_environments, schema
from quarterdeck.cel.crd_rules import compile_rules
from quarterdeck.cel.environment import Program

WIDE = {
    "type": "object",
    "properties": {
        **{f"f{i}": {"type": "object", "properties": {"a": {"type": "string"}}} for i in range(206)},
        "a": {"type": "integer"},
        "b": {"type": "integer"},
    },
}
NARROW = {
    "type": "object",
    "properties": {
        "a": {"type": "integer"},
        "b": {"type": "integer"},
        "name": {"type": "string", "maxLength": 63},
        "ports": {
            "type": "array",
            "maxItems": 20,
            "items": {"type": "object", "properties": {"port": {"type": "integer"}, "name": {"type": "string"}}},
        },
    },
}
OBJECT = {"a": 3, "b": 5, "name": "web-0", "ports": [{"port": 8000 + i, "name": f"p{i}"} for i in range(10)]}

RULES = {
    "a rule over ten items": "self.ports.all(p, p.port > 0)",
    "a rule over two numbers": "self.a <= self.b",
    "a rule of two tests over ten items": "self.ports.all(p, p.port > 0 && p.port < 65536)",
    "exists() over ten items": "self.ports.exists(p, p.name == 'p9')",
    "matches()": "self.name.matches('^[a-z0-9-]+$')",
    "has() and size()": "!has(self.name) || self.name.size() <= 63",
    "in a list of constants": "self.name in ['web-0', 'web-1']",
}
EACH_RULE = pytest.mark.parametrize(
    "rule", [pytest.param(rule, marks=group(name), id=rule) for name, rule in RULES.items()]
)
COST_MAX = 1_000_000


def environments(node: dict[str, Any]) -> rule_environments.Environments:
    declared = schema.declare(node, False)
    assert declared is not None
    return rule_environments.Environments(declared)


def evaluate(benchmark: Any, node: dict[str, Any], rule: str) -> None:
    compiled = environments(node).compile(rule, False)
    assert isinstance(compiled, Program), compiled
    own = celvalue.read_value(OBJECT, readers.reader_of(node, False))
    benchmark(compiled.kernel.run, [own, *[None] * (compiled.kernel.slots - 1)], COST_MAX)


@EACH_RULE
def test_cel_python(benchmark: Any, rule: str) -> None:
    environment = celpy.Environment(annotations={"self": celtypes.MapType})
    program = environment.program(environment.compile(rule))
    assert benchmark(lambda: program.evaluate({"self": json_to_cel(OBJECT)}))


@EACH_RULE
def test_cel_floor(benchmark: Any, rule: str) -> None:
    cel = pytest.importorskip("cel_expr_python.cel")
    compiled = cel.NewEnv(variables={"self": cel.Type.DYN}).compile(rule)
    assert benchmark(lambda: compiled.eval(data={"self": OBJECT}).value())


@EACH_RULE
def test_cel(benchmark: Any, rule: str) -> None:
    evaluate(benchmark, NARROW, rule)


@group("a rule over two numbers")
def test_cel_of_208_properties(benchmark: Any) -> None:
    evaluate(benchmark, WIDE, RULES["a rule over two numbers"])


@group("matches()")
def test_cel_by_re2(benchmark: Any) -> None:
    """What no automaton is built for; other patterns become one when they have been used some hundred times."""
    evaluate(benchmark, NARROW, RULES["matches()"].replace("$", r"\\z"))


@group("compile a rule")
def test_compile_floor(benchmark: Any) -> None:
    cel = pytest.importorskip("cel_expr_python.cel")
    environment = cel.NewEnv(variables={"self": cel.Type.DYN})
    benchmark(environment.compile, RULES["a rule over two numbers"])


@group("compile a rule")
@pytest.mark.parametrize("name", ["a rule over two numbers", "a rule of two tests over ten items", "has() and size()"])
def test_compile(benchmark: Any, name: str) -> None:
    known = environments(NARROW)
    benchmark(known.compile, RULES[name], False)


@group("compile a rule")
def test_compile_the_first_of_a_node(benchmark: Any) -> None:
    whole = {**NARROW, "x-kubernetes-validations": [{"rule": RULES["a rule over two numbers"]}]}
    benchmark(compile_rules, whole, is_root=False, path="x")


@group("rules over an object")
def test_validate_floor(benchmark: Any) -> None:
    cel = pytest.importorskip("cel_expr_python.cel")
    compiled = cel.NewEnv(variables={"self": cel.Type.DYN}).compile(RULES["a rule over two numbers"])
    benchmark(lambda: compiled.eval(data={"self": OBJECT}).value())


@group("rules over an object")
def test_validate(benchmark: Any) -> None:
    node = {**NARROW, "x-kubernetes-validations": [{"rule": RULES["a rule over two numbers"]}]}
    rules = compile_rules({"type": "object", "properties": {"spec": node}}, is_root=True, path="x")
    obj = {"metadata": {"name": "x"}, "spec": OBJECT}
    assert not benchmark(rules.validate, obj, obj).errors


@group("rules over an object")
def test_up_to_the_limit_of_cost(benchmark: Any) -> None:
    node = {
        "type": "array",
        "maxItems": 2000,
        "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, x != y || x == y))"}],
    }
    rules = compile_rules(node, is_root=False, path="x")
    assert benchmark(rules.validate, [0] * 2000).errors
