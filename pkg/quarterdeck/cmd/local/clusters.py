"""Named servers of this user: where each keeps its things, whether it runs, how it starts and ends.

    data home/clusters/NAME/            its data directory (objects, certificates, admin.kubeconfig)
    state home/clusters/NAME/lock       held (flock) while one is started or ended
    state home/clusters/NAME/process    process id, its start in ticks, port, flags (JSON)
    state home/clusters/NAME/log        what it says

A process counts as the server only with the same start, so that no other that got its id is ever signalled.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from quarterdeck.cmd.client import Client, RequestError
from quarterdeck.cmd.directories import data_home, state_home
from quarterdeck.cmd.kubeconfig import KubeconfigError, load

_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_READY: Final = re.compile(r"is ready after [\d.]+ s: https://\S+:(\d+)")
_LOOK_S: Final = 0.02
_STOP_S: Final = 20.0
_LOG_TAIL: Final = 2000


class ClusterError(Exception):
    """The text is for the person who gave the command; `code` is its exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class Cluster:
    """Raises ClusterError for a name that cannot be one of a directory."""

    def __init__(self, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise ClusterError(f"{name!r} is no name: lower case letters, digits and dashes, 63 at most", 2)
        self.name = name
        self.data_dir = data_home() / "clusters" / name
        self.state_dir = state_home() / "clusters" / name
        self.log = self.state_dir / "log"
        self.kubeconfig = self.data_dir / "admin.kubeconfig"

    @property
    def exists(self) -> bool:
        return self.data_dir.exists()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One command at a time changes it; others wait."""
        self.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.state_dir / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def up(self, flags: Sequence[str], wait_s: float) -> bool:
        """Start it where it does not run, and return when it is ready; whether it was started. Raises ClusterError."""
        end_s = time.monotonic() + wait_s
        with self.locked():
            known = self._read()
            if handle := self._find(known):
                os.close(handle)
                if list(flags) != known.get("flags", []) and flags:
                    raise ClusterError(f"cluster {self.name} runs with other flags: end it first (--keep-data)")
                self._wait_until_ready(end_s)
                return False
            process = self._start(flags or known.get("flags", []), known.get("port", 0))
            try:
                self._wait_until_ready(end_s, process)
            except BaseException:
                process.terminate()
                process.wait()
                raise
            return True

    def down(self, *, keeps_data: bool) -> None:
        """Return when the process has ended and, unless they are kept, its data are gone."""
        with self.locked():
            if handle := self._find(self._read()):
                try:
                    _end(handle)
                finally:
                    os.close(handle)
            if not keeps_data:
                shutil.rmtree(self.data_dir, ignore_errors=True)
                shutil.rmtree(self.state_dir, ignore_errors=True)

    @property
    def is_running(self) -> bool:
        handle = self._find(self._read())
        if handle:
            os.close(handle)
        return handle is not None

    @property
    def page(self) -> Path | None:
        """The file with the address of its live page; None: it has none."""
        from quarterdeck.livepage.address import FILE

        flags = self._read().get("flags", [])
        return self.data_dir / FILE if any(each == "--ui" or each.startswith("--ui=") for each in flags) else None

    def describe(self) -> dict[str, Any]:
        port = self._read().get("port", 0)
        status = "Running" if self.is_running else "Stopped"
        return {
            "name": self.name,
            "status": status,
            "server": f"https://127.0.0.1:{port}",
            "dataDir": str(self.data_dir),
        }

    def _start(self, flags: Sequence[str], port: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-m", "quarterdeck", "serve", "--data-dir", str(self.data_dir)]
        command += [f"--secure-port={port}", *flags]
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )
        self._write(process.pid, port, flags)
        return process

    def _wait_until_ready(self, end_s: float, process: subprocess.Popen[bytes] | None = None) -> None:
        while not self._is_ready(process):
            if process is not None and process.poll() is not None:
                raise ClusterError(f"cluster {self.name} did not start: {self._read_log()}", process.returncode)
            if time.monotonic() > end_s:
                raise ClusterError(f"cluster {self.name} is not ready in time: {self._read_log()}")
            time.sleep(_LOOK_S)

    def _is_ready(self, process: subprocess.Popen[bytes] | None) -> bool:
        if process is not None:
            match = _READY.search(self._read_log())
            if match is None:
                return False
            known = self._read()
            if known.get("port") != int(match[1]):
                self._write(process.pid, int(match[1]), known.get("flags", []))
        try:
            client = Client(load(self.kubeconfig))
            try:
                return client.call("GET", "/readyz")[0] == 200
            finally:
                client.close()
        except (KubeconfigError, RequestError, OSError):
            return False

    def _read_log(self) -> str:
        try:
            return self.log.read_text(errors="replace")[-_LOG_TAIL:]
        except FileNotFoundError:
            return ""

    def _read(self) -> dict[str, Any]:
        try:
            known = json.loads((self.state_dir / "process").read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def _write(self, process_id: int, port: int, flags: Sequence[str]) -> None:
        known = {"pid": process_id, "started": _started(process_id), "port": port, "flags": list(flags)}
        temporary = self.state_dir / f".process.{os.getpid()}"
        temporary.write_text(json.dumps(known))
        temporary.replace(self.state_dir / "process")

    def _find(self, known: dict[str, Any]) -> int | None:
        """A handle of the process, which the caller closes; None: it does not run."""
        try:
            handle = os.pidfd_open(known["pid"])
        except (KeyError, OSError):
            return None
        if _started(known["pid"]) == known["started"] and not select.select([handle], [], [], 0)[0]:
            return handle
        os.close(handle)
        return None


def find_all() -> list[Cluster]:
    folder = data_home() / "clusters"
    names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.exists() else []
    return [Cluster(name) for name in names if _NAME.fullmatch(name)]


def _end(handle: int) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            signal.pidfd_send_signal(handle, number)
        except ProcessLookupError:
            return
        if select.select([handle], [], [], _STOP_S)[0]:
            return
    raise ClusterError("the process does not end")


def _started(process_id: int) -> int:
    """In ticks since the machine's start; 0: there is no such process."""
    try:
        text = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return 0
    return int(text.rsplit(")", 1)[1].split()[19])
