"""What somebody else has written into the server's etcd: objects that no server of today's would store so."""

from __future__ import annotations

import base64
import json
import urllib.request
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from support import definitions, etcd
from support.server import Server
from support.several import call, send
from support.waiting import wait_for

pytestmark = pytest.mark.e2e
GROUP = "others.example.com"


class Both:
    """A server, and its etcd."""

    def __init__(self, server: Server, cluster: etcd.Cluster) -> None:
        self.call = partial(call, server)
        self._server = server
        self._url = f"{cluster.urls[0]}/v3/kv/"

    def restart(self) -> None:
        assert self._server.terminate() == 0
        self._server.start()
        self._server.wait_until_ready()

    def patch(self, path: str, kind: str, body: object) -> tuple[int, Any]:
        url, data = f"http://127.0.0.1:{self._server.plain_port}{path}", json.dumps(body).encode()
        headers = {"Content-Type": f"application/{kind}"}
        return send(urllib.request.Request(url, data, headers, method="PATCH"))

    def put(self, key: str, obj: Any) -> None:
        self.put_text(key, json.dumps(obj))

    def put_text(self, key: str, text: str) -> None:
        self._ask("put", key=f"/registry/{key}", value=text)

    def delete(self, key: str) -> None:
        self._ask("deleterange", key=f"/registry/{key}")

    def stored(self, key: str) -> bytes:
        return base64.b64decode(self._ask("range", key=f"/registry/{key}")["kvs"][0]["value"])

    def _ask(self, what: str, **texts: str) -> Any:
        body = json.dumps({name: base64.b64encode(text.encode()).decode() for name, text in texts.items()})
        with urllib.request.urlopen(urllib.request.Request(self._url + what, body.encode()), timeout=60) as answer:
            return json.load(answer)

    def put_definition(self, plural: str, kind: str, **changed: Any) -> str:
        """In v1beta1, as kube-apiserver keeps it; without a uid, and with fields that nobody knows. Its path."""
        names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
        spec = {"group": GROUP, "version": "v1", "names": names, "scope": "Namespaced"}
        spec |= {"versions": [{"name": "v1", "served": True, "storage": True}], "conversion": {"strategy": "None"}}
        spec |= {"validation": {"openAPIV3Schema": {"type": "object"}}, "preserveUnknownFields": False}
        self.put(f"apiextensions.k8s.io/customresourcedefinitions/{plural}.{GROUP}", {
            "apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}"}, "spec": spec | changed,
            "status": {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": None},
        })  # fmt: skip
        return f"{definitions.PATH}/{plural}.{GROUP}"

    def condition(self, path: str, wanted: str) -> tuple[str, ...] | None:
        _, found = self.call("GET", path)
        for each in found.get("status", {}).get("conditions") or ():
            if each["type"] == wanted:
                return each["status"], each["reason"], each["message"]
        return None


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    with etcd.cluster() as cluster:
        flags = ("--storage-backend=etcd3", "--etcd-servers", ",".join(cluster.urls))
        with Server(None, *flags) as server:
            server.wait_until_ready()
            yield Both(server, cluster)


def test_a_definition_without_a_uid_is_established_and_deleted(both: Both) -> None:
    path = both.put_definition("foos", "Foo")
    wait_for(lambda: both.condition(path, "Established") is not None)
    wait_for(lambda: (both.condition(path, "Established") or ("",))[0] == "True")
    objects = f"/apis/{GROUP}/v1/namespaces/default/foos"
    wait_for(lambda: both.call("GET", objects)[0] == 200)
    foo = {"apiVersion": f"{GROUP}/v1", "kind": "Foo", "metadata": {"name": "a"}}
    assert both.call("POST", objects, foo)[0] == 201
    assert both.call("DELETE", path)[0] == 200
    wait_for(lambda: both.call("GET", path)[0] == 404)
    assert both.call("GET", objects)[0] == 404


def test_a_definition_that_is_not_structural_is_told(both: Both) -> None:
    schema = {"type": "object", "properties": {"spec": {"description": "no type"}}}
    path = both.put_definition("bars", "Bar", preserveUnknownFields=True, validation={"openAPIV3Schema": schema})
    untyped = "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty"
    preserves = "spec.preserveUnknownFields: Invalid value: true: must be false"
    message = f"[{preserves}, {untyped} for specified object fields]"
    wait_for(lambda: both.condition(path, "NonStructuralSchema") == ("True", "Violations", message))


def test_a_definition_that_is_not_structural_may_be_changed_and_mended(both: Both) -> None:
    schema = {"type": "object", "properties": {"spec": {"description": "no type"}}}
    path = both.put_definition("bazs", "Baz", preserveUnknownFields=True, validation={"openAPIV3Schema": schema})
    wait_for(lambda: both.condition(path, "NonStructuralSchema") is not None)
    wait_for(lambda: (both.condition(path, "Established") or ("",))[0] == "True")
    names = {"spec": {"names": {"shortNames": ["bz"]}}}
    assert both.patch(path, "merge-patch+json", names)[0] == 200
    assert both.patch(path, "merge-patch+json", {"spec": {"preserveUnknownFields": False}})[0] == 422
    _, found = both.call("GET", path)
    found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["type"] = "object"
    mended = {"preserveUnknownFields": False, "versions": found["spec"]["versions"]}
    assert both.patch(path, "merge-patch+json", {"spec": mended})[0] == 200
    wait_for(lambda: both.condition(path, "NonStructuralSchema") is None)


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        ({"type": "object", "properties": {"spec": {"description": "no type"}}}, False),
        ({"type": "object", "properties": {"spec": {"type": "object"}}}, True),
        (None, False),
    ],
    ids=["untyped", "structural", "none"],
)
def test_objects_of_a_definition_that_preserves_unknown_fields_keep_them(both: Both, schema: Any, kept: bool) -> None:
    validation = None if schema is None else {"openAPIV3Schema": schema}
    path = both.put_definition("keeps", "Keep", preserveUnknownFields=True, validation=validation)
    wait_for(lambda: (both.condition(path, "Established") or ("",))[0] == "True")
    objects = f"/apis/{GROUP}/v1/namespaces/default/keeps"
    wait_for(lambda: both.call("GET", objects)[0] == 200)
    head = {"apiVersion": f"{GROUP}/v1", "kind": "Keep"}
    spec, top = {"a": 1, "b": {"c": None, "d": [{"e": 1}]}}, {"f": "g"}
    keep = {**head, "metadata": {"name": "a"}, "spec": spec, "top": top}
    status, made = both.call("POST", f"{objects}?fieldValidation=Strict", keep)
    assert (status, made["spec"], made["top"]) == (201, spec, top)
    assert both.patch(f"{objects}/a", "merge-patch+json", {"top": {"h": 1}})[0] == 200
    applied = {**head, "spec": {"b": {"i": 1}}}
    status, made = both.patch(f"{objects}/a?fieldManager=m", "apply-patch+yaml", applied)
    assert (status, made["spec"], made["top"]) == (200, {**spec, "b": {**spec["b"], "i": 1}}, {**top, "h": 1})
    both.restart()
    _, found = both.call("GET", f"{objects}/a")
    assert (found["spec"], found["top"]) == (made["spec"], made["top"])
    _, told = both.call("GET", f"/openapi/v3/apis/{GROUP}/v1")
    assert ("properties" in told["components"]["schemas"]["com.example.others.v1.Keep"]) is kept
    _, told = both.call("GET", "/openapi/v2")
    assert "properties" not in told["definitions"]["com.example.others.v1.Keep"]
    assert both.call("DELETE", path)[0] == 200
    wait_for(lambda: both.call("GET", path)[0] == 404)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"spec": "x", "status": 1},
        {"spec": {"group": GROUP}},
        {"spec": {"group": GROUP, "names": None, "versions": None}},
        {"spec": {"group": 1, "names": [], "versions": [1, {"name": "v1"}]}},
        {"spec": {"group": GROUP, "names": {"plural": "x"}, "versions": [{"served": True}]}, "status": {}},
    ],
)
def test_a_definition_that_says_too_little_stops_nothing(both: Both, broken: dict[str, Any]) -> None:
    name = f"broken.{GROUP}"
    for notes in ({}, {"a": "b"}):
        metadata = {"name": name, "uid": "1", "annotations": notes}
        body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}
        both.put(f"apiextensions.k8s.io/customresourcedefinitions/{name}", body | broken)
        path = both.put_definition("after", "After")
        wait_for(lambda path=path: (both.condition(path, "Established") or ("",))[0] == "True")
        assert both.call("DELETE", path)[0] == 200
    both.restart()
    assert both.call("GET", f"{definitions.PATH}/{name}")[0] == 200
    assert both.call("GET", f"/apis/{GROUP}/v1")[0] in (200, 404)
    both.delete(f"apiextensions.k8s.io/customresourcedefinitions/{name}")
    wait_for(lambda: both.call("GET", f"{definitions.PATH}/{name}")[0] == 404)


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
def test_a_webhook_configuration_of_long_ago_is_shown_in_v1(both: Both, kind: str) -> None:
    rule = {"operations": ["*"], "apiGroups": ["none.example.com"], "apiVersions": ["*"], "resources": ["nothing"]}
    client = {"service": {"namespace": "default", "name": "a"}}
    both.put(f"{kind.lower()}s/old", {
        "kind": kind, "apiVersion": "admissionregistration.k8s.io/v1beta1",
        "metadata": {"name": "old", "uid": "u", "creationTimestamp": None},
        "webhooks": [
            {"name": "a.example.com", "clientConfig": client, "rules": [rule]},
            {"name": "b.example.com", "clientConfig": client, "rules": [rule], "failurePolicy": "Fail",
             "matchPolicy": "Equivalent", "sideEffects": "None", "timeoutSeconds": 5, "admissionReviewVersions": ["v1"],
             "namespaceSelector": {"matchLabels": {"a": "b"}}},
        ],
    })  # fmt: skip
    path = f"/apis/admissionregistration.k8s.io/v1/{kind.lower()}s/old"
    wait_for(lambda: both.call("GET", path)[0] == 200)
    _, found = both.call("GET", path)
    one, two = found["webhooks"]
    own = {"reinvocationPolicy": "Never"} if kind.startswith("Mutating") else {}
    shown = {"rules": [{**rule, "scope": "*"}], "clientConfig": {"service": {**client["service"], "port": 443}}}
    assert one == {
        "name": "a.example.com", "failurePolicy": "Ignore", "matchPolicy": "Exact", "namespaceSelector": {},
        "objectSelector": {}, "sideEffects": "Unknown", "timeoutSeconds": 30, "admissionReviewVersions": ["v1beta1"],
        **own, **shown,
    }  # fmt: skip
    assert two == {
        "name": "b.example.com", "failurePolicy": "Fail", "matchPolicy": "Equivalent", "objectSelector": {},
        "namespaceSelector": {"matchLabels": {"a": "b"}}, "sideEffects": "None", "timeoutSeconds": 5,
        "admissionReviewVersions": ["v1"], **own, **shown,
    }  # fmt: skip
    assert found["apiVersion"] == "admissionregistration.k8s.io/v1"
    assert both.call("PUT", path, found | {"metadata": {**found["metadata"], "labels": {"a": "b"}}})[0] == 200
    assert b"admissionregistration.k8s.io/v1\x12" in both.stored(f"{kind.lower()}s/old")
    assert both.call("DELETE", path)[0] == 200


def test_objects_are_read_by_their_schema(both: Both) -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    spec = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    schema = {"type": "object", "properties": {"e": embedded, "spec": spec}}
    definition = definitions.of_things(GROUP)
    definition["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": schema}
    assert both.call("POST", definitions.PATH, definition)[0] == 201
    objects = f"/apis/{GROUP}/v1/namespaces/default/things"
    wait_for(lambda: both.call("GET", objects)[0] == 200)
    metadata = {"name": "x", "namespace": "default", "uid": "u", "creationTimestamp": None, "labels": {"a": "b"}}
    wrong = {"unknown": 42, "annotations": {"foo": 42, "bar": "abc"}, "finalizers": "x"}
    stored = {
        "apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {**metadata, **wrong, "generation": None},
        "spec": {"a": "1", "b": None, "zzz": "2"}, "top": 1,
        "e": {"apiVersion": "v1", "kind": "Pod", "more": 1, "metadata": {"name": "p", **wrong}},
    }  # fmt: skip
    shown = {
        "apiVersion": f"{GROUP}/v1", "kind": "Thing",
        "metadata": {"name": "x", "namespace": "default", "uid": "u", "labels": {"a": "b"}, "generation": 1},
        "spec": {"a": "1"}, "e": {"apiVersion": "v1", "kind": "Pod", "more": 1, "metadata": {"name": "p"}},
    }  # fmt: skip
    both.put(f"{GROUP}/things/default/x", stored)

    def look() -> Any:
        status, found = both.call("GET", f"{objects}/x")
        if status == 200:
            del found["metadata"]["resourceVersion"]
            return found
        return None

    assert wait_for(look) == shown
    assert [each["spec"] for each in both.call("GET", objects)[1]["items"]] == [{"a": "1"}]
    assert len(both.call("GET", f"{objects}?labelSelector=a%3Db")[1]["items"]) == 1
    both.restart()
    assert wait_for(look) == shown
    merged = both.patch(f"{objects}/x", "merge-patch+json", {"spec": {"a": "3"}})
    assert (merged[0], merged[1]["spec"]) == (200, {"a": "3"})
    wanted = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": {"b": "4"}}
    applied = both.patch(f"{objects}/x?fieldManager=f", "apply-patch+yaml", wanted)
    assert (applied[0], applied[1]["spec"]) == (200, {"a": "3", "b": "4"})
    kept = json.loads(both.stored(f"{GROUP}/things/default/x"))
    assert "top" not in kept
    assert "unknown" not in kept["metadata"]
    assert both.call("DELETE", f"{objects}/x")[0] == 200


def test_what_is_no_object_costs_that_one_alone(both: Both) -> None:
    path = both.put_definition("odds", "Odd")
    objects = f"/apis/{GROUP}/v1/namespaces/default/odds"
    wait_for(lambda: both.call("GET", objects)[0] == 200)
    head = {"apiVersion": f"{GROUP}/v1", "kind": "Odd"}
    for number, value in enumerate(("{bad", {"metadata": "x", **head}, {**head, "kind": 1, "metadata": {}}, [])):
        text = value if isinstance(value, str) else json.dumps(value)
        both.put_text(f"{GROUP}/odds/default/bad{number}", text)
        wait_for(lambda number=number: both.call("GET", f"{objects}/bad{number}")[0] == 500)  # type: ignore[misc]
    both.put(f"{GROUP}/odds/default/good", {**head, "metadata": {"name": "good"}})
    wait_for(lambda: both.call("GET", f"{objects}/good")[0] == 200)
    status, told = both.call("GET", "/readyz?verbose")
    assert status == 200, told
    for number in range(4):
        assert (
            both.call("DELETE", f"{objects}/bad{number}?ignoreStoreReadErrorWithClusterBreakingPotential=true")[0]
            == 200
        )
    assert both.call("DELETE", path)[0] == 200
    wait_for(lambda: both.call("GET", path)[0] == 404)


def test_an_object_of_an_old_version_is_stored_in_todays_by_a_write_that_changes_nothing(both: Both) -> None:
    key, path = "poddisruptionbudgets/default/old", "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    metadata = {"name": "old", "namespace": "default", "uid": "1", "creationTimestamp": "2020-01-01T00:00:00Z"}
    budget = {"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "metadata": metadata}
    both.put(key, {**budget, "spec": {"minAvailable": 1, "selector": {}}})
    wait_for(lambda: both.call("GET", f"{path}/old")[0] == 200)
    (shown,) = both.call("GET", path)[1]["items"]
    (expression,) = shown["spec"]["selector"]["matchExpressions"]
    assert expression["operator"] == "Exists", "it selects nothing"
    status, written = both.call("PUT", f"{path}/old", {**budget, **shown, "apiVersion": "policy/v1"})
    assert status == 200
    assert b"v1beta1" not in both.stored(key).partition(b"deprecated")[0]
    revision = written["metadata"]["resourceVersion"]
    assert revision != shown["metadata"]["resourceVersion"]
    again = both.call("PUT", f"{path}/old", written)[1]
    assert again["metadata"]["resourceVersion"] == revision, "it stands in today's version"
    assert both.call("DELETE", f"{path}/old")[0] == 200
