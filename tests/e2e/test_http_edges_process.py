"""The life of a server process: ready, refused, ended. The application is a tiny one."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from support import tiny_server
from support.waiting import PATIENCE_S

READY = re.compile(r"quarterdeck is ready after (\d+\.\d\d) s: (.*) \(Kubernetes (.*)\)")


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A server that is ready, and its URLs."""
    environment = {**os.environ, "PYTHONPATH": str(Path(tiny_server.__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, tiny_server.__file__, "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "started\n", process.stderr.read()
        match = READY.fullmatch(process.stdout.readline().rstrip("\n"))
        assert match is not None
        assert 0 < float(match[1]) < 30
        yield process, match[2].split()
    finally:
        process.kill()
        process.communicate()


def run(*arguments: str) -> tuple[int, str]:
    """A server that does not start: its exit code and what it says."""
    environment = {**os.environ, "PYTHONPATH": str(Path(tiny_server.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, tiny_server.__file__, "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        env=environment,
        check=False,
    )
    return done.returncode, done.stderr


def finish(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
    process.send_signal(number)
    out, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(tmp_path: Path, number: signal.Signals) -> None:
    with started("--data-dir", str(tmp_path), "--secure-port", "0") as (process, urls):
        assert len(urls) == 1
        assert finish(process, number) == (0, "stopped\n")
    with started("--data-dir", str(tmp_path), "--secure-port", "0"):
        pass


def test_the_kubeconfig_opens_the_door(tmp_path: Path) -> None:
    extra = tmp_path / "elsewhere" / "kubeconfig"
    arguments = ("--data-dir", str(tmp_path / "data"), "--secure-port=0", "--write-kubeconfig", str(extra))
    with started(*arguments) as (_, urls):
        text = extra.read_text(encoding="utf-8")
        assert text == (tmp_path / "data" / "admin.kubeconfig").read_text(encoding="utf-8")
        document = yaml.safe_load(text)
        assert document["clusters"][0]["cluster"]["server"] == urls[0]
        folder = tmp_path / "data" / "pki"
        context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
        context.load_cert_chain(folder / "admin.crt", folder / "admin.key")
        for host in ("127.0.0.1", "localhost"):
            connection = http.client.HTTPSConnection(host, port_of(urls[0]), timeout=PATIENCE_S, context=context)
            connection.request("GET", "/whoami")
            assert connection.getresponse().read() == b"quarterdeck-admin"


def test_tokens_and_the_insecure_port(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.csv"
    tokens.write_text("secret,alice,1\n", encoding="utf-8")
    arguments = ("--data-dir", str(tmp_path / "data"), "--secure-port=0", "--insecure-port=auto")
    with started(*arguments, "--token-auth-file", str(tokens)) as (process, (secure, plain)):
        context = ssl.create_default_context(cafile=str(tmp_path / "data" / "pki" / "ca.crt"))
        connection = http.client.HTTPSConnection("127.0.0.1", port_of(secure), timeout=PATIENCE_S, context=context)
        for token, name in (("secret", b"alice"), ("wrong", b"Unauthorized")):
            connection.request("GET", "/whoami", headers={"Authorization": f"Bearer {token}"})
            assert connection.getresponse().read() == name
        other = http.client.HTTPConnection("127.0.0.1", port_of(plain), timeout=PATIENCE_S)
        other.request("GET", "/whoami")
        assert other.getresponse().read() == b"system:admin"
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert said.count("plain HTTP on http://127.0.0.1") == 1


def test_what_runs_is_finished_and_streams_end(tmp_path: Path) -> None:
    arguments = ("--data-dir", str(tmp_path), "--secure-port=0", "--insecure-port=auto")
    with started(*arguments) as (process, (_, plain)):
        address = ("127.0.0.1", port_of(plain))
        with (
            socket.create_connection(address, timeout=PATIENCE_S) as slow,
            socket.create_connection(address, timeout=PATIENCE_S) as idle,
        ):
            slow.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            idle.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            assert idle.recv(65536).endswith(b"ok")
            process.send_signal(signal.SIGTERM)
            assert idle.recv(65536) == b""
            answer = tiny_server.read_all(slow)
            assert answer.endswith(b"late")
            assert b"Connection: close\r\n" in answer
            process.communicate(timeout=60)
            assert process.returncode == 0


def test_a_second_server_on_the_same_data_is_refused(tmp_path: Path) -> None:
    with started("--data-dir", str(tmp_path), "--secure-port=0") as (process, _):
        code, said = run("--data-dir", str(tmp_path), "--secure-port=0")
    assert code == 4
    assert said == (
        f"quarterdeck: error: the data directory {tmp_path} is in use by another server (process {process.pid})\n"
    )


def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    with started("--data-dir", str(tmp_path / "a"), "--secure-port=0") as (_, urls):
        port = port_of(urls[0])
        code, said = run("--data-dir", str(tmp_path / "b"), f"--secure-port={port}")
    assert code == 3
    assert said == (
        f"quarterdeck: error: cannot listen on 127.0.0.1:{port} (--secure-port): another program uses this port\n"
    )


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "format").write_text("quarterdeck data, format 99\n", encoding="utf-8")
    code, said = run("--data-dir", str(tmp_path), "--secure-port=0")
    assert code == 4
    assert "has format 99" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["--tls-cert-file=/nowhere", "--tls-private-key-file=/nowhere"],
        ["--client-ca-file=/nowhere"],
        [f"--client-ca-file={__file__}"],
        [f"--tls-cert-file={__file__}", f"--tls-private-key-file={__file__}"],
        ["--write-kubeconfig=/proc/nowhere"],
    ],
)
def test_files_that_cannot_be_used_are_one_line(tmp_path: Path, arguments: list[str]) -> None:
    code, said = run("--data-dir", str(tmp_path), "--secure-port=0", *arguments)
    assert code == 1
    assert said.startswith("quarterdeck: error: cannot ")
    assert said.count("\n") == 1


def test_ipv6_is_served(tmp_path: Path) -> None:
    arguments = ("--data-dir", str(tmp_path), "--secure-port=0", "--bind-address=::1")
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    with started(*arguments) as (_, urls):
        assert urls[0].startswith("https://[::1]:")
        context = ssl.create_default_context(cafile=str(tmp_path / "pki" / "ca.crt"))
        connection = http.client.HTTPSConnection("::1", port_of(urls[0]), timeout=PATIENCE_S, context=context)
        connection.request("GET", "/livez")
        assert connection.getresponse().read() == b"ok"
