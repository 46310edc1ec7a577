"""Expressions and schemas nested as deeply as anybody may send them: an answer, and the process lives on.

Each case runs in a thread with a small stack, in a process of its own; compiled code would not notice that the stack is
used up before the process dies of it. The compiled and the interpreted form have to give the same answers.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from quarterdeck import cel

LEVELS = 249  # below the parser's limit of 250
TOO_DEEP = "compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250"
TOO_MANY_VISITS = "compilation failed: ERROR: <input>:-1:0: max recursion depth exceeded"


def nested(opening: str, closing: str, inner: str = "1", levels: int = LEVELS) -> str:
    return opening * levels + inner + closing * levels


EXPRESSIONS = {
    "parentheses": nested("(", ")"),
    "lists": nested("[", "]"),
    "maps": nested("{1:", "}", levels=LEVELS - 1) + " == {}",
    "ternaries": nested("true ? 1 : ", "", levels=LEVELS - 1),
    "ternaries within": nested("true ? (", "):1", levels=LEVELS - 1),
    "indexes": nested("x[", "]", inner="x", levels=LEVELS - 1),
    "calls": nested("size(", ")", inner='""'),
    "structs": nested("A{a:", "}", levels=LEVELS - 1),
    "all": "".join(f"[1].all(x{i}, " for i in range(LEVELS - 1)) + "true" + ")" * (LEVELS - 1),
    "map": "".join(f"[1].map(x{i}, " for i in range(LEVELS - 1)) + "1" + ")" * (LEVELS - 1),
    "optionals": nested("optional.of(", ")", inner="[]", levels=LEVELS - 2) + ".x",
    "operators": nested("true||true&&1<1+1*-(", ")", levels=40),
    "not all": nested("!(true&&", ")", inner="true"),
    "sum": "+".join(["1"] * LEVELS),
    "and": " && ".join(["true"] * 12_000),
    "or": "||".join(["true"] * 12_000),
    "not": "!" * 90_000 + "true",
    "minus": "-" * 90_000 + "1",
    "empty lists": "size([" + ",".join(["[]"] * 15_000) + "]) == 15000",
    "empty maps": "[" + ",".join(["{}"] * 15_000) + "].size() == 15000",
    "empty list of lists": "[" + ",".join(["[]"] * 15_000) + "] == []",
    "type in an error": nested("[", "]", levels=LEVELS - 2) + "+1",
    "closing": ")!" * 40_000,
    "questions": "?" * 50_000,
    "dots": "." * 50_000,
}
# Deeper than the limit, in every way there is.
REFUSED = {
    "parentheses": nested("(", ")", levels=40_000),
    "lists": nested("[", "]", levels=40_000),
    "ternaries": nested("true ? 1 : ", "", levels=8_000),
    "sum": "+".join(["1"] * 50_000),
    "fields": "x" + ".a" * 49_000,
    "calls": "x" + ".size()" * 10_000,
    "open parentheses": "(" * 50_000,
    "open lists": "[" * 50_000,
    "open braces": "{" * 50_000,
    "all of them": "([{" * 16_000,
    "optMap": "".join(f"optional.of(1).optMap(x{i}, " for i in range(250)) + "1" + ")" * 250,
}
CHAINS = ("sum", "fields", "calls")  # no rule of the grammar is within itself there
# How a node stands in the one above it, and how often.
SCHEMAS = {"properties": 4_990, "items": 9_990, "additionalProperties": 9_990}

PROGRAM = """
import json, re, sys, threading
if sys.argv[1] == "interpreted":
    sys.path.insert(0, sys.argv[2])
    from support import interpreted
    interpreted.install()
from quarterdeck.cel import types
from quarterdeck.cel.crd_rules import compile_rules
from quarterdeck.cel.environment import Environment, Program, compile_expression

given = json.load(sys.stdin)
env = Environment({"x": types.DYN})
answers = {}

def expression(text):
    made = compile_expression(text, env)
    if not isinstance(made, Program):
        return str(made)
    outcome = made.evaluate({"x": {}})
    return [made.cost_max, outcome.error or str(outcome.value), outcome.cost]

def schema(keyword, levels):
    node = {"type": "string", "x-kubernetes-validations": [{"rule": "self.nope"}]}
    for _ in range(levels):
        if keyword == "properties":
            node = {"type": "object", "properties": {"a": node}}
        elif keyword == "items":
            node = {"type": "array", "items": node}
        else:
            node = {"type": "object", "additionalProperties": node}
    node["x-kubernetes-validations"] = [{"rule": rule} for rule in ("self == 1", "true", "self.all(x, x == 1)")]
    errors = compile_rules(node, is_root=True, path="x").errors
    return [re.sub("selfType[0-9]+", "selfType", str(error)) for error in errors]

def run():
    for text in given["expressions"]:
        answers[text] = expression(text)
    for keyword, levels in given["schemas"].items():
        answers[keyword] = schema(keyword, levels)

threading.stack_size(512 << 10)
thread = threading.Thread(target=run)
thread.start()
thread.join()
json.dump(answers, sys.stdout)
"""


@functools.cache
def answers(form: str) -> dict[str, object]:
    expressions = [*EXPRESSIONS.values(), *REFUSED.values()]
    given = json.dumps({"expressions": expressions, "schemas": SCHEMAS})
    support = str(Path(__file__).parents[2])
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, form, support], input=given, capture_output=True, text=True, timeout=100,
        check=False, env={"PYTHONPATH": str(Path(cel.__path__[0]).parents[1])},
    )  # fmt: skip
    assert ran.returncode == 0, (ran.returncode, ran.stderr[-2000:])
    found: dict[str, object] = json.loads(ran.stdout)
    assert len(found) == len(expressions) + len(SCHEMAS), ran.stderr[-2000:]
    return found


@pytest.fixture(scope="module", params=["compiled", "interpreted"])
def given(request: pytest.FixtureRequest) -> dict[str, object]:
    return answers(request.param)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_too_deep_is_refused(given: dict[str, object], name: str) -> None:
    assert given[REFUSED[name]] == (TOO_MANY_VISITS if name in CHAINS else TOO_DEEP)


def test_what_is_within_the_limit_is_worth_what_it_says(given: dict[str, object]) -> None:
    results = {name: given[text] for name, text in EXPRESSIONS.items()}
    assert results["parentheses"] == [0, "1", 0]
    assert results["sum"] == [248, "249", 248]
    assert results["all"] == [3472, "True", 992]
    assert results["and"] == results["not"] == [0, "True", 0]
    assert results["minus"] == [0, "1", 0]  # an even number of signs is none
    assert results["empty lists"] == [150012, "True", 2]
    assert "type 'optional_type(optional_type(" in str(results["optionals"])
    assert str(results["closing"]).count("Syntax error: ") == 100


def test_deep_schemas_are_answered(given: dict[str, object]) -> None:
    for keyword in SCHEMAS:
        deepest, *_, last = given[keyword]  # type: ignore[misc]
        step = "properties[a]" if keyword == "properties" else keyword
        assert deepest.startswith(f"x.{step}.{step}.{step}"), deepest[:100]
        assert "type 'string' does not support field selection" in deepest
        assert last.startswith("x.x-kubernetes-validations[2].rule: Invalid value: "), last[:100]


def test_both_forms_give_the_same_answers() -> None:
    assert answers("compiled") == answers("interpreted")
