"""A whole server without sockets notes what became of rules, policies, webhooks and conditions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.transport.messages import Response
from support import admission_hook, conversion_hook, definitions, in_process
from support.admission_hook import AdmissionHook
from support.in_process import InProcess
from support.waiting import PATIENCE_S

PATH = "/quarterdeck/v1/coverage"
GROUP = "ruled.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
MERGE = "application/merge-patch+json"
INTEGER = {"type": "integer"}


def rule(text: str, **more: Any) -> dict[str, Any]:
    return {"rule": text, "message": "no", **more}


SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "x-kubernetes-validations": [rule("self.size <= self.most"), rule("self.size >= oldSelf.size")],
            "properties": {
                "size": INTEGER,
                "most": INTEGER,
                "by": {"type": "integer", "x-kubernetes-validations": [rule("100 / self > 1")]},
                "parts": {
                    "type": "array",
                    "maxItems": 10,
                    "items": {
                        "type": "object",
                        "properties": {"n": INTEGER},
                        "x-kubernetes-validations": [rule("self.n != 7")],
                    },
                },
                "limits": {
                    "type": "object",
                    "maxProperties": 10,
                    "additionalProperties": {"type": "integer", "x-kubernetes-validations": [rule("self < 9")]},
                },
            },
        },
        "status": definitions.ANYTHING,
    },
}


def definition(**more: Any) -> dict[str, Any]:
    found = definitions.of_things(GROUP, definitions.version(SCHEMA))
    found["spec"] |= more
    return found


def thing(name: str = "one", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec}


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.fixture
def server(runner: asyncio.Runner, tmp_path: Path) -> Iterator[InProcess]:
    running = in_process.running(tmp_path, has_coverage=True)
    yield runner.run(running.__aenter__())
    runner.run(running.__aexit__(None, None, None))


async def report(server: InProcess) -> dict[str, Any]:
    answer = await server.call("GET", PATH)
    assert answer.status == 200
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


async def rules(server: InProcess, kind: str) -> dict[tuple[str, str], tuple[int, int, int]]:
    """How often each was evaluated, false and an error."""
    return {
        (each["path"], each["rule"]): (each["evaluated"], each["false"], each["errors"])
        for each in (await report(server))["rules"]
        if each["kind"] == kind
    }


async def until(ask: Callable[[], Any], wanted: Callable[[Response], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not wanted(await ask()):
            await asyncio.sleep(0.005)


async def test_rules_of_definitions(server: InProcess) -> None:
    await server.define(definition())
    kind = "CustomResourceDefinition"
    none = (0, 0, 0)
    assert await rules(server, kind) == {
        (".spec", "self.size <= self.most"): none,
        (".spec", "self.size >= oldSelf.size"): none,
        (".spec.by", "100 / self > 1"): none,
        (".spec.parts[]", "self.n != 7"): none,
        (".spec.limits{}", "self < 9"): none,
    }
    parts = [{"n": 1}, {"n": 2}]
    assert (await server.call("POST", THINGS, thing(size=1, most=2, parts=parts, limits={"a": 1}))).status == 201
    found = await rules(server, kind)
    assert found[".spec", "self.size <= self.most"] == (1, 0, 0)
    assert found[".spec", "self.size >= oldSelf.size"] == none, "there is nothing to compare with"
    assert found[".spec.parts[]", "self.n != 7"] == (2, 0, 0)
    assert found[".spec.limits{}", "self < 9"] == (1, 0, 0)
    for patch in ({"size": 3}, {"size": 0}, {"by": 0}, {"parts": [{"n": 7}]}):
        assert (await server.call("PATCH", f"{THINGS}/one", {"spec": patch}, MERGE)).status == 422
    found = await rules(server, kind)
    assert found[".spec", "self.size <= self.most"] == (5, 1, 0)
    assert found[".spec", "self.size >= oldSelf.size"] == (4, 1, 0)
    assert found[".spec.by", "100 / self > 1"] == (1, 0, 1)
    assert found[".spec.parts[]", "self.n != 7"] == (2 + 3 * 2 + 1, 1, 0)
    (version,) = {each["version"] for each in (await report(server))["rules"]}
    assert version == "v1"
    await server.call("DELETE", PATH)
    assert set((await rules(server, kind)).values()) == {none}
    assert (await server.call("PATCH", f"{THINGS}/one", {"spec": {"size": 2}}, MERGE)).status == 200
    assert (await rules(server, kind))[".spec", "self.size <= self.most"] == (1, 0, 0)


async def test_rules_that_take_long_count_once(server: InProcess) -> None:
    """They are begun on the event loop, given up, and begun again in a thread."""
    text = "self.all(x, self.all(y, self.all(z, x + y + z >= 0)))"
    listing = {"type": "array", "maxItems": 60, "items": INTEGER, "x-kubernetes-validations": [rule(text)]}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"items": listing}}}}
    await server.define(definitions.of_things(GROUP, definitions.version(schema)))
    answer = await server.call("POST", THINGS, thing(items=list(range(40))))
    assert answer.status == 201, answer.body
    assert await rules(server, "CustomResourceDefinition") == {(".spec.items", text): (1, 0, 0)}


async def make_policy(server: InProcess, kind: str, name: str, spec: dict[str, Any], binding: dict[str, Any]) -> None:
    lower = kind.lower()
    body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}}
    match = {
        "resourceRules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
        ]
    }
    plural = f"{lower[:-1]}ies"
    answer = await server.call("POST", f"{ADMISSION}/{plural}", body | {"spec": {"matchConstraints": match, **spec}})
    assert answer.status == 201, answer.body
    bound = {**body, "kind": f"{kind}Binding", "spec": {"policyName": name, **binding}}
    answer = await server.call("POST", f"{ADMISSION}/{lower}bindings", bound)
    assert answer.status == 201, answer.body


async def test_expressions_of_policies(server: InProcess) -> None:
    deny = {"validationActions": ["Deny"]}
    conditions = [{"name": "named", "expression": "object.metadata.name != 'other'"}]
    validations = [{"expression": "object.data.a != 'bad'"}, {"expression": "size(object.data) < 5"}]
    spec = {"validations": validations, "matchConditions": conditions}
    await make_policy(server, "ValidatingAdmissionPolicy", "mine", spec, deny)
    kind = "ValidatingAdmissionPolicy"
    assert set((await rules(server, kind)).values()) == {(0, 0, 0)}
    statuses = []
    for name, data in (("other", {"a": "bad"}), ("one", {"a": "good"}), ("two", {"a": "bad"}), ("three", {"b": ""})):
        statuses.append((await server.call("POST", MAPS, config_map(name, **data))).status)
    assert statuses == [201, 201, 422, 422]
    assert await rules(server, kind) == {
        ("spec.matchConditions[0]", "object.metadata.name != 'other'"): (4, 1, 0),
        ("spec.validations[0]", "object.data.a != 'bad'"): (3, 1, 1),
        ("spec.validations[1]", "size(object.data) < 5"): (3, 0, 0),
    }


async def test_expressions_of_policies_that_mutate(server: InProcess) -> None:
    kind = "MutatingAdmissionPolicy"
    text = 'Object{data: {"added": "x"}}'
    mutations = [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": text}}]
    spec = {"mutations": mutations, "reinvocationPolicy": "Never"}
    await make_policy(server, kind, "mine", spec, {})
    assert (await server.call("POST", MAPS, config_map("one", a="b"))).status == 201
    assert await rules(server, kind) == {("spec.mutations[0]", text): (1, 0, 0)}


async def bindings(server: InProcess) -> dict[str, int]:
    return {each["name"]: each["evaluated"] for each in (await report(server))["bindings"]}


async def test_bindings_of_policies(server: InProcess) -> None:
    """A binding that says nothing concerns what its policy does; one of other requests is not evaluated."""
    spec = {"validations": [{"expression": "true"}]}
    everywhere = {"validationActions": ["Deny"]}
    await make_policy(server, "ValidatingAdmissionPolicy", "mine", spec, everywhere)
    elsewhere = {"matchLabels": {"kubernetes.io/metadata.name": "elsewhere"}}
    bound = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "other"},
        "spec": {"policyName": "mine", **everywhere, "matchResources": {"namespaceSelector": elsewhere}},
    }
    path = f"{ADMISSION}/validatingadmissionpolicybindings"
    assert (await server.call("POST", path, bound)).status == 201
    assert await bindings(server) == {"mine": 0, "other": 0}
    for number in range(2):
        assert (await server.call("POST", MAPS, config_map(f"m{number}"))).status == 201
    assert (await server.call("POST", MAPS.replace("configmaps", "secrets"), {"metadata": {"name": "s"}})).status == 201
    assert await bindings(server) == {"mine": 2, "other": 0}
    told = {(each["kind"], each["policy"]) for each in (await report(server))["bindings"]}
    assert told == {("ValidatingAdmissionPolicyBinding", "mine")}


async def configure(server: InProcess, kind: str, name: str, *webhooks: dict[str, Any]) -> None:
    body = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "webhooks": list(webhooks),
    }
    answer = await server.call("POST", f"{ADMISSION}/{kind.lower()}s", body)
    assert answer.status == 201, answer.body


async def test_admission_webhooks(server: InProcess, tmp_path: Path) -> None:
    async with admission_hook.running(tmp_path) as hook:
        _respond(hook)
        at = {"resource": "configmaps", "group": ""}
        condition = {"name": "c", "expression": "object.metadata.name != 'skipped'"}
        await configure(
            server, "MutatingWebhookConfiguration", "m", hook.webhook("change", **at, matchConditions=[condition])
        )
        await configure(
            server,
            "ValidatingWebhookConfiguration",
            "v",
            hook.webhook("judge", **at),
            hook.webhook("broken", **at, failurePolicy="Ignore"),
            hook.webhook("never", "elsewhere.example.com"),
        )
        before = {each["name"]: each["called"] for each in (await report(server))["webhooks"]}
        assert before == dict.fromkeys((f"{name}.example.com" for name in ("change", "judge", "broken", "never")), 0)
        statuses = [
            (await server.call("POST", MAPS, config_map(name))).status for name in ("one", "skipped", "refused", "same")
        ]
        assert statuses == [201, 201, 400, 201]
        found = {
            each["name"].partition(".")[0]: tuple(
                each[name] for name in ("called", "allowed", "mutated", "refused", "failed")
            )
            for each in (await report(server))["webhooks"]
        }
    assert found == {
        "change": (3, 3, 2, 0, 0),
        "judge": (4, 3, 0, 1, 0),
        "broken": (4, 0, 0, 0, 4),
        "never": (0, 0, 0, 0, 0),
    }
    assert await rules(server, "MutatingWebhookConfiguration") == {
        # Once more for each of the two that webhooks have changed: they may be asked again.
        ("webhooks[0].matchConditions[0]", "object.metadata.name != 'skipped'"): (4 + 2, 1, 0)
    }


def _respond(hook: AdmissionHook) -> None:
    added = admission_hook.patch({"op": "add", "path": "/data", "value": {"a": "b"}})
    hook.responds["change"] = lambda request: {} if request["name"] == "same" else added
    hook.responds["judge"] = lambda request: {"allowed": request["name"] != "refused"}
    hook.responds["broken"] = lambda _: b"HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n"


async def test_conversion_webhooks(server: InProcess, tmp_path: Path) -> None:
    async with conversion_hook.running(tmp_path) as hook:
        versions = [definitions.version(), definitions.version(name="v2", is_storage=False)]
        converted = definitions.of_things(GROUP, *versions)
        converted["spec"]["conversion"] = hook.conversion()
        await server.define(converted)
        assert (await server.call("POST", THINGS, thing(a=1))).status == 201
        (told,) = (await report(server))["webhooks"]
        assert (told["kind"], told["configuration"]) == ("CustomResourceDefinition", f"things.{GROUP}")
        assert told["called"] == 0
        assert (await server.call("GET", THINGS.replace("v1", "v2") + "/one")).status == 200
        await server.call("DELETE", f"{THINGS}/one")
        (told,) = (await report(server))["webhooks"]
        assert (told["called"], told["failed"]) == (hook.calls, 0)

        async def fail(review: dict[str, Any], writer: asyncio.StreamWriter) -> None:
            writer.write(conversion_hook.answer(review, result={"status": "Failed", "message": "no"}))

        hook.behave = fail
        assert (
            await server.call("POST", THINGS.replace("v1", "v2"), {**thing(a=1), "apiVersion": f"{GROUP}/v2"})
        ).status >= 400
        (told,) = (await report(server))["webhooks"]
        assert told["failed"] >= 1


async def conditions(server: InProcess) -> list[tuple[str, str, str, str, str, int]]:
    return [
        (each["kind"], each["path"], each["type"], each["status"], each["reason"], each["count"])
        for each in (await report(server))["conditions"]
        if each["group"] == GROUP
    ]


async def test_conditions_of_objects(server: InProcess) -> None:
    await server.define(definition())
    assert await conditions(server) == []
    kinds = {each["kind"] for each in (await report(server))["conditions"]}
    assert "CustomResourceDefinition" in kinds, "what the server's own controllers write counts"
    ready = {"type": "Ready", "status": "False", "reason": "Young"}
    status: dict[str, Any] = {"conditions": [ready, {"type": "Odd"}, 5], "listeners": [{"conditions": [ready]}]}
    assert (await server.call("POST", THINGS, {**thing(size=1, most=2), "status": status})).status == 201
    for reason in ("Grown", "Grown"):
        grown = {"conditions": [{**ready, "status": "True", "reason": reason, "message": "x"}], "n": reason}
        await server.call("PATCH", f"{THINGS}/one", {"status": grown}, MERGE)
    assert await conditions(server) == [
        ("Thing", ".status.conditions", "Ready", "False", "Young", 1),
        ("Thing", ".status.conditions", "Ready", "True", "Grown", 1),
        ("Thing", ".status.listeners[].conditions", "Ready", "False", "Young", 2),
    ]
    await server.call("DELETE", PATH)
    assert await conditions(server) == [], "of others the server's controllers may have written some since"
