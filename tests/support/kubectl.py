"""Real kubectl, as a process for each command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

KUBECTL = Path(sys.executable).with_name("kubectl")


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Kubectl:
    """`environment` is added to the process's own."""

    def __init__(self, kubeconfig: Path, home: Path) -> None:
        self._base = [str(KUBECTL), "--kubeconfig", str(kubeconfig), "--cache-dir", str(home / "cache")]

    def __call__(self, *arguments: str, stdin: str | None = None, code: int = 0) -> str:
        """What it printed; on its standard error where it is expected to fail."""
        done = self.run(*arguments, stdin=stdin)
        assert done.code == code, f"kubectl {' '.join(arguments)}: {done.code}\n{done.out}\n{done.err}"
        return done.out if code == 0 else done.err

    def run(self, *arguments: str, stdin: str | None = None, environment: dict[str, str] | None = None) -> Done:
        done = subprocess.run(
            [*self._base, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, **(environment or {})},
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen([*self._base, *arguments], stdout=subprocess.PIPE, text=True)

    def await_established(self, *names: str) -> None:
        """`kubectl wait` fails on a definition without conditions, with kube-apiserver as here: await some first."""
        self("wait", "--for=jsonpath={.status.conditions[0].type}", *names, "--timeout=60s")
        self("wait", "--for=condition=Established", *names, "--timeout=60s")
