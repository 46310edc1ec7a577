"""Kinds that are stored, or were, in another version than they are served in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.server.etcdstoring import build_values
from quarterdeck.storage.etcd3.settings import Settings

KEY = "/registry/admissionregistration.k8s.io/validatingwebhookconfigurations/a"
V1 = "admissionregistration.k8s.io/v1"


def configuration(api_version: str, **webhook: Any) -> dict[str, Any]:
    webhooks = [{"name": "a.example.com", "clientConfig": {"url": "https://a"}, **webhook}]
    kind = "ValidatingWebhookConfiguration"
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "webhooks": webhooks}


@pytest.mark.parametrize("is_protobuf", [True, False])
def test_webhook_configurations_are_read_in_v1beta1_and_stored_in_v1(is_protobuf: bool) -> None:
    values = build_values(Settings((), is_protobuf=is_protobuf), {})
    old = configuration(V1 + "beta1", timeoutSeconds=7)
    stored = json.dumps(old).encode()
    if is_protobuf:
        message = protobuf.encode_message(old, V1, old["kind"])
        stored = protobuf.enclosing(V1 + "beta1", old["kind"])(message)
    found = json.loads(values.open(KEY, b"", stored))
    assert found["apiVersion"] == V1
    (webhook,) = found["webhooks"]
    assert (webhook["timeoutSeconds"], webhook["failurePolicy"], webhook["sideEffects"]) == (7, "Ignore", "Unknown")
    again = values.seal(KEY, b"", json.dumps(found).encode())
    assert again.startswith(protobuf.MAGIC) is is_protobuf
    assert (V1 + "beta1").encode() not in again
    assert json.loads(values.open(KEY, b"", again)) == found


def test_what_is_stored_in_v1_has_no_defaults_of_v1beta1() -> None:
    values = build_values(Settings(()), {})
    found = json.loads(values.open(KEY, b"", json.dumps(configuration(V1)).encode()))
    (webhook,) = found["webhooks"]
    assert {name for name, value in webhook.items() if value is not None} == {"name", "clientConfig"}


@pytest.mark.parametrize("group", ["apiextensions.k8s.io/customresourcedefinitions", "g.dev/things"])
@pytest.mark.parametrize(
    "text", ["{bad", "[]", '{"metadata":"x"}', '{"apiVersion":1,"kind":"A","metadata":{}}', '{"kind":{},"metadata":{}}']
)
def test_what_is_no_object_cannot_be_read(group: str, text: str) -> None:
    values = build_values(Settings(()), {})
    with pytest.raises(ValueError):
        values.open(f"/registry/{group}/a", b"", text.encode())


def test_a_custom_object_in_our_order_is_taken_as_it_is_and_another_one_is_brought_into_it() -> None:
    values = build_values(Settings(()), {})
    ours = b'{"apiVersion":"g.dev/v1","kind":"Thing","metadata":{"name":"a"},"alpha":1}'
    assert values.open("/registry/g.dev/things/a", b"", ours + b"\n") == ours
    theirs = b'{"alpha": 1, "apiVersion": "g.dev/v1", "kind": "Thing", "metadata": {"name": "a"}}'
    assert values.open("/registry/g.dev/things/a", b"", theirs) == ours
