"""What went wrong in other API servers and their libraries does not go wrong here: each has its test.

docs/security.md has the list.
"""

from __future__ import annotations

import base64
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.admission import pluginnames
from quarterdeck.authorization.configuration import AuthorizerConfiguration, Webhook
from support import access, admission_hook, authorization_hook, definitions
from support.access import VERBS, Action, Resource, headers_of
from support.in_process import InProcess, running

Object = dict[str, Any]
MAPS = "/api/v1/namespaces/default/configmaps"
GROUP = "cve.example.com"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
STRATEGIC = "application/strategic-merge-patch+json"


def configmap(name: str, **members: Any) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **members}


async def create(server: InProcess, path: str, obj: Object) -> Object:
    answer = await server.call("POST", path, obj)
    assert answer.status == 201, answer.body
    found: Object = json.loads(access.body_of(answer))
    return found


async def test_a_json_patch_is_bounded(tmp_path: Path) -> None:
    """CVE-2019-1002100: patches of many operations took all time."""
    async with running(tmp_path) as server:
        await create(server, MAPS, configmap("a", data={"k": "v"}))
        for count, status in ((10_000, 200), (10_001, 413)):
            patch = [{"op": "test", "path": "/data/k", "value": "v"}] * count
            answer = await server.call("PATCH", f"{MAPS}/a", patch, JSON_PATCH)
            assert answer.status == status, answer.body
        doubling = [{"op": "add", "path": "/data", "value": {"a": "x" * 100_000}}]
        doubling += [{"op": "copy", "from": "/data", "path": f"/data/{number}"} for number in range(30)]
        assert (await server.call("PATCH", f"{MAPS}/a", doubling, JSON_PATCH)).status >= 400


async def test_who_may_not_write_has_no_body_read(tmp_path: Path) -> None:
    """CVE-2019-11253, CVE-2019-11254: YAML of aliases of aliases, sent by anybody (tests/e2e/test_bad_input.py and
    tests/adversary/ send it as somebody who may)."""
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))]
    bomb = "\n".join(["apiVersion: v1", "kind: ConfigMap", *lines]).encode()
    async with running(tmp_path, access.tokens_of({"bob": []})) as server:
        for headers in (headers_of("bob"), {"authorization": ""}):
            answer = await server.call("POST", MAPS, bomb, "application/yaml", **headers)
            assert answer.status == 403
        assert (await server.call("POST", MAPS, bomb, "application/yaml")).status in (400, 413)


async def test_scopes_are_kept_apart(tmp_path: Path) -> None:
    """CVE-2019-11247: objects of the cluster were reached by addresses in a namespace, with rights of the namespace."""
    subresources = {
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r"}}
    }
    definition = definitions.of_things(GROUP, definitions.version(**subresources), scope="Cluster")
    async with running(tmp_path) as server:
        await server.define(definition)
        root = f"/apis/{GROUP}/v1/things"
        await create(server, root, {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}})
        for subresource in ("", "status", "scale"):
            inside = Resource(GROUP, "v1", "things", is_namespaced=True, verbs=VERBS, subresource=subresource)
            for verb in VERBS if not subresource else ("get", "update", "patch"):
                name = "a" if verb in ("get", "update", "patch", "delete") else ""
                answer = await _send(server, Action(verb, inside, "default", name))
                assert answer == 404, (verb, subresource)
        maps = Resource("", "v1", "configmaps", is_namespaced=False, verbs=VERBS)
        for verb in ("get", "update", "patch", "delete"):
            assert await _send(server, Action(verb, maps, "", "kube-root-ca.crt")) in (404, 405), verb


async def _send(server: InProcess, action: Action) -> int:
    method = {"create": "POST", "update": "PUT", "patch": "PATCH"}.get(action.verb, "GET")
    if action.verb.startswith("delete"):
        method = "DELETE"
    body = {"metadata": {"name": action.name or "b"}} if method in ("POST", "PUT", "PATCH") else None
    content_type = MERGE if method == "PATCH" else "application/json"
    query = "?watch=1" if action.verb == "watch" else ""
    path = action.resource.path(action.namespace, action.name)
    return (await server.call(method, f"{path}{query}", body, content_type)).status


async def test_no_address_leads_to_another_kind(tmp_path: Path) -> None:
    """CVE-2022-3162: a list of one kind of custom object reached others of the group by their key in the store."""
    async with running(tmp_path) as server:
        for plural in ("foos", "foos2"):
            definition = definitions.of_things(GROUP)
            definition["metadata"]["name"] = f"{plural}.{GROUP}"
            kind = plural.capitalize()
            definition["spec"]["names"] = {
                "plural": plural,
                "kind": kind,
                "singular": plural,
                "listKind": f"{kind}List",
            }
            await server.define(definition)
        root = f"/apis/{GROUP}/v1"
        hidden: Object = {"apiVersion": f"{GROUP}/v1", "kind": "Foos2", "metadata": {"name": "hidden"}}
        await create(server, f"{root}/namespaces/default/foos2", hidden)
        for namespace in ("..", ".", "%2e%2e", "..%2ffoos2", "../foos2", "default%2f..%2f..%2ffoos2", "2", ""):
            for rest in ("foos", "foos?limit=1", "foos/hidden", "foos?watch=1&timeoutSeconds=1", "foos/..%2ffoos2"):
                answer = await server.call("GET", f"{root}/namespaces/{namespace}/{rest}")
                if "watch=1" not in rest:
                    assert answer.status >= 400 or b"hidden" not in access.body_of(answer), (namespace, rest)
        page = await server.call("GET", f"{root}/foos")
        assert (page.status, json.loads(access.body_of(page))["items"]) == (200, [])
        for token in ("../foos2/hidden", "..", "/"):
            start = {"v": "meta.k8s.io/v1", "rv": 1, "start": token}
            made = base64.urlsafe_b64encode(json.dumps(start).encode()).decode().rstrip("=")
            answer = await server.call("GET", f"{root}/foos?limit=1&continue={made}")
            assert b"hidden" not in access.body_of(answer).replace(token.encode(), b"")


async def test_clients_make_up_no_labels_of_metrics(tmp_path: Path) -> None:
    """CVE-2020-8552: each odd request was a series."""
    async with running(tmp_path, access.tokens_of({"bob": []})) as server:

        async def read() -> str:
            return access.body_of(await server.call("GET", "/metrics")).decode()

        async def count() -> int:
            return sum(1 for line in (await read()).splitlines() if line and not line.startswith("#"))

        async def ask(number: int) -> None:
            for method, address in (
                ("GET", f"/odd{number}/{number}"),
                (f"ODD{number}", MAPS),
                ("GET", f"/apis/odd{number}.example.com/v{number}/things{number}"),
                ("GET", f"{MAPS}/name{number}?x{number}=1"),
                ("GET", f"/api/v1/namespaces/ns{number}/configmaps/a/sub{number}"),
            ):
                for headers in ({}, headers_of("bob"), {"authorization": f"Bearer {number}"}):
                    await server.call(method, address, user_agent=f"agent{number}", **headers)

        number = 0
        while 'flow_schema="global-default"' not in await read():  # until flow schemas have been read
            await ask(number := number + 1)
        await ask(number := number + 1)
        before = await count()
        for odd in range(number + 1, number + 61):
            await ask(odd)
        assert await count() - before < 20, "60 times 15 requests"


async def test_a_webhooks_redirect_is_a_failure(tmp_path: Path) -> None:
    """CVE-2022-3172, CVE-2018-1002102, CVE-2020-8559, CVE-2020-8561: answers that send the server elsewhere."""
    elsewhere = b"HTTP/1.1 307 X\r\nLocation: http://169.254.169.254/\r\nContent-Length: 6\r\n\r\nSECRET"
    async with authorization_hook.running(tmp_path) as hook:
        hook.decide = lambda _spec: elsewhere
        settings = Webhook(hook.kubeconfig, "v1", is_denied_on_failure=True)
        authorizers = (AuthorizerConfiguration("Webhook", "default", settings),)
        async with running(tmp_path, access.tokens_of({"bob": []}), authorizers=authorizers) as server:
            answer = await server.call("GET", MAPS, **headers_of("bob"))
            assert (answer.status, len(hook.asked)) == (500, 1)
            assert b"SECRET" not in access.body_of(answer)
            assert b"Location" not in str(answer.headers).encode()


WRITES = [
    ("PUT", "{}", "application/json", {}),
    ("PATCH", "{}", MERGE, {}),
    ("PATCH", "{}", STRATEGIC, {}),
    ("PATCH", "{}", JSON_PATCH, {}),
    ("PATCH", "{}?fieldManager=m&force=true", APPLY, {}),
]


def _body(method: str, content_type: str, name: str, number: int) -> Any:
    data = {"k": str(number)}
    if content_type == JSON_PATCH:
        return [{"op": "replace", "path": "/data", "value": data}]
    return {"data": data} if content_type in (MERGE, STRATEGIC) else configmap(name, data=data)


async def test_webhooks_see_the_object_as_it_is_stored(tmp_path: Path) -> None:
    """CVE-2021-25735: the old object that a webhook saw held what the request had changed. CVE-2016-1905: patches were
    not shown to admission."""
    async with admission_hook.running(tmp_path) as hook, running(tmp_path) as server:
        webhook = hook.webhook("see", "", "configmaps")
        configuration = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "see"},
            "webhooks": [webhook],
        }
        stored = await create(server, MAPS, configmap("a", data={"k": "old"}))
        await create(server, "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", configuration)
        for number, (method, address, content_type, _) in enumerate(WRITES):
            body = _body(method, content_type, "a", number)
            answer = await server.call(method, address.replace("{}", f"{MAPS}/a"), body, content_type)
            assert answer.status == 200, answer.body
            seen = hook.asked[-1][1]
            before, now = seen["oldObject"]["metadata"], stored["metadata"]
            assert before == now, {key for key in (*before, *now) if before.get(key) != now.get(key)}
            assert seen["oldObject"] == stored
            assert seen["object"]["data"] == {"k": str(number)}
            stored = json.loads(access.body_of(answer))
        hook.responds["see"] = lambda _request: {"allowed": False}
        for number, (method, address, content_type, _) in enumerate(WRITES):
            body = _body(method, content_type, "a", 100 + number)
            answer = await server.call(method, address.replace("{}", f"{MAPS}/a"), body, content_type)
            assert answer.status == 400, (method, content_type)
        assert json.loads(access.body_of(await server.call("GET", f"{MAPS}/a"))) == stored


async def test_a_node_cannot_have_itself_collected(tmp_path: Path) -> None:
    """CVE-2025-5187: a node that set an owner of its own Node object had it deleted by the garbage collector."""
    users = access.tokens_of({"system:node:n1": ["system:nodes"]})
    modes = tuple(AuthorizerConfiguration(mode, mode.lower()) for mode in ("Node", "RBAC"))
    plugins = pluginnames.ON | {pluginnames.NODE_RESTRICTION, pluginnames.OWNER_REFERENCES}
    async with running(tmp_path, users, authorizers=modes, admission_plugins=plugins) as server:
        node = await create(server, "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "absent", "uid": "absent"}
        patch = {"metadata": {"ownerReferences": [owner]}}
        headers = headers_of("system:node:n1")
        answer = await server.call("PATCH", "/api/v1/nodes/n1", patch, MERGE, **headers)
        assert answer.status == 403
        assert b"is not allowed to modify ownerReferences" in access.body_of(answer)
        status = {"status": {"phase": "Running"}}
        answer = await server.call("PATCH", "/api/v1/nodes/n1/status", status, MERGE, **headers)
        assert answer.status == 200, answer.body
        found = json.loads(access.body_of(await server.call("GET", "/api/v1/nodes/n1")))
        assert found["metadata"]["uid"] == node["metadata"]["uid"]


async def test_logs_hold_no_secrets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """CVE-2019-11250, CVE-2020-8563 to 8566: tokens and passwords in logs."""
    caplog.set_level(logging.DEBUG)
    canary = "canary-7f3a9c"
    users = f'{canary}-token,bob,b,""\n'
    async with authorization_hook.running(tmp_path, token=f"{canary}-webhook") as hook:
        settings = Webhook(hook.kubeconfig, "v1", is_denied_on_failure=True)
        hook.decide = lambda _spec: b"HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n"
        authorizers = (AuthorizerConfiguration("Webhook", "default", settings),)
        async with running(tmp_path, users, authorizers=authorizers) as server:
            secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"k": canary}}
            secrets = "/api/v1/namespaces/default/secrets"
            await create(server, secrets, secret)
            assert (await server.call("POST", secrets, {**secret, "type": 5})).status >= 400
            for token in (f"{canary}-token", f"{canary}-wrong", f"{canary}.{canary}.{canary}"):
                answer = await server.call("GET", secrets, authorization=f"Bearer {token}")
                assert answer.status in (401, 500)
            review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": canary}}
            await create(server, "/apis/authentication.k8s.io/v1/tokenreviews", review)
    assert "cannot be authorized" in caplog.text, "something was logged"
    assert canary not in caplog.text


async def test_no_origin_is_allowed(tmp_path: Path) -> None:
    """CVE-2022-1996: a pattern of allowed origins that matched others. Here no page of another origin may read."""
    async with running(tmp_path) as server:
        for method in ("GET", "OPTIONS"):
            for origin in ("https://evil-example.com", "null", "https://example.com.evil.com"):
                answer = await server.call(method, MAPS, origin=origin, access_control_request_method="GET")
                assert not [name for name, _ in answer.headers if name.lower().startswith("access-control")]


async def test_tokens_that_are_no_tokens_are_refused_at_once(tmp_path: Path) -> None:
    """CVE-2025-22868, CVE-2025-30204 (split bombs), CVE-2022-29217, CVE-2024-33663 (algorithms): what a token must not
    do before it is believed. tests/unit/authentication/test_service_account_tokens.py has the algorithms."""
    nobody = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6a3ViZS1zeXN0ZW06ZGVmYXVsdCJ9."
    async with running(tmp_path) as server:
        for token in ("." * 60_000, "a." * 30_000, "eyJ" + "A" * 60_000, nobody, "..", "e30.e30.e30"):
            answer = await server.call("GET", MAPS, authorization=f"Bearer {token}")
            assert answer.status == 401, token[:20]
