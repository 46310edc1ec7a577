"""Rules compiled and evaluated as Kubernetes' own tests record them: results, exact texts, static and runtime costs."""

import gzip
import json
import re

import pytest

from quarterdeck._kernels import celvalue
from quarterdeck.cel import environment, readers, schema, types
from support import data

FOLDER = data.find("cel")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="the cases are not here")

_NUMBER = re.compile(r"selfType\d+")
# A float32 maximum that was printed with its shortest float32 digits: the file's number is another float64.
_PRINTED_SHORT = "340282346638528859811704183484516925440.000000"


def _cases(name):
    with gzip.open(FOLDER / name) as lines:
        return [json.loads(line) for line in lines]


def _environment(case, is_root):
    declared = schema.declare(case["schema"], is_root)
    old = types.optional_of(declared.type) if case.get("optionalOldSelf") else declared.type
    schema.name_types(declared, "selfType1")
    return environment.Environment({"self": declared.type, "oldSelf": old}, sizes=declared.size_at), declared


def _compiled(case, is_root):
    """(error, cost, cardinality, uses oldSelf, message error, message cost) as the cases have them."""
    env, declared = _environment(case, is_root)
    found = environment.compile_expression(case["rule"], env)
    if isinstance(found, environment.Failure):
        return _NUMBER.sub("selfType", str(found)), 0, None, False, None, 0
    if found.type is not types.BOOL:
        return "cel expression must evaluate to a bool", 0, None, False, None, 0
    message_error, message_cost = None, 0
    if case.get("messageExpression"):
        message = environment.compile_expression(case["messageExpression"], env)
        if isinstance(message, environment.Failure):
            message_error = f"messageExpression {message}"
        elif message.type is not types.STRING:
            message_error = "messageExpression must evaluate to a string"
        else:
            message_cost = message.cost_max
    cardinality = schema.REQUEST_BYTES_MAX // (declared.bytes_min + 1)
    uses_old = "oldSelf" in found.references
    return None, found.cost_max, cardinality, uses_old, message_error, message_cost


def _wanted(case):
    error = case.get("error")
    if error is not None:
        return _NUMBER.sub("selfType", error), 0, None, False, None, 0
    uses_old, message_error = case["usesOldSelf"], case.get("messageError")
    return None, case["maxCost"], case["maxCardinality"], uses_old, message_error, case["msgMaxCost"]


def test_compilations_are_as_recorded():
    different = []
    for case in _cases("compile.jsonl.gz"):
        if not case["rule"].strip():
            continue  # an empty rule is not compiled at all
        # The file does not say whether a schema stood at the root of a resource.
        if _wanted(case) not in (_compiled(case, False), _compiled(case, True)):
            different.append((case["rule"], _wanted(case), _compiled(case, False)))
    assert not different


def test_evaluations_are_as_recorded():
    different = []
    for case in _cases("eval.jsonl.gz"):
        env, _ = _environment(case, case["root"])
        program = environment.compile_expression(case["rule"], env)
        reader = readers.reader_of(case["schema"], case["root"])
        bindings = {"self": celvalue.read_value(case["obj"], reader)}
        if case.get("oldObj") is not None:
            old = celvalue.read_value(case["oldObj"], reader)
            bindings["oldSelf"] = celvalue.Optional(old) if case.get("optionalOldSelf") else old
        elif case.get("optionalOldSelf"):
            bindings["oldSelf"] = celvalue.optional_none
        wanted = case.get("err") or case["result"] == "true"
        is_limited = wanted == environment.COST_LIMIT_MESSAGE
        outcome = program.evaluate(bindings, 0 if is_limited else environment.PER_CALL_LIMIT)
        got = outcome.error or outcome.value
        # Less often than upstream the kernel looks whether the limit is reached: somewhat more was spent by then.
        is_cost_right = outcome.cost >= case["cost"] if is_limited else outcome.cost == case["cost"]
        if got != wanted or not is_cost_right:
            different.append((case["rule"], wanted, case["cost"], outcome))
    assert all(_PRINTED_SHORT in rule for rule, *_ in different), different
    assert len(different) <= 1
