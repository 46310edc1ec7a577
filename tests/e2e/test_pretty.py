"""JSON is set out in lines for whoever asks for it, and for what people use to read it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from support.golden.client import Answer, Client
from support.server import Server

pytestmark = pytest.mark.e2e

MAPS = "/api/v1/namespaces/default/configmaps"
CURL = {"User-Agent": "curl/8.0", "Accept": "*/*"}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        call("POST", MAPS, {"metadata": {"name": "one", "annotations": {}}, "data": {"a": "<b>", "c": ""}})
        yield call


def is_pretty(answer: Answer) -> bool:
    indented = json.dumps(json.loads(answer.body), indent=2, ensure_ascii=False).encode()
    # Go's escapes stay as they are.
    return answer.body == indented.replace(b"<b>", b"\\u003cb\\u003e") or answer.body == indented


@pytest.mark.parametrize(
    "path",
    [
        f"{MAPS}/one",
        MAPS,
        f"{MAPS}/none",
        "/api/v1/namespaces/default",
        "/api/v1/nothing",
        "/apis",
        "/version",
        "/",
    ],
)
def test_what_people_read_with_gets_lines(client: Client, path: str) -> None:
    for agent in ("curl/8.0", "Wget/1.21", "Mozilla/5.0 (X11)"):
        answer = client("GET", path, headers={"User-Agent": agent, "Accept": "*/*"})
        assert is_pretty(answer), answer.text
        assert int(answer.header("Content-Length")) == len(answer.body)
    plain = client("GET", path)
    assert json.loads(plain.body).keys() == json.loads(answer.body).keys()
    if path not in ("/", "/version"):  # these are always indented
        assert not is_pretty(plain)
        assert not is_pretty(client("GET", path, headers={"User-Agent": "Mozilla/4.0"}))


@pytest.mark.parametrize(
    "query, headers, expected",
    [
        ("pretty=true", {}, True),
        ("pretty=1", {}, True),
        ("pretty=T", {}, True),
        ("pretty=yes", {}, False),
        ("pretty=false", CURL, False),
        ("pretty=0", CURL, False),
        ("pretty=", CURL, True),
        ("pretty", {}, False),
        ("labelSelector=pretty", {}, False),
        ("", {"Accept": "application/json;pretty=1"}, True),
        ("", {"Accept": "application/json;pretty=true"}, False),
        ("pretty=false", {"Accept": "application/json;pretty=1"}, True),
    ],
)
def test_the_query_and_the_media_type_decide(
    client: Client, query: str, headers: dict[str, str], expected: bool
) -> None:
    for path in (MAPS, f"{MAPS}/one", f"{MAPS}/none"):
        assert is_pretty(client("GET", f"{path}?{query}", headers=dict(headers))) is expected
    body = {"metadata": {"name": "two"}}
    assert is_pretty(client("POST", f"{MAPS}?dryRun=All&{query}", body, dict(headers))) is expected
    assert is_pretty(client("DELETE", f"{MAPS}/one?dryRun=All&{query}", headers=dict(headers))) is expected


def test_tables_and_metadata_are_indented_too(client: Client) -> None:
    for kind, pretty in (("Table", ""), ("PartialObjectMetadata", ""), ("PartialObjectMetadata", ";pretty=1")):
        accept = f"application/json;as={kind};v=v1;g=meta.k8s.io{pretty}"
        query = "" if pretty else "?pretty=true"
        assert is_pretty(client("GET", f"{MAPS}/one{query}", headers={"Accept": accept}))


def test_other_media_types_and_watches_are_left_alone(client: Client) -> None:
    yaml = client("GET", f"{MAPS}/one?pretty=true", headers={"Accept": "application/yaml"})
    assert yaml.body.startswith(b"apiVersion: v1\n")
    protobuf = client("GET", f"{MAPS}/one?pretty=true", headers={"Accept": "application/vnd.kubernetes.protobuf"})
    assert protobuf.body.startswith(b"k8s\x00")
    events = client("GET", f"{MAPS}?watch=true&timeoutSeconds=1&pretty=true", headers=dict(CURL))
    assert len(events.body.splitlines()) == len([line for line in events.body.splitlines() if json.loads(line)])


def test_what_is_large_stays_compact(client: Client) -> None:
    for name in ("large-1", "large-2"):
        body = {"metadata": {"name": name}, "data": {"a": "x" * 700_000}}
        assert is_pretty(client("POST", f"{MAPS}?pretty=true", body))
    listed = client("GET", f"{MAPS}?pretty=true")
    assert len(json.loads(listed.body)["items"]) >= 2
    assert not is_pretty(listed)


@pytest.mark.parametrize(
    ("path", "accept", "code"),
    [
        (f"{MAPS}/one", "application/xml", 406),
        (f"{MAPS}/one", "application/json;as=Table;v=v2;g=meta.k8s.io", 406),
        (f"{MAPS}/none", "application/json;as=Table;v=v1;g=meta.k8s.io", 404),
        (f"{MAPS}?resourceVersion=x", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 400),
    ],
)
def test_a_refusal_for_who_accepts_no_plain_type_gets_lines(client: Client, path: str, accept: str, code: int) -> None:
    answer = client("GET", path, headers={"Accept": accept})
    assert (answer.code, answer.header("Content-Type")) == (code, "application/json")
    assert is_pretty(answer)
    assert not is_pretty(client("GET", path, headers={"Accept": f"{accept},application/json"}))
