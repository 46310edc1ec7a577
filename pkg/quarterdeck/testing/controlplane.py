"""A control plane of one's own: a server process with a fresh store, gone with whoever started it."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from quarterdeck.cmd.client import RequestError
from quarterdeck.testing.clock import Time, flags_of, query_of
from quarterdeck.testing.served import Served, must

if TYPE_CHECKING:
    from quarterdeck.testing.cluster import Cluster

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


class ControlPlane(Served):
    """`with ControlPlane() as plane`: a server on free ports of the loopback interface, with logical clusters where
    they are asked for.

    `flags` are those of `quarterdeck serve`. `begin` starts the process and `wait` waits for it, so that several start
    side by side. All methods may be called from several threads once it is ready.
    """

    def __init__(
        self,
        *flags: str,
        record: str | Path | None = None,
        coverage: bool = False,
        clock: Time | bool = False,
        seed: int | None = None,
        ui: bool = False,
    ) -> None:
        """`record`: the file of a recording (docs/record-replay.md). `coverage`: note what is asked for. `clock`: the
        time at which a virtual clock begins (docs/virtual-clock.md), True: now. `seed`: of uids and names. `ui`: with a
        live page, at `ui_url` (docs/live-page.md)."""
        super().__init__()
        self._flags = flags if record is None else (*flags, f"--record-file={record}")
        if coverage or Served.collector is not None:
            self._flags = (*self._flags, "--enable-api-coverage")
        if ui:
            self._flags = (*self._flags, "--ui")
        self._flags = (*self._flags, *flags_of(clock, seed))
        self._numbers = itertools.count(1)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ControlPlane:
        self.begin()
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.faults.check()
        finally:
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
        command += ["--audit-log-maxbackup=1", "--enable-logical-clusters", "--enable-fault-injection"]
        command += ["--exit-with-process", str(os.getpid()), *self._flags]
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
        self.collect()
        process, folder = self._process, self._folder
        self._process = self._folder = None
        self._forget_connections()
        if process is not None:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if folder is not None:
            folder.cleanup()

    def collect(self) -> None:
        """Of the clusters that are left too."""
        if self._process is not None and Served.collector is not None:
            super().collect()
            for name in self._left_clusters():
                self._cluster(name).collect()

    def _left_clusters(self) -> list[str]:
        try:
            return [each["name"] for each in must(self.call("GET", "/clusters"))["items"]]
        except (RequestError, OSError):  # it has ended
            return []

    @property
    def kubeconfig(self) -> Path:
        return self._path("data") / "admin.kubeconfig"

    @property
    def ui_url(self) -> str:
        """For a browser of this machine; it holds the token. Raises OSError where there is no page."""
        return (self._path("data") / "live-page.url").read_text().strip()

    def log(self) -> str:
        return self._path("log").read_text(errors="replace")

    def audit_log(self) -> Path:
        return self._path("audit.log")

    def cluster(
        self,
        name: str = "",
        *,
        source: str = "",
        snapshot: str = "",
        clock: Time | bool = False,
        seed: int | None = None,
    ) -> Cluster:
        """A logical cluster: as a fresh server, or as the cluster `source` is now, or as `snapshot` has kept one.
        `clock` and `seed` are as those of a control plane."""
        name = name or self.new_name("cluster")
        asked = {"awake": "true"} | ({"from": source} if source else {"snapshot": snapshot} if snapshot else {})
        made = must(self.call("PUT", f"/clusters/{name}?{urlencode(asked | query_of(clock, seed))}"))
        return self._cluster(name, int(made["resourceVersion"]))

    def _cluster(self, name: str, first_revision: int = 0) -> Cluster:
        from quarterdeck.testing.cluster import Cluster

        return Cluster(self, name, first_revision)

    def fork(self, source: Cluster, name: str = "") -> Cluster:
        return source.fork(name)

    def new_name(self, kind: str) -> str:
        """One that no cluster or snapshot of this control plane has been given so far."""
        return f"{kind}-{next(self._numbers)}"

    def kubeconfig_of(self, cluster: str) -> Path:
        path = self._path(f"{cluster}.kubeconfig")
        if not path.exists():
            text = self.kubeconfig.read_text().replace(
                f"server: {self.url}\n", f"server: {self.url}/clusters/{cluster}\n"
            )
            path.touch(0o600)
            path.write_text(text)
        return path

    def _path(self, name: str) -> Path:
        if self._folder is None:
            raise RuntimeError("this control plane is not running")
        return Path(self._folder.name, name)
