"""What policies find is counted: of validating ones what fails or cannot be told, of mutating ones each mutation."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import Any

from support import in_process

GROUP = "/apis/admissionregistration.k8s.io/v1"
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
MATCH = {
    "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]
}
LARGE = "size(object.data) < 2"
ABSENT = "object.data.absent == 'x'"


async def add(
    server: in_process.InProcess, resource: str, name: str, bindings: dict[str, list[str]], **spec: Any
) -> None:
    """`bindings`: by name the actions, none for a policy that mutates."""
    policy = {"metadata": {"name": name}, "spec": {"matchConstraints": MATCH, **spec}}
    assert (await server.call("POST", f"{GROUP}/{resource}policies", policy)).status == 201
    for binding, actions in bindings.items():
        bound = {"policyName": name, **({"validationActions": actions} if actions else {})}
        body = {"metadata": {"name": binding}, "spec": bound}
        assert (await server.call("POST", f"{GROUP}/{resource}policybindings", body)).status == 201


async def series(server: in_process.InProcess) -> Counter[str]:
    """Checks and how many of them were timed, by their labels."""
    answer = await server.call("GET", "/metrics")
    text = (answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)).decode()
    found: Counter[str] = Counter()
    for line in text.splitlines():
        match = re.fullmatch(
            r"apiserver_(\w+)_admission_policy_check_(total|duration_seconds_count)\{(.*)\} (\d+)", line
        )
        if match:
            told = dict(re.findall('(\\w+)="([^"]*)"', match[3]))
            names = ("policy", "policy_binding", "error_type", "enforcement_action")
            labels = ",".join(told.pop(name) for name in names if name in told)
            assert not told
            found[f"{match[1]}/{match[2].removesuffix('_count')}/{labels}"] = int(match[4])
    return found


async def rise(server: in_process.InProcess, code: int, data: dict[str, str]) -> dict[str, int]:
    before = await series(server)
    body = {"metadata": {"generateName": "a-"}, "data": data}
    assert (await server.call("POST", CONFIGMAPS, body)).status == code
    after = await series(server)
    grown = after - before
    totals = {name: count for name, count in grown.items() if "/total/" in name}
    timed = {
        name.replace("/duration_seconds/", "/total/"): count for name, count in grown.items() if name not in totals
    }
    assert timed == totals  # each is timed once
    return {name.replace("/total/", "/"): count for name, count in totals.items()}


def test_checks_of_policies_are_counted(tmp_path: Path) -> None:
    async def run() -> None:
        async with in_process.running(tmp_path) as server:
            validations = [{"expression": LARGE}, {"expression": "object.data.a == '1'"}]
            await add(
                server, "validatingadmission", "p", {"b": ["Deny", "Audit"], "w": ["Warn"]}, validations=validations
            )
            assert await rise(server, 201, {"a": "1"}) == {}  # what holds is not counted
            assert await rise(server, 422, {"a": "2", "b": "3"}) == {
                "validating/p,b,invalid_error,deny": 2,
                "validating/p,b,invalid_error,audit": 2,
                "validating/p,w,invalid_error,warn": 2,
            }
            await add(
                server,
                "validatingadmission",
                "ignoring",
                {"i": ["Deny"]},
                validations=[{"expression": ABSENT}, {"expression": "true"}],
                failurePolicy="Ignore",
            )
            assert await rise(server, 201, {"a": "1"}) == {"validating/ignoring,i,invalid_error,allow": 1}

    asyncio.run(run())


def test_failing_conditions_annotations_and_budgets_are_counted(tmp_path: Path) -> None:
    long = "object.data.all(a, " * 3 + "true" + ")" * 3

    async def run() -> None:
        async with in_process.running(tmp_path) as server:
            conditions = [{"name": "c", "expression": ABSENT}]
            await add(
                server,
                "validatingadmission",
                "conditions",
                {"c": ["Deny"]},
                validations=[{"expression": "true"}],
                matchConditions=conditions,
            )
            await add(
                server,
                "validatingadmission",
                "annotations",
                {"a": ["Audit"]},
                auditAnnotations=[{"key": "k", "valueExpression": "string(object.data.absent)"}],
            )
            assert await rise(server, 422, {"a": "1"}) == {
                "validating/conditions,c,invalid_error,deny": 1,
                "validating/annotations,a,invalid_error,deny": 1,
            }
            assert await rise(server, 201, {"absent": "x"}) == {}
            await add(server, "validatingadmission", "long", {"l": ["Deny"]}, validations=[{"expression": long}] * 20)
            many = {f"a{number}": "" for number in range(60)} | {"absent": "x"}
            assert await rise(server, 422, many) == {"validating/long,l,out_of_budget,deny": 1}

    asyncio.run(run())


def test_mutations_are_counted(tmp_path: Path) -> None:
    def patch(expression: str) -> dict[str, Any]:
        return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}

    async def run() -> None:
        async with in_process.running(tmp_path) as server:
            good = patch("""[JSONPatch{op: "add", path: "/data/m", value: "1"}]""")
            bad = patch("""[JSONPatch{op: "remove", path: "/data/absent"}]""")
            odd = patch("""[JSONPatch{op: "add", path: "/data", value: 1}]""")
            common = {"reinvocationPolicy": "Never", "failurePolicy": "Fail"}
            await add(server, "mutatingadmission", "m", {"n": []}, mutations=[good, good], **common)
            assert await rise(server, 201, {"a": "1"}) == {"mutating/m,n,no_error": 2}
            await add(server, "mutatingadmission", "r", {"s": []}, mutations=[bad], **common)
            grown = await rise(server, 403, {"a": "1"})
            assert grown == {"mutating/m,n,no_error": 2, "mutating/r,s,invalid_error": 1}
            await add(server, "mutatingadmission", "a", {"o": []}, mutations=[odd], **common)
            grown = await rise(server, 500, {"a": "1"})
            assert grown == {"mutating/a,o,invalid_error": 1}  # the answer is given before others are asked

    asyncio.run(run())
