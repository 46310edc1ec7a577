"""`quarterdeck bench watch` against a real server: over TLS, over plain HTTP, by certificate and by token."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.cmd.bench import watchreader
from support.server import Server
from support.waiting import PATIENCE_S, PROCESS_PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

TOKEN = "let-me-in"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.csv"
    tokens.write_text(f'{TOKEN},someone,1,"system:masters"\n')
    with Server(None, "--token-auth-file", str(tokens)) as running:
        yield running


def bench(kubeconfig: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "quarterdeck", "bench", "watch", "--kubeconfig", str(kubeconfig), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)


def write_kubeconfig(path: Path, server: str, token: str, authority: bytes = b"") -> Path:
    cluster = {"server": server}
    if authority:
        cluster["certificate-authority-data"] = base64.b64encode(authority).decode()
    config = {
        "clusters": [{"name": "a", "cluster": cluster}],
        "users": [{"name": "a", "user": {"token": token}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "current-context": "a",
    }
    path.write_text(json.dumps(config))  # which is YAML
    return path


def definitions(server: Server) -> list[str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
    items = json.loads(connection.getresponse().read())["items"]
    connection.close()
    return [item["metadata"]["name"] for item in items]


def test_updates_over_tls_with_the_admins_certificate(server: Server) -> None:
    done = bench(server.kubeconfig, "--watchers", "50", "--events", "20")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"server      https://127.0.0.1:{server.secure_port} (v1.36.0+quarterdeck)"
    assert lines[1].startswith("watchers    50 opened in ")
    assert lines[2].startswith("deliveries  1000 at ")
    assert "to the last watcher: p50 " in lines[3]
    assert lines[-1].startswith("server CPU  ")  # it runs here


def test_side_by_side_creates_over_tls_with_a_token(server: Server, tmp_path: Path) -> None:
    authority = (server.data_dir / "pki" / "ca.crt").read_bytes()
    url = f"https://127.0.0.1:{server.secure_port}"
    path = write_kubeconfig(tmp_path / "config", url, TOKEN, authority)
    done = bench(path, "--watchers", "20", "--events", "10", "--writers", "8", "-o", "json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["deliveries"] == 20 * 10 * 8
    assert summary["deliveries_per_s"] > 0
    assert summary["cpu_us_per_delivery"] >= 0


@pytest.mark.parametrize("writers", [1, 3])
def test_many_watches_on_each_connection_of_http2(server: Server, writers: int) -> None:
    options = ("--watchers", "50", "--events", "20", "--writers", str(writers), "-o", "json")
    done = bench(server.kubeconfig, *options, "--http2", "--streams", "12")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["http"], summary["deliveries"]) == ("2", 50 * 20 * writers)
    assert ("answer_to_last_ms_p99" in summary) == (writers == 1)
    assert "answer_to_last_arrival_ms_p99" not in summary


def test_plain_http_with_a_selector_and_another_process(server: Server, tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "config", f"http://127.0.0.1:{server.plain_port}", "")
    options = ("--watchers", "300", "--events", "5", "--selector", "app=bench", "-o", "json")
    done = bench(path, *options, "--server-pid", str(server.process_id))
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["deliveries"] == 1500
    assert summary["answer_to_last_ms_p99"] >= summary["answer_to_last_ms_p50"] >= 0
    assert 5000 > summary["answer_to_last_arrival_ms_p99"] >= summary["answer_to_last_arrival_ms_p50"] >= 0


def test_nothing_is_left_behind_and_the_next_run_waits_for_that(server: Server) -> None:
    for _ in range(2):
        done = bench(server.kubeconfig, "--watchers", "2", "--events", "1")
        assert done.returncode == 0, done.stderr
    wait_for(lambda: not [name for name in definitions(server) if "bench" in name])


def test_failures_are_told_in_a_line(server: Server, tmp_path: Path) -> None:
    nobody = write_kubeconfig(tmp_path / "config", "http://127.0.0.1:9", "")
    missing = tmp_path / "missing"
    refused = write_kubeconfig(tmp_path / "other", f"https://127.0.0.1:{server.secure_port}", "wrong")
    for path, text in ((nobody, "cannot reach"), (missing, "cannot read"), (refused, "cannot reach")):
        done = bench(path, "--watchers", "2")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("quarterdeck: error: ")
        assert text in done.stderr
        assert len(done.stderr.splitlines()) == 1
    # A selector that matches nothing: the last watcher never hears of the write.
    done = bench(server.kubeconfig, "--watchers", "2", "--events", "1", "--selector", "app=other", "--timeout", "1")
    assert done.returncode == 1
    assert "not everything came in time" in done.stderr


@pytest.mark.parametrize("cuts", [[5], [1, 2, 3], [26, 27], [28], list(range(1, 54))])
def test_events_are_counted_however_they_are_cut(cuts: list[int]) -> None:
    data = b'{"type":"ADDED","o":{"a":1}}\n{"type":"MODIFIED","a":{}}\n'
    reader = watchreader.Reader()
    pairs = [socket.socketpair() for _ in range(3)]
    for _, theirs in pairs:
        reader.add(theirs, b"")
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        for ours, _ in pairs:
            ours.sendall(data[begin:end])
        assert reader.read() == 3
    assert reader.total == 6
    for _ in range(2):  # the same once more
        for ours, _ in pairs:
            ours.sendall(data)
        reader.read()
    assert reader.total == 18
    pairs[1][0].close()
    with pytest.raises(watchreader.WatchersError, match="the server ended a watch"):
        reader.read()
    for pair in pairs:
        for end_of_pair in pair:
            end_of_pair.close()


def test_arrival_is_told_by_the_kernel_however_late_it_is_read() -> None:
    reader = watchreader.Reader()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    with ours, theirs:
        reader.add(theirs, b"{}\n")
        reader.note_times(True)
        end = time.monotonic() + 10
        while not reader.arrived_ns:  # the kernel has its own time to begin
            assert time.monotonic() < end
            ours.sendall(b"{}\n")
            reader.read_with_times()
        total = reader.total
        before = time.time_ns()
        ours.sendall(b"{}\n")
        after = time.time_ns()
        time.sleep(0.05)
        reader.read_with_times()
        assert reader.total == total + 1
        assert before <= reader.arrived_ns <= after + 10_000_000
