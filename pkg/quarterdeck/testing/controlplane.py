"""A control plane of one's own: a server process with a fresh store, gone with whoever started it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from quarterdeck.cmd import kubeconfig
from quarterdeck.cmd.client import Client

_READY: Final = re.compile(r"ready after [\d.]+ s: (https://\S+)")
_START_S: Final = 60.0
_STOP_S: Final = 20.0
_LOOK_S: Final = 0.005
# What was asked is told of a test that failed; watches and reads of health are of no help.
_AUDIT: Final = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, nonResourceURLs: ["*"]}
- {level: Metadata}
"""
_AUDIT_FILE_MIB: Final = 10


class StartError(RuntimeError):
    """The server ended, or was not ready in time; the text is its log."""


class ControlPlane:
    """`with ControlPlane() as plane`: a server on free ports of the loopback interface.

    `flags` are those of `quarterdeck serve`. `url` and `kubeconfig` (the administrator's) are for clients of any
    language; `call` and `apply` are for tests themselves. `begin` starts the process and `wait` waits for it, so that
    several start side by side. All methods may be called from several threads once it is ready.
    """

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._first_revision = 0
        self.url = ""

    def __enter__(self) -> ControlPlane:
        self.begin()
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def begin(self) -> None:
        if self._process is not None:
            raise RuntimeError("this control plane has been started already")
        self._folder = tempfile.TemporaryDirectory(prefix="quarterdeck-test-")
        policy = self._path("audit-policy.yaml")
        policy.write_text(_AUDIT)
        command = [sys.executable, "-m", "quarterdeck", "serve", "--secure-port=0"]
        command += ["--ephemeral", "--data-dir", str(self._path("data")), "--audit-policy-file", str(policy)]
        command += ["--audit-log-path", str(self._path("audit.log")), f"--audit-log-maxsize={_AUDIT_FILE_MIB}"]
        command += ["--audit-log-maxbackup=1", "--exit-with-process", str(os.getpid()), *self._flags]
        with self._path("log").open("wb") as log:
            environment = {**os.environ, "PYTHONSAFEPATH": "1"}
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def wait(self) -> None:
        """Until it serves all that a fresh server has. Raises StartError."""
        assert self._process is not None
        end = time.monotonic() + _START_S
        while (match := _READY.search(self.log())) is None:
            if self._process.poll() is not None or time.monotonic() > end:
                raise StartError(self.log() or "the server said nothing")
            time.sleep(_LOOK_S)
        self.url = match[1]
        while self.call("GET", "/readyz")[0] != 200:
            if time.monotonic() > end:
                raise StartError(f"/readyz: {self.call('GET', '/readyz?verbose')[1]}")
            time.sleep(_LOOK_S)
        self._first_revision = self.revision()

    def stop(self) -> None:
        """The process ends, and what it has stored goes. Once more: nothing."""
        process, folder = self._process, self._folder
        self._process = self._folder = None
        if process is not None:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if folder is not None:
            folder.cleanup()

    @property
    def kubeconfig(self) -> Path:
        return self._path("data") / "admin.kubeconfig"

    def log(self) -> str:
        return self._path("log").read_text(errors="replace")

    def call(
        self, method: str, path: str, body: object = None, *, content_type: str = "application/json"
    ) -> tuple[int, Any]:
        """The status and what was answered: an object where it is JSON, else text."""
        client = Client(kubeconfig.load(self.kubeconfig))
        try:
            client.send(method, path, body, sent=content_type)
            status, data = client.receive()
        finally:
            client.close()
        try:
            return status, json.loads(data)
        except ValueError:
            return status, data.decode(errors="replace")

    def revision(self) -> int:
        """The newest of all."""
        return int(self.call("GET", "/api/v1/namespaces?limit=1")[1]["metadata"]["resourceVersion"])

    def apply(self, *sources: str | Path | dict[str, Any], namespace: str = "default") -> list[dict[str, Any]]:
        """Server-side apply of all objects of `sources`: files, folders, globs, objects. Definitions first, and what
        is of them waits until they are served. Raises quarterdeck.testing.manifests.ManifestError."""
        from quarterdeck.testing import manifests

        return manifests.apply(self.call, sources, namespace)

    def describe(self) -> Iterable[tuple[str, str]]:
        """What tells why a test failed: the titles and texts of its objects, its events and its last requests."""
        from quarterdeck.testing import report

        return report.describe(self.call, self._path("audit.log"), self._first_revision)

    def _path(self, name: str) -> Path:
        if self._folder is None:
            raise RuntimeError("this control plane is not running")
        return Path(self._folder.name, name)
