"""Expressions of the common core of CEL, compared with cel-python where one is told of.

QUARTERDECK_CEL_ORACLE names a Python that has cel-python installed (it cannot live beside google-re2's users: both ways
of installing it want the module re2). Without it nothing is compared.
"""

import json
import os
import random
import subprocess

import pytest

from quarterdeck._kernels import celvalue
from quarterdeck.cel import environment, types
from quarterdeck.cel.environment import Failure, compile_expression

ORACLE = os.environ.get("QUARTERDECK_CEL_ORACLE")
pytestmark = pytest.mark.skipif(ORACLE is None, reason="QUARTERDECK_CEL_ORACLE names no Python with cel-python")

BINDINGS = {"x": 3, "s": "hello", "l": [1, 2, 3]}
ENV = environment.Environment({"x": types.INT, "s": types.STRING, "l": types.list_of(types.INT)})
PROGRAM = """
import json, sys, celpy
env = celpy.Environment()
bindings = celpy.json_to_cel(json.loads(sys.argv[1]))
for text in json.load(sys.stdin):
    try:
        value = env.program(env.compile(text)).evaluate(bindings)
        print(json.dumps(["value", json.loads(json.dumps(value, cls=celpy.CELJSONEncoder))]))
    except celpy.CELEvalError:
        print(json.dumps(["error", None]))
"""


def expression(rng, kind, depth=3):
    def part(name):
        return expression(rng, name, depth - 1)

    if depth == 0:
        return {"int": rng.choice(["x", "2", "7"]), "bool": rng.choice(["true", "false"]), "str": "s", "list": "l"}[
            kind
        ]
    forms = {
        "int": [
            lambda: f"({part('int')} {rng.choice('+-*')} {part('int')})",
            lambda: f"({part('bool')} ? {part('int')} : {part('int')})",
            lambda: f"size({part('str')})",
            lambda: f"{part('list')}[{rng.randint(0, 2)}]",
        ],
        "bool": [
            lambda: f"({part('int')} {rng.choice(['<', '<=', '==', '!='])} {part('int')})",
            lambda: f"({part('bool')} {rng.choice(['&&', '||'])} {part('bool')})",
            lambda: f"{part('list')}.{rng.choice(['all', 'exists', 'exists_one'])}(v, v > {rng.randint(0, 3)})",
            lambda: f"({part('str')}).contains('l')",
            lambda: f"({part('int')} in {part('list')})",
        ],
        "str": [lambda: f"({part('str')} + 'l')", lambda: "s", lambda: f"string({part('int')})"],
        "list": [
            lambda: f"[{part('int')}, {part('int')}, 0]",
            lambda: f"{part('list')}.map(v, v + 1)",
            lambda: f"({part('list')} + {part('list')})",
        ],
    }
    return rng.choice(forms[kind])()


def test_values_agree_with_cel_python():
    rng = random.Random(1)
    texts = [expression(rng, rng.choice(["int", "bool", "str", "list"])) for _ in range(300)]
    done = subprocess.run(
        [ORACLE, "-c", PROGRAM, json.dumps(BINDINGS)],
        input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=100,
    )  # fmt: skip
    compared = 0
    for text, line in zip(texts, done.stdout.splitlines(), strict=True):
        kind, value = json.loads(line)
        program = compile_expression(text, ENV)
        assert not isinstance(program, Failure), f"{text}: {program}"
        if kind == "error":
            continue  # cel-python fails at some expressions that are right
        compared += 1
        got = program.evaluate(BINDINGS).value
        items = celvalue.items_of(got)
        assert (got if items is None else list(items)) == value, text
    assert compared > 200
