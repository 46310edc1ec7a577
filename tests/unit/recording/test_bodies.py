"""What a recording shows of bodies: what can be read, and nothing secret."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.recording import bodies

SECRETS = ("", "secrets", "")
MAPS = ("", "configmaps", "")
HIDDEN = base64.b64encode(b"hidden").decode()
KEPT = base64.b64encode(b"REDACTED").decode()
OBJECT: dict[str, Any] = {
    "kind": "Secret",
    "apiVersion": "v1",
    "metadata": {"name": "s", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hidden"}},
    "data": {"k": HIDDEN, "gone": None},
    "stringData": {"k": "hidden"},
}


def describe(value: Any, resource: tuple[str, str, str], kind: str = "application/json") -> dict[str, Any]:
    return bodies.describe(value if isinstance(value, bytes) else json.dumps(value).encode(), kind, resource)


@pytest.mark.parametrize(
    "sent",
    [
        OBJECT,
        {"items": [OBJECT]},
        {"type": "ADDED", "object": OBJECT},
        [
            {"op": "replace", "path": "/data/k", "value": HIDDEN},
            {"op": "add", "path": "/stringData", "value": {"k": "hidden"}},
        ],
        [{"op": "replace", "path": "", "value": OBJECT}],
        {"rows": [{"object": OBJECT}]},
        {"data": "hidden"},
        json.loads("[" * 150 + json.dumps(OBJECT) + "]" * 150),
        json.loads("[" * 400 + json.dumps(OBJECT) + "]" * 400),
    ],
)
def test_values_of_secrets_are_not_shown(sent: Any) -> None:
    told = json.dumps(describe(sent, SECRETS))
    assert "hidden" not in told
    assert HIDDEN not in told


def test_the_rest_of_a_secret_is(sent: Any = OBJECT) -> None:
    value = describe(sent, SECRETS)["body"]
    assert value["metadata"]["name"] == "s"
    assert value["data"] == {"k": KEPT, "gone": None}
    assert value["stringData"] == {"k": "REDACTED"}


def test_other_objects_are_shown_whole() -> None:
    assert describe(OBJECT, MAPS) == {"body": OBJECT}


def test_secrets_in_other_media_types() -> None:
    text = b"kind: Secret\ndata: {k: aGlkZGVu}\n"
    assert describe(text, SECRETS, "application/apply-patch+yaml")["body"]["data"] == {"k": KEPT}
    stored = {name: value for name, value in OBJECT.items() if name != "data"} | {"data": {"k": HIDDEN}}
    packed = protobuf.encode(stored)
    assert packed is not None
    told = describe(packed, SECRETS, "application/vnd.kubernetes.protobuf")
    assert told["body"]["data"] == {"k": KEPT}
    assert b"hidden" not in json.dumps(told).encode()


@pytest.mark.parametrize("kind", ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"])
def test_a_body_that_cannot_be_read_is_not_shown_where_it_may_be_secret(kind: str) -> None:
    broken = b"\x00{hidden: ["
    assert describe(broken, SECRETS, kind) == {"bytes": len(broken)}
    shown = describe(broken, MAPS, kind)
    assert shown == ({"bytes": len(broken)} if "protobuf" in kind else {"text": broken.decode()})


def test_tokens_are_not_shown() -> None:
    for resource in (("", "serviceaccounts", "token"), ("authentication.k8s.io", "tokenreviews", "")):
        told = describe({"spec": {"token": "hidden"}, "status": [{"token": "hidden"}], "kind": "K"}, resource)
        assert told["body"] == {"spec": {"token": "REDACTED"}, "status": [{"token": "REDACTED"}], "kind": "K"}


def test_what_is_too_large_is_told_by_its_size() -> None:
    assert describe({"k": "x" * bodies.BODY_BYTES_MAX}, MAPS) == {"bytes": bodies.BODY_BYTES_MAX + 9}
    assert describe(b"", MAPS) == {}
