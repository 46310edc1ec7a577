"""A real server process for tests: its own data directory, free ports, stopped at the end."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from support.ports import free_port
from support.waiting import PATIENCE_S, wait_for

_READY = re.compile(
    r"ready after (?P<seconds>[\d.]+) s: https://(?P<host>[^:]+):(?P<secure>\d+)(?: http://[^:]+:(?P<plain>\d+))?"
)
_START_S = 120.0
_CRASH_LOG_MAX = 20_000
_MISMATCH = "the watch cache differs from the store"
_SIGNALS_OF_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)


class NotStarted(RuntimeError):
    """The server ended, or was not ready in time. `code`: its exit code, None where it still runs; `text`: its log."""

    def __init__(self, code: int | None, text: str) -> None:
        super().__init__(f"the server did not start: {text}")
        self.code = code
        self.text = text


class Server:
    """`data_dir` None: a new one, gone with the server. A server whose cache differs from its store fails its test, and
    so does one that crashed, while it served or as it ended: it tells where it was. `checks_memory`: the server crashes
    where it frees memory twice or writes beside it (Python's debugging allocator, which takes a little time).
    `keeps_port`: its secure port is the same at each start, so that clients find it again."""

    # Flags of every server; tests/conftest.py has the cache compared with the store all the time.
    common_flags: tuple[str, ...] = ()
    # What the interpreter is told to run.
    program: tuple[str, ...] = ("-m", "quarterdeck")

    def __init__(
        self, data_dir: Path | None = None, *flags: str, checks_memory: bool = False, keeps_port: bool = False
    ) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="quarterdeck-") if data_dir is None else None
        self.data_dir = data_dir or Path(self._temporary.name if self._temporary else "") / "data"
        self._flags = flags
        self._environment = os.environ | {"PYTHONFAULTHANDLER": "1"}
        if checks_memory:
            self._environment["PYTHONMALLOC"] = "debug"
        self._secure_port_wanted = free_port() if keeps_port else 0
        # The server appends through a handle of its own: one that is shared would be moved by whoever reads.
        self._log = tempfile.NamedTemporaryFile(  # noqa: SIM115
            mode="r", prefix="quarterdeck-", suffix=".log", errors="replace"
        )
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        command = [sys.executable, *self.program, "serve", "--data-dir", str(self.data_dir)]
        command += ["--secure-port", str(self._secure_port_wanted), "--insecure-port", "auto"]
        command += [*self.common_flags, *self._flags]
        begin = self._log.seek(0, os.SEEK_END)
        with Path(self._log.name).open("a") as written:
            self._process = subprocess.Popen(command, stdout=written, stderr=written, text=True, env=self._environment)
        end = time.monotonic() + _START_S
        while True:
            text = self.log(begin)
            if match := _READY.search(text):
                break
            if self._process.poll() is not None or time.monotonic() > end:
                raise NotStarted(self._process.poll(), self.log(begin))
            time.sleep(0.02)
        self.ready_s = float(match["seconds"])
        self.secure_port, self.plain_port = int(match["secure"]), int(match["plain"])

    def wait_until_ready(self) -> None:
        """Until /readyz says so: a fresh server registers its versions while it serves already."""
        end = time.monotonic() + _START_S
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.plain_port, timeout=_START_S)
            connection.request("GET", "/readyz")
            status = connection.getresponse().status
            connection.close()
            if status == 200:
                return
            assert time.monotonic() < end, f"/readyz answers {status}"
            time.sleep(0.01)

    @property
    def kubeconfig(self) -> Path:
        return self.data_dir / "admin.kubeconfig"

    @property
    def process_id(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return None if self._process is None else self._process.poll()

    def log(self, begin: int = 0) -> str:
        self._log.seek(begin)
        return self._log.read()

    def wait_for_log(self, text: str) -> None:
        wait_for(lambda: text in self.log(), self.log)

    def kill(self) -> None:
        """As a power cut would: no chance to finish anything."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def terminate(self) -> int:
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(timeout=PATIENCE_S)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.kill()
        has_crashed = self.exit_code in [-number for number in _SIGNALS_OF_CRASHES]
        text = self.log()
        differences = [line for line in text.splitlines() if _MISMATCH in line]
        self._log.close()
        if self._temporary is not None:
            self._temporary.cleanup()
        assert not differences, differences
        assert not has_crashed, f"the server crashed ({self.exit_code}): {text[-_CRASH_LOG_MAX:]}"

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
