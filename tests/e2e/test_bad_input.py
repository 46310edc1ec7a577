"""Bad bodies get kube-apiserver's answer, and the server is as healthy afterwards as before."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from support import definitions
from support.golden.client import Answer, Client
from support.server import Server

pytestmark = pytest.mark.e2e

GROUP = "bad.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
HEAD = f'{{"apiVersion":"{GROUP}/v1","kind":"Thing","metadata":{{"name":"%s"}},"spec":'.encode()
JSON = {"Content-Type": "application/json"}
YAML = {"Content-Type": "application/yaml"}
LIMIT = 3 * 1024 * 1024


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        server.wait_until_ready()
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        yield call


@pytest.fixture(autouse=True)
def healthy_afterwards(client: Client) -> Iterator[None]:
    yield
    assert client("GET", "/readyz").text == "ok"
    name = f"probe-{time.monotonic_ns()}"
    obj = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}}
    assert client("POST", BASE, obj).code == 201


def body(name: str, spec: bytes) -> bytes:
    return HEAD % name.encode() + spec + b"}"


def message(answer: Answer) -> str:
    status = json.loads(answer.body)
    assert status["kind"] == "Status"
    return status["message"]


def test_malformed_json_is_quoted_and_refused(client: Client) -> None:
    answer = client("POST", BASE, b'{"kind": "Thing", nonsense', JSON)
    assert answer.code == 400
    assert "invalid character 'n' looking for beginning of object key string" in message(answer)


def test_malformed_yaml_is_refused(client: Client) -> None:
    answer = client("POST", BASE, b"a: b: c", YAML)
    assert answer.code == 400
    assert "mapping values are not allowed in this context" in message(answer)


def test_yaml_of_aliases_of_aliases_is_refused_at_once(client: Client) -> None:
    lines = [b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [b"a%d: &a%d [%s]" % (level, level, b", ".join([b"*a%d" % (level - 1)] * 10)) for level in range(1, 9)]
    answer = client("POST", BASE, b"\n".join(lines), YAML)
    assert answer.code == 400
    assert "document contains excessive aliasing" in message(answer)


def test_unknown_content_type_is_refused(client: Client) -> None:
    answer = client("POST", BASE, b"{}", {"Content-Type": "application/xml"})
    assert answer.code == 415
    assert "accepted media types include: application/json" in message(answer)


def test_ten_thousand_levels_are_stored_and_one_more_is_refused(client: Client) -> None:
    depth = 9_990
    answer = client("POST", BASE, body("deep", b'{"a":' * depth + b"1" + b"}" * depth), JSON)
    assert answer.code == 201, answer.text[:300]
    assert client("GET", f"{BASE}/deep").body.count(b'{"a":') == depth
    answer = client("POST", BASE, body("deeper", b"[" * 10_001 + b"]" * 10_001), JSON)
    assert answer.code == 400
    assert "exceeded max depth" in message(answer)
    assert client("DELETE", f"{BASE}/deep").code == 200


def test_body_over_three_mebibytes_is_refused(client: Client) -> None:
    answer = client("POST", BASE, b" " * (LIMIT + 1), JSON)
    assert answer.code == 413
    assert message(answer) == "Request entity too large: limit is 3145728"


def test_invalid_utf8_is_repaired(client: Client) -> None:
    answer = client("POST", BASE, body("utf8", b'{"text":"a\xffb"}'), JSON)
    assert answer.code == 201
    assert json.loads(answer.body)["spec"]["text"] == "a\ufffdb"


def test_nul_bytes_are_refused(client: Client) -> None:
    answer = client("POST", BASE, body("nul", b'{"text":"a\x00b"}'), JSON)
    assert answer.code == 400
    assert r"invalid character '\x00' in string literal" in message(answer)


def test_integer_of_a_megabyte_is_refused(client: Client) -> None:
    answer = client("POST", BASE, body("long", b'{"n":' + b"9" * 1_000_000 + b"}"), JSON)
    assert answer.code == 400
    assert "cannot unmarshal number 999" in message(answer)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", "unexpected end of JSON input (<empty>)"),
        (b"[]", "cannot unmarshal array into Go value"),
        (b"null", "Object 'Kind' is missing in 'null'"),
        (b"{} {}", "invalid character '{' after top-level value"),
    ],
)
def test_what_is_no_object_is_refused(client: Client, raw: bytes, text: str) -> None:
    answer = client("POST", BASE, raw, JSON)
    assert answer.code == 400
    assert text in message(answer)
