"""What null and empty lists are in the mutations of policies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import definitions, in_process
from unit.admission.test_policies import attributes_of, json_patch, mutating
from unit.admission.test_webhooks import CONFIGURATIONS, GROUP, MERGE, THINGS, thing

TEXTS = {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "plain": TEXTS,
                "nullable": {**TEXTS, "nullable": True},
                "defaulted": {**TEXTS, "default": ["d"]},
                "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        }
    },
}


def read(answer: Any) -> Any:
    return json.loads(answer.body)


@pytest.mark.parametrize(
    ("operations", "passes"),
    [
        ("JSONPatch{op: 'test', path: '/spec/none', value: null}", False),
        ("JSONPatch{op: 'test', path: '/spec/nothing', value: null}", False),
        ("JSONPatch{op: 'test', path: '/spec/n', value: null}", False),
        ("JSONPatch{op: 'test', path: '/spec/none'}", True),
        (
            "JSONPatch{op: 'add', path: '/spec/x', value: null}, JSONPatch{op: 'test', path: '/spec/x', value: null}",
            True,
        ),
    ],
)
def test_a_null_of_an_expression_is_like_no_null_of_an_object(operations: str, passes: bool) -> None:
    attributes = attributes_of({"n": 5, "nothing": None})
    mutating(attributes, json_patch(f"[{operations}, JSONPatch{{op: 'add', path: '/spec/s', value: 'passed'}}]"))
    assert attributes.obj is not None
    assert ("s" in attributes.obj["spec"]) == passes


async def mutate_things(server: in_process.InProcess, expression: str, version: str = "*") -> None:
    spec = {
        "matchConstraints": {
            "resourceRules": [
                {
                    "operations": ["CREATE", "UPDATE"],
                    "apiGroups": [GROUP],
                    "apiVersions": [version],
                    "resources": ["things"],
                }
            ]
        },
        "reinvocationPolicy": "Never",
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}],
    }
    for kind, body in (("MutatingAdmissionPolicy", spec), ("MutatingAdmissionPolicyBinding", {"policyName": "p"})):
        plural = kind.lower().replace("policy", "policies") if kind.endswith("y") else f"{kind.lower()}s"
        made = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "p"}, "spec": body}
        assert (await server.call("POST", f"{CONFIGURATIONS}/{plural}", made)).status == 201


async def test_a_list_that_an_expression_made_empty_is_stored_as_null(tmp_path: Path) -> None:
    made = "plain: [], nullable: ['a'].filter(x, false), defaulted: [], open: Object.spec.open{list: []}"

    async def spec_of(method: str, address: str, body: Any, content_type: str = in_process.JSON) -> Any:
        answer = read(await server.call(method, address, body, content_type))
        return answer["spec"]

    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(SCHEMA)))
        await mutate_things(server, f"Object{{spec: Object.spec{{{made}}}}}")
        nulls = {"nullable": None, "defaulted": ["d"], "open": {"list": None}}
        assert await spec_of("POST", THINGS, thing(plain=[], defaulted=[])) == nulls
        changed = await spec_of("PATCH", f"{THINGS}/a", {"spec": {"plain": ["x"]}}, MERGE)
        assert changed == {"plain": ["x"], **nulls}


async def test_a_list_of_the_object_that_is_empty_stays(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(SCHEMA)))
        await mutate_things(server, "Object{spec: Object.spec{plain: object.spec.?plain.orValue([])}}")
        for body, plain in ((thing("a", plain=[]), []), (thing("b"), None)):
            made = read(await server.call("POST", THINGS, body))
            assert made["spec"].get("plain") == plain
