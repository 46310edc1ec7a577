"""Admission webhooks through a whole server in the test's process: what they are asked, and what their answers do."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.admission import auditnotes
from quarterdeck.admission.pluginsettings import PluginSettings
from quarterdeck.webhook.kubeconfig import Credentials
from quarterdeck.webhook.users import User, Users
from support import admission_hook, definitions, in_process
from support.admission_hook import AdmissionHook, patch
from support.metrics_text import sort_labels

GROUP = "hooks.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
MERGE = "application/merge-patch+json"
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "maximum": 10},
                "color": {"type": "string", "default": "red"},
                "inner": {"type": "object", "properties": {"deep": {"type": "array", "items": {"type": "integer"}}}},
            },
        }
    },
}


class Fixture:
    def __init__(self, server: in_process.InProcess, hook: AdmissionHook) -> None:
        self.server = server
        self.hook = hook

    async def call(self, method: str, address: str, body: Any = None, content_type: str = in_process.JSON) -> Any:
        """The answer's body, with its code where it is no Status; warnings as the member `warnings`."""
        answer = await self.server.call(method, address, body, content_type)
        assert isinstance(answer.body, bytes)
        found = json.loads(answer.body)
        found.setdefault("code", answer.status)
        found["warnings"] = [value for name, value in answer.headers if name == "Warning"]
        return found

    async def configure(self, kind: str, *webhooks: dict[str, Any], name: str = "c") -> None:
        made = await self.call(
            "POST",
            f"{CONFIGURATIONS}/{kind.lower()}webhookconfigurations",
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": f"{kind}WebhookConfiguration",
                "metadata": {"name": name},
                "webhooks": list(webhooks),
            },
        )
        assert made["code"] == 201, made


@asynccontextmanager
async def hooked(tmp_path: Path, **changed: Any) -> AsyncIterator[Fixture]:
    async with admission_hook.running(tmp_path) as hook, in_process.running(tmp_path, **changed) as server:
        await server.define(definitions.of_things(GROUP, definitions.version(SCHEMA)))
        yield Fixture(server, hook)


def thing(name: str = "a", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec}


async def test_settings_tell_as_whom_webhooks_are_called(tmp_path: Path) -> None:
    users = Users({"localhost": User(Credentials("Bearer at-443"), None)}, User(Credentials("Bearer others"), None))
    async with hooked(tmp_path, admission_settings=PluginSettings(validating_users=users)) as it:
        for kind in ("Mutating", "Validating"):
            await it.configure(kind, it.hook.webhook(kind.lower(), GROUP))
        assert (await it.call("POST", THINGS, thing()))["code"] == 201
        assert [path for path, _ in it.hook.asked] == ["mutating", "validating"]
        assert [b"Authorization: Bearer others" in head for head in it.hook.heads] == [False, True]


async def count_calls(it: Fixture) -> dict[str, float]:
    """Of webhooks: by metric and labels."""
    text = (await it.server.call("GET", "/metrics")).body
    assert isinstance(text, bytes)
    found = (line.rpartition(" ") for line in text.decode().splitlines() if line.startswith("apiserver_admission_we"))
    return {name.removeprefix("apiserver_admission_webhook_"): float(value) for name, _, value in found}


async def test_calls_are_counted_by_what_came_of_them(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        it.hook.responds["deny"] = lambda _: {"allowed": False, "status": {"code": 418}}
        it.hook.responds["fail"] = it.hook.responds["open"] = lambda _: b"HTTP/1.1 500 no\r\nContent-Length: 0\r\n\r\n"
        it.hook.responds["patch"] = lambda _: patch({"op": "remove", "path": "/none"})
        for kind, path, policy in (
            ("Mutating", "pass", "Fail"),
            ("Mutating", "patch", "Fail"),
            ("Validating", "deny", "Fail"),
            ("Validating", "fail", "Fail"),
            ("Validating", "open", "Ignore"),
        ):
            rules = [{"operations": ["*"], "apiGroups": [GROUP], "apiVersions": ["*"], "resources": ["*"]}]
            only = {"objectSelector": {"matchLabels": {"for": path}}}
            await it.configure(kind, it.hook.webhook(path, GROUP, failurePolicy=policy, **only, rules=rules), name=path)
        for path in ("pass", "patch", "deny", "fail", "open"):
            value = thing(path)
            value["metadata"]["labels"] = {"for": path}
            await it.call("POST", THINGS, value)
        found = await count_calls(it)
    told = [
        ("pass", "admit", 200, "false", None),
        ("patch", "admit", 0, "true", "apiserver_internal_error"),
        ("deny", "validating", 418, "true", "no_error"),
        ("fail", "validating", 500, "true", "calling_webhook_error"),
        ("open", "validating", 500, "false", None),
    ]
    for path, kind, code, rejected, error in told:
        labels = f'name="{path}.example.com",type="{kind}",operation="CREATE"'
        assert found[sort_labels(f'request_total{{{labels},code="{code}",rejected="{rejected}"}}')] == 1
        assert found[sort_labels(f'admission_duration_seconds_count{{{labels},rejected="{rejected}"}}')] == 1
        if error is not None:
            assert found[sort_labels(f'rejection_count{{{labels},error_type="{error}",rejection_code="{code}"}}')] == 1
    assert found['fail_open_count{name="open.example.com",type="validating"}'] == 1
    totals = ("request_total", "rejection_count", "fail_open_count")
    assert sum(value for name, value in found.items() if name.startswith(totals)) == 5 + 3 + 1


async def test_review(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Validating", it.hook.webhook("v", GROUP))
        assert (await it.call("POST", f"{THINGS}?dryRun=All&fieldManager=me", thing(size=1)))["code"] == 201
        (path, request) = it.hook.asked[0]
        assert path == "v"
        assert list(request) == [
            "uid", "kind", "resource", "requestKind", "requestResource", "name", "namespace", "operation", "userInfo",
            "object", "oldObject", "dryRun", "options",
        ]  # fmt: skip
        assert request["kind"] == request["requestKind"] == {"group": GROUP, "version": "v1", "kind": "Thing"}
        assert request["resource"] == {"group": GROUP, "version": "v1", "resource": "things"}
        assert (request["name"], request["namespace"], request["operation"]) == ("a", "default", "CREATE")
        assert request["object"]["spec"] == {"size": 1, "color": "red"}
        assert request["oldObject"] is None
        assert request["dryRun"] is True
        assert request["options"] == {
            "kind": "CreateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "dryRun": ["All"],
            "fieldManager": "me",
        }
        assert "system:masters" in request["userInfo"]["groups"]


async def test_objects_of_each_operation(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Validating", it.hook.webhook("v", GROUP))
        await it.call("POST", THINGS, thing(size=1))
        await it.call("PATCH", f"{THINGS}/a", {"spec": {"size": 2}}, MERGE)
        await it.call("PATCH", f"{THINGS}/a", [{"op": "remove", "path": "/spec/size"}], "application/json-patch+json")
        await it.call("PATCH", f"{THINGS}/a?fieldManager=m", thing(size=4), "application/apply-patch+yaml")
        await it.call("DELETE", f"{THINGS}/a")
        sizes = [
            tuple(None if obj is None else obj["spec"].get("size") for obj in (each["object"], each["oldObject"]))
            for _, each in it.hook.asked
        ]
        assert sizes == [(1, None), (2, 1), (None, 2), (4, None), (None, 4)]
        assert [each["operation"] for _, each in it.hook.asked] == ["CREATE", "UPDATE", "UPDATE", "UPDATE", "DELETE"]
        assert it.hook.asked[-1][1]["object"] is None


async def test_the_first_refusal_ends_the_deletion_of_a_collection(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Validating", it.hook.webhook("v", GROUP))
        for name in "abcdef":
            await it.call("POST", THINGS, thing(name))
        it.hook.asked.clear()
        statuses = {"b": {"code": 404, "reason": "NotFound"}, "d": {"code": 422, "message": "kept"}}
        it.hook.responds["v"] = lambda request: (
            {"allowed": False, "status": statuses[name]}
            if (name := request["oldObject"]["metadata"]["name"]) in statuses
            else {}
        )
        refused = await it.call("DELETE", THINGS)
        assert (refused["code"], refused["message"]) == (
            422,
            'admission webhook "v.example.com" denied the request: kept',
        )
        assert [request["oldObject"]["metadata"]["name"] for _, request in it.hook.asked] == ["a", "b", "c", "d"]
        left = [item["metadata"]["name"] for item in (await it.call("GET", THINGS))["items"]]
        assert left == ["b", "d", "e", "f"]


async def test_mutations_are_pruned_defaulted_and_checked(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        added = {"op": "add", "path": "/spec", "value": {"size": 3, "unknown": 1}}
        it.hook.responds["m"] = lambda request: patch(added)
        made = await it.call("POST", THINGS, thing(color="blue"))
        assert made["spec"] == {"size": 3, "color": "red"}
        it.hook.responds["m"] = lambda request: patch({"op": "replace", "path": "/spec/size", "value": 11})
        refused = await it.call("PATCH", f"{THINGS}/a", {"spec": {"color": "blue"}}, MERGE)
        assert refused["code"] == 422
        assert "spec.size" in refused["message"]


async def test_refused_mutations_leave_the_live_object_alone(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.call("POST", THINGS, thing(size=1, inner={"deep": [1, 2]}))
        before = await it.call("GET", f"{THINGS}/a")
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: patch(
            {"op": "add", "path": "/spec/inner/deep/0", "value": 9},
            {"op": "add", "path": "/metadata/labels", "value": {"x": "y"}},
            {"op": "replace", "path": "/spec/size", "value": 99},
        )
        bodies = [
            ("PATCH", {"spec": {"color": "blue"}}, MERGE),
            ("PATCH", [{"op": "add", "path": "/spec/inner/deep/-", "value": 3}], "application/json-patch+json"),
            ("PUT", {**before, "spec": {"size": 2, "inner": {"deep": [5]}}}, in_process.JSON),
            ("PATCH", thing(size=5), "application/apply-patch+yaml"),
        ]
        for method, body, kind in bodies:
            query = "?fieldManager=m&force=true" if "apply" in kind else ""
            assert (await it.call(method, f"{THINGS}/a{query}", body, kind))["code"] == 422
            assert await it.call("GET", f"{THINGS}/a") == before


async def test_order_and_reinvocation(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("last", GROUP), name="z")
        await it.configure(
            "Mutating",
            it.hook.webhook("first", GROUP, reinvocationPolicy="IfNeeded"),
            it.hook.webhook("second", GROUP),
            name="b",
        )
        it.hook.responds["second"] = lambda request: patch({"op": "add", "path": "/spec/size", "value": 7})
        await it.call("POST", THINGS, thing())
        assert [path for path, _ in it.hook.asked] == ["first", "second", "last", "first"]
        assert [each["object"]["spec"].get("size") for _, each in it.hook.asked] == [None, None, 7, 7]


CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
NO_CHANGE = {"op": "test", "path": "/kind", "value": None}


@pytest.mark.parametrize(
    ("address", "group", "asked"),
    [(CONFIG_MAPS, "", ["first", "second", "first"]), (THINGS, GROUP, ["first", "second"])],
)
async def test_first_patch_of_a_builtin_kind_is_a_change_whatever_it_does(
    tmp_path: Path, address: str, group: str, asked: list[str]
) -> None:
    async with hooked(tmp_path) as it:
        await it.configure(
            "Mutating",
            it.hook.webhook("first", group, reinvocationPolicy="IfNeeded"),
            it.hook.webhook("second", group, reinvocationPolicy="IfNeeded"),
        )
        it.hook.responds["second"] = lambda request: patch({**NO_CHANGE, "value": request["object"]["kind"]})
        body = (
            thing()
            if group
            else {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}}
        )
        made = await it.call("POST", address, body)
        assert [path for path, _ in it.hook.asked] == asked
        it.hook.asked.clear()
        made.pop("warnings")
        made.pop("code")
        assert (await it.call("PUT", f"{address}/a", made))["code"] == 200
        assert [path for path, _ in it.hook.asked] == ["first", "second"]


async def test_denial_and_warnings(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Validating", it.hook.webhook("v", GROUP))
        it.hook.responds["v"] = lambda request: {"warnings": ["careful"], "auditAnnotations": {"k": "v"}}
        made = await it.call("POST", THINGS, thing())
        assert made["warnings"] == ['299 - "careful"']
        denials: list[tuple[Any, int, str]] = [
            (None, 400, " denied the request without explanation"),
            ({"code": 418, "message": "no"}, 418, " denied the request: no"),
            ({"reason": "Odd", "code": 200}, 400, " denied the request: Odd"),
            ({"code": 600, "message": "x"}, 600, " denied the request: x"),
            ({"code": 999, "message": "x"}, 999, " denied the request: x"),
            ({"code": 7000, "message": "x"}, 500, " denied the request: x"),
        ]
        for status, code, text in denials:
            it.hook.responds["v"] = lambda request, status=status: {"allowed": False, "status": status}
            refused = await it.call("POST", THINGS, thing("b"))
            assert (refused["code"], refused["message"]) == (code, f'admission webhook "v.example.com"{text}')
            assert refused["status"] == "Failure"


async def test_all_validating_webhooks_are_asked_at_once(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Validating", *(it.hook.webhook(f"v{turn}", GROUP) for turn in range(5)))
        it.hook.responds["v3"] = lambda request: {"allowed": False}
        refused = await it.call("POST", THINGS, thing())
        assert refused["message"].startswith('admission webhook "v3.example.com"')
        assert sorted(path for path, _ in it.hook.asked) == [f"v{turn}" for turn in range(5)]


def raw(body: bytes, status: int = 200) -> bytes:
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


FAILURES: dict[str, Any] = {
    "garbage": (raw(b"["), "failed to call webhook: "),
    "status": (raw(b"{}", 502), "failed to call webhook: an error on the server"),
    "redirect": (
        b"HTTP/1.1 307 X\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n",
        "failed to call webhook: the server responded with the status code 307",
    ),
    "oversized": (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", "failed to call webhook: unexpected error"),
    "no HTTP": (b"?" * 100, "failed to call webhook: Post "),
    "uid": ({"uid": "x"}, 'received invalid webhook response: expected response.uid="'),
    "no response": (
        raw(b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'),
        "received invalid webhook response: webhook response was absent",
    ),
    "patch": (patch({"op": "remove", "path": "/x"}), "received invalid webhook response: validating webhook may not"),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_failure(tmp_path: Path, name: str) -> None:
    answer, text = FAILURES[name]
    async with hooked(tmp_path) as it:
        it.hook.responds["v"] = lambda request: answer
        await it.configure("Validating", it.hook.webhook("v", GROUP))
        refused = await it.call("POST", THINGS, thing())
        assert (refused["code"], refused["reason"]) == (500, "InternalError")
        start = f'Internal error occurred: failed calling webhook "v.example.com": {text}'
        assert refused["message"].startswith(start)
        ignoring = {"op": "add", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}
        address = f"{CONFIGURATIONS}/validatingwebhookconfigurations/c"
        assert (await it.call("PATCH", address, [ignoring], "application/json-patch+json"))["code"] == 200
        assert (await it.call("POST", THINGS, thing()))["code"] == 201


async def test_hanging_webhook_ends_at_its_timeout_and_holds_up_nobody(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        it.hook.responds["v"] = lambda request: b""
        await it.configure("Validating", it.hook.webhook("v", GROUP, timeoutSeconds=1))
        waiting = asyncio.ensure_future(it.call("POST", THINGS, thing()))
        while not it.hook.asked:
            await asyncio.sleep(0)
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
        assert (await it.call("POST", "/api/v1/namespaces/default/secrets", secret))["code"] == 201
        assert not waiting.done()
        refused = await waiting
        assert refused["message"].endswith('/v?timeout=1s": context deadline exceeded')


@pytest.mark.parametrize(("query", "longest_s"), [("?timeout=20s", 60.0), ("?timeout=50s", 20.0), ("", 20.0)])
async def test_webhook_is_told_what_its_request_has_left(tmp_path: Path, query: str, longest_s: float) -> None:
    async with hooked(tmp_path, request_timeout_s=longest_s) as it:
        for kind in ("Mutating", "Validating"):
            long = it.hook.webhook(f"{kind.lower()}-long", GROUP, timeoutSeconds=30)
            short = it.hook.webhook(f"{kind.lower()}-short", GROUP, timeoutSeconds=1)
            await it.configure(kind, long, short)
        assert (await it.call("POST", f"{THINGS}{query}", thing()))["code"] == 201
        assert (await it.call("DELETE", f"{THINGS}{query}"))["code"] == 200
        told = [head.split(b" ")[1].decode().removeprefix("/") for head in it.hook.heads]
    assert len(told) == 8
    for each in told:
        path, _, seconds = each.removesuffix("s").partition("?timeout=")
        assert int(seconds) == 1 if path.endswith("-short") else 1 < int(seconds) <= 20


async def test_mutating_failures(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP, failurePolicy="Ignore"))
        bad = patch({"op": "remove", "path": "/spec/absent"})
        it.hook.responds["m"] = lambda request: bad
        refused = await it.call("POST", THINGS, thing())
        assert refused["code"] == 500  # whatever the policy
        assert refused["message"].startswith("Internal error occurred: error in remove for path: '/spec/absent'")
        undecodable = {"patchType": "JSONPatch", "patch": base64.b64encode(b"{}").decode()}
        for ignored in (undecodable, {"patch": bad["patch"]}, {"patchType": "JSONPatch"}, {**bad, "patchType": "X"}):
            it.hook.responds["m"] = lambda request, ignored=ignored: ignored
            assert (await it.call("POST", f"{THINGS}?dryRun=All", thing()))["code"] == 201
        it.hook.responds["m"] = lambda request: bad if request["operation"] == "DELETE" else {}
        await it.call("POST", THINGS, thing())
        refused = await it.call("DELETE", f"{THINGS}/a")
        assert "attempted to modify the object, which is not supported for this operation" in refused["message"]


async def test_built_in_kinds_are_read_back_as_their_types(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", "", "configmaps"))
        maps = "/api/v1/namespaces/default/configmaps"
        config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}}
        it.hook.responds["m"] = lambda request: patch({"op": "add", "path": "/data/x", "value": "y"})
        assert (await it.call("POST", maps, config))["data"] == {"k": "v", "x": "y"}
        it.hook.responds["m"] = lambda request: patch({"op": "add", "path": "/data/x", "value": 1})
        refused = await it.call("POST", f"{maps}?dryRun=All", {**config, "metadata": {"name": "b"}})
        assert refused["code"] == 500
        assert "cannot unmarshal number into Go struct field ConfigMap.data of type string" in refused["message"]


async def test_configurations_are_followed(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        it.hook.responds["v"] = lambda request: {"allowed": False}
        await it.configure("Validating", it.hook.webhook("v", GROUP))
        assert (await it.call("POST", THINGS, thing()))["code"] == 400
        await it.call("DELETE", f"{CONFIGURATIONS}/validatingwebhookconfigurations/c")
        assert (await it.call("POST", THINGS, thing()))["code"] == 201


async def test_match_conditions(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        it.hook.responds["v"] = lambda request: {"allowed": False}
        conditions = [
            {"name": "named", "expression": "request.name.startsWith('bad')"},
            {"name": "may", "expression": "authorizer.requestResource.check('get').allowed()"},
        ]
        await it.configure("Validating", it.hook.webhook("v", GROUP, matchConditions=conditions))
        assert (await it.call("POST", THINGS, thing("good")))["code"] == 201
        assert (await it.call("POST", THINGS, thing("bad")))["code"] == 400
        broken = [{"name": "broken", "expression": "object.spec.absent == 1"}]
        await it.configure("Validating", it.hook.webhook("w", GROUP, matchConditions=broken), name="b")
        refused = await it.call("POST", THINGS, thing("good2"))
        assert refused["code"] == 403
        assert refused["message"].endswith(
            "expression 'object.spec.absent == 1' resulted in error: no such key: absent"
        )


async def test_rules_may_name_versions_that_are_not_served(tmp_path: Path) -> None:
    scaled = {"subresources": {"scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}}
    old = {**definitions.version(SCHEMA, "v0", is_storage=False, **scaled), "served": False}
    async with admission_hook.running(tmp_path) as hook, in_process.running(tmp_path) as server:
        it = Fixture(server, hook)
        await server.define(definitions.of_things(GROUP, definitions.version(SCHEMA, **scaled), old))
        rules = [
            {"operations": ["*"], "apiGroups": [GROUP], "apiVersions": ["v0"], "resources": ["things", "things/*"]}
        ]
        await it.configure("Validating", hook.webhook("v", GROUP, rules=rules))
        await it.call("POST", THINGS, thing(size=1))
        await it.call("PATCH", f"{THINGS}/a/scale", {"spec": {"replicas": 2}}, MERGE)
        shown = [(request["kind"], request["object"]["apiVersion"]) for _, request in hook.asked]
        assert shown == [
            ({"group": GROUP, "version": "v0", "kind": "Thing"}, f"{GROUP}/v0"),
            ({"group": "autoscaling", "version": "v1", "kind": "Scale"}, "autoscaling/v1"),
        ]


async def test_dry_runs_are_sent_to_webhooks_that_know_them(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Validating", it.hook.webhook("v", GROUP, sideEffects="NoneOnDryRun"))
        assert (await it.call("POST", f"{THINGS}?dryRun=All", thing()))["code"] == 201


async def test_what_the_audit_is_told_of_a_patch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: dict[str, str] = {}
    monkeypatch.setattr(auditnotes, "note", lambda _attributes, key, value: noted.update({key: value}))
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("a", GROUP), it.hook.webhook("b", GROUP))
        added = {"op": "add", "value": {"size": 3}, "path": "/spec"}
        it.hook.responds["a"] = lambda request: patch(added)
        it.hook.responds["b"] = lambda request: patch()
        assert (await it.call("POST", THINGS, thing()))["code"] == 201
    shown = {key: json.loads(value) for key, value in noted.items()}
    by_a, by_b = ({"configuration": "c", "webhook": f"{name}.example.com"} for name in "ab")
    assert shown == {
        "mutation.webhook.admission.k8s.io/round_0_index_0": {**by_a, "mutated": True},
        "patch.webhook.admission.k8s.io/round_0_index_0": {**by_a, "patch": [added], "patchType": "JSONPatch"},
        "mutation.webhook.admission.k8s.io/round_0_index_1": {**by_b, "mutated": False},
    }
    assert '"patch":[{"op":"add","path":"/spec","value":' in noted["patch.webhook.admission.k8s.io/round_0_index_0"]
