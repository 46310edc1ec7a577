"""/statusz and /flagz: text for people, objects for who names them, and nobody without the right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
import yaml

from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e

PAGES = [("/statusz", "Statusz"), ("/flagz", "Flagz")]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server(None, "--request-timeout=90s", "--max-requests-inflight=77") as server:
        yield Client("127.0.0.1", server.plain_port)


def accept(version: str, kind: str, media_type: str = "application/json") -> dict[str, str]:
    return {"Accept": f"{media_type};v={version};g=config.k8s.io;as={kind}"}


def test_they_are_listed(client: Client) -> None:
    assert {"/flagz", "/statusz"} <= set(json.loads(client("GET", "/").body)["paths"])


@pytest.mark.parametrize("wanted", [None, "", "text/plain", "*/*", "text/html, */*;q=0.1"])
def test_text_is_for_people(client: Client, wanted: str | None) -> None:
    status = client("GET", "/statusz", headers={"Accept": wanted})
    assert (status.code, status.header("Content-Type")) == (200, "text/plain; charset=utf-8")
    lines = status.text.split("\n")
    assert lines[:2] == ["", "apiserver statusz"]
    assert lines[2].startswith("Warning: This endpoint is not meant to be machine parseable")
    assert re.search(r"\nUp\W+\d+ hr \d\d min \d\d sec\n", status.text)
    assert re.search(r"\nEmulation version\W+1\.36\n", status.text)
    paths = next(line for line in lines if line.startswith("Paths"))
    assert paths.split()[-7:] == ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"]
    flags = client("GET", "/flagz", headers={"Accept": wanted}).text
    assert flags.startswith("\napiserver flagz\nWarning: ")
    assert re.search(r"\nrequest-timeout\W+1m30s\n", flags)
    assert re.search(r"\nmax-requests-inflight\W+77\n", flags)


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
@pytest.mark.parametrize("path, kind", PAGES)
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_objects_are_for_programs(client: Client, path: str, kind: str, version: str, form: str) -> None:
    answer = client("GET", path, headers=accept(version, kind, f"application/{form}"))
    media_type = f"application/{form};g=config.k8s.io;v={version};as={kind}"
    assert (answer.code, answer.header("Content-Type")) == (200, media_type)
    warning = f'299 - "This version of the {kind.lower()} endpoint is deprecated. Please use a newer version."'
    assert answer.header("Warning") == ("" if version == "v1beta1" else warning)
    value = json.loads(answer.body) if form == "json" else yaml.safe_load(answer.body)
    assert (value["kind"], value["apiVersion"]) == (kind, f"config.k8s.io/{version}")
    assert value["metadata"] == {"name": "apiserver"}
    if kind == "Flagz":
        assert value["flags"]["request-timeout"] == "1m30s"
        assert value["flags"]["secure-port"].isdigit()
    else:
        assert value["uptimeSeconds"] >= 0
        assert value["binaryVersion"] == "1.36.0"
        assert value["paths"] == sorted(value["paths"])
        assert "/apis" not in value["paths"]


@pytest.mark.parametrize("path, kind", PAGES)
def test_other_forms_are_refused(client: Client, path: str, kind: str) -> None:
    other = "Flagz" if kind == "Statusz" else "Statusz"
    for headers in (
        {"Accept": "application/json"},
        accept("v1", kind),
        accept("v1alpha1", other),
        accept("v1alpha1", kind, "application/vnd.kubernetes.protobuf"),
        accept("v1alpha1", kind, "text/plain"),
        {"Accept": "application/vnd.kubernetes.protobuf"},
    ):
        answer = client("GET", path, headers=headers)
        assert (answer.code, json.loads(answer.body)["reason"]) == (406, "NotAcceptable")
        assert "text/plain" in answer.text


def test_who_may_look(client: Client) -> None:
    monitor = {"Accept": None, "Impersonate-User": "m", "Impersonate-Group": "system:monitoring"}
    for path, _ in PAGES:
        refused = client("GET", path, headers={"Accept": None, "Impersonate-User": "eve"})
        assert refused.code == 403
        allowed = client("GET", path, headers=monitor)
        assert allowed.code == 200
