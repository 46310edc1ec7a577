"""`quarterdeck bench get, create, …` against a real server, with each kind of payload; two runs compared."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cmd.bench import payload
from quarterdeck.cmd.bench.loads import SCENARIOS
from support.golden.client import Client
from support.server import Server
from support.waiting import PROCESS_PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(None) as running:
        yield running


def bench(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "quarterdeck", "bench", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)


def run_load(server: Server, scenario: str, *arguments: object) -> dict[str, Any]:
    kubeconfig = server.data_dir / "admin.kubeconfig"
    found = bench(scenario, "--kubeconfig", kubeconfig, "--output", "json", "--connections", 4, *arguments)
    assert found.returncode == 0, found.stderr + found.stdout
    figures: dict[str, Any] = json.loads(found.stdout)
    return figures


def write_kubeconfig(path: Path, server: str) -> Path:
    config = {
        "clusters": [{"name": "a", "cluster": {"server": server}}],
        "contexts": [{"name": "a", "context": {"cluster": "a"}}],
        "current-context": "a",
    }
    path.write_text(json.dumps(config))  # which is YAML
    return path


def items(server: Server, path: str) -> list[str]:
    found = json.loads(Client("127.0.0.1", server.plain_port)("GET", path).body)["items"]
    return [item["metadata"]["name"] for item in found]


# The verbs of apiserver_request_total.
METRIC = {"get": "GET", "create": "POST", "update": "PUT", "patch": "PATCH", "apply": "APPLY", "delete": "DELETE"}


def read_metrics(server: Server) -> bytes:
    return Client("127.0.0.1", server.plain_port)("GET", "/metrics").body


def count_requests(metrics: bytes, verb: str) -> int:
    """Of objects that a run has made, so far."""
    lines = [line for line in metrics.decode().splitlines() if line.startswith("apiserver_request_total{")]
    return sum(
        int(line.split()[-1]) for line in lines if f'verb="{verb}"' in line and f'resource="{payload.PLURAL}"' in line
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("http2", [(), ("--http2", "--streams", 2)], ids=["http1", "http2"])
def test_each_load_does_what_it_says_and_leaves_nothing(
    server: Server, scenario: str, http2: tuple[object, ...]
) -> None:
    before = read_metrics(server)
    arguments = ("--requests", 40, "--objects", 8, "--page", 3, "--processes", 2)
    figures = run_load(server, scenario, *arguments, *http2)
    assert figures["failures"] == 0
    assert (figures["http"], figures.get("tcp_connections", 4)) == (("2", 2) if http2 else ("1.1", 4))
    told = {verb: sum(counts.values()) for verb, counts in figures["histogram"].items()}
    after = read_metrics(server)
    # Some of `mixed` create and read beside what counts, and lists tell whether the definition is served.
    exact = set(told) - {"list"} - ({"get", "create"} if scenario == "mixed" else set())
    for verb in exact:
        assert count_requests(after, METRIC[verb]) - count_requests(before, METRIC[verb]) == told[verb]
    assert figures["requests"] >= 40
    if scenario == "controller":
        assert set(figures["latency_ms"]) == {"get", "list", "patch"}
        assert figures["deliveries"] == 40 * 4
    elif scenario != "mixed":
        assert list(figures["latency_ms"]) == [scenario]
    assert sum(told.values()) == figures["requests"]
    assert not items(server, _DEFINITIONS)


def test_objects_of_a_template_are_removed(server: Server, tmp_path: Path) -> None:
    template = tmp_path / "configmap.yaml"
    template.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, uid: no}\ndata: {a: b}\n")
    before = items(server, "/api/v1/namespaces/default/configmaps")
    for scenario in ("update", "apply", "controller"):
        run_load(server, scenario, "--template", template, "--resource", "configmaps", "--requests", 20, "--objects", 4)
    assert items(server, "/api/v1/namespaces/default/configmaps") == before


def test_objects_are_made_up_by_a_schema(server: Server, tmp_path: Path) -> None:
    properties = {
        "size": {"type": "integer", "minimum": 3, "multipleOf": 2},
        "mode": {"type": "string", "enum": ["fast"]},
        "at": {"type": "string", "format": "date-time", "minLength": 5},
        "ports": {"type": "array", "minItems": 2, "items": {"x-kubernetes-int-or-string": True}},
        "more": {"type": "object", "additionalProperties": {"type": "boolean"}},
    }
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "required": list(properties), "properties": properties}},
    }
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    path = tmp_path / "definition.json"
    path.write_text(json.dumps(definition))
    figures = run_load(server, "mixed", "--crd", path, "--requests", 40, "--objects", 8)
    assert figures["failures"] == 0
    assert not items(server, _DEFINITIONS)


def test_a_rate_is_kept(server: Server) -> None:
    figures = run_load(server, "get", "--rate", 100, "--ramp", 0.1, "--requests", 50, "--objects", 4)
    assert figures["requests"] == 50
    # Of 50 operations on 4 connections some connection has 13, each due 40 ms after the one before it.
    assert figures["elapsed_s"] >= 12 * 0.04


@pytest.mark.parametrize("http2", [(), ("--http2", "--streams", "2")], ids=["http1", "http2"])
def test_a_server_that_ends_in_the_middle_is_told_as_failures(http2: tuple[str, ...]) -> None:
    with Server(None) as victim:
        command = [sys.executable, "-m", "quarterdeck", "bench", "get", "--kubeconfig", str(victim.kubeconfig)]
        command += ["--connections", "4", "--objects", "4", "--duration", "600", "-o", "json", *http2]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            try:
                ask = Client("127.0.0.1", victim.plain_port)
                wait_for(lambda: count_requests(ask("GET", "/metrics").body, "GET") > 100)
                victim.kill()
                text, _ = running.communicate(timeout=PROCESS_PATIENCE_S)
            finally:
                running.kill()
    assert running.returncode == 1
    figures = json.loads(text)
    assert figures["requests"] > 100
    # Each of the four has lost a request, or not, and then finds that nobody listens.
    assert 4 <= figures["failures"] <= 8
    assert figures["first_failure"].startswith(("the server closed a connection", "cannot reach"))


def test_http2_by_prior_knowledge(server: Server, tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "config", f"http://127.0.0.1:{server.plain_port}")
    found = bench("get", "--kubeconfig", path, "--http2", "--requests", 40, "--objects", 4, "--connections", 4)
    assert found.returncode == 0, found.stderr
    assert "4 requests at a time on 1 connections of HTTP/2 of 1 processes" in found.stdout
    found = bench("watch", "--kubeconfig", path, "--http2", "--watchers", 20, "--events", 3, "--streams", 7)
    assert found.returncode == 0, found.stderr
    assert "20 opened in" in found.stdout
    assert "7 on a connection of HTTP/2" in found.stdout
    assert "deliveries  60 at" in found.stdout


def test_a_server_that_asks_to_connect_anew_costs_no_request() -> None:
    with Server(None, "--goaway-chance", "0.02") as leaving:
        figures = run_load(leaving, "get", "--http2", "--streams", 2, "--requests", 2000, "--objects", 8)
        assert (figures["requests"], figures["failures"]) == (2000, 0)


def test_http2_that_the_server_does_not_offer_is_told(tmp_path: Path) -> None:
    with Server(None, "--disable-http2-serving") as plain:
        path = write_kubeconfig(tmp_path / "config", f"http://127.0.0.1:{plain.plain_port}")
        for kubeconfig, reason in ((plain.kubeconfig, "does not offer HTTP/2"), (path, "does not speak HTTP/2")):
            for arguments in (("get", "--objects", 4), ("watch", "--watchers", 4)):
                found = bench(*arguments, "--kubeconfig", kubeconfig, "--http2")
                assert (found.returncode, found.stdout) == (1, "")
                assert reason in found.stderr
                assert len(found.stderr.splitlines()) == 1


def test_more_streams_than_the_server_takes_are_refused() -> None:
    with Server(None, "--http2-max-streams-per-connection", "10") as narrow:
        for arguments in (("get", "--connections", 22), ("watch", "--watchers", 22)):
            found = bench(*arguments, "--kubeconfig", narrow.kubeconfig, "--http2", "--streams", 11)
            assert found.returncode == 1
            assert "allows 10 streams a connection, 11 are wanted: --streams" in found.stderr
        figures = run_load(narrow, "get", "--http2", "--streams", 10, "--connections", 20, "--requests", 100)
        assert (figures["tcp_connections"], figures["failures"]) == (2, 0)
        found = bench("get", "--kubeconfig", narrow.kubeconfig, "--streams", 10)
        assert "--streams wants --http2" in found.stderr


def test_two_runs_are_compared(tmp_path: Path) -> None:
    run = {"scenario": "get", "version": "v", "requests_per_s": 100, "latency_ms": {"get": {"p50": 2.0}}}
    other = {**run, "requests_per_s": 150, "latency_ms": {"get": {"p50": 2.05}}}
    for name, figures in (("a", run), ("b", other)):
        (tmp_path / name).write_text(json.dumps(figures))
    found = bench("compare", tmp_path / "a", tmp_path / "b")
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[1].split() == ["requests_per_s", "100.00", "150.00", "1.500", "better"]
    assert found.stdout.splitlines()[2].split() == ["get", "p50", "ms", "2.00", "2.05", "1.025"]
    (tmp_path / "b").write_text(json.dumps({**other, "http": "2"}))
    found = bench("compare", tmp_path / "a", tmp_path / "b")
    assert [line.split() for line in found.stdout.splitlines()][1] == ["HTTP", "1.1", "2"]
    (tmp_path / "c").write_text("{}")
    refused = bench("compare", tmp_path / "a", tmp_path / "c")
    assert refused.returncode == 1
    assert "is not what" in refused.stderr


def test_what_the_server_refuses_is_told(server: Server, tmp_path: Path) -> None:
    template = tmp_path / "pod.json"
    template.write_text('{"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {"containers": []}}')
    kubeconfig = server.data_dir / "admin.kubeconfig"
    arguments = ("--kubeconfig", kubeconfig, "--template", template, "--resource", "pods")
    refused = bench("get", *arguments)
    assert refused.returncode == 1
    assert "what is to be measured cannot be made: 422" in refused.stderr
    lone = bench("get", "--kubeconfig", kubeconfig, "--template", template)
    assert "--template and --resource are given together" in lone.stderr
