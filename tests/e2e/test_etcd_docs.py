"""The commands of docs/etcd.md, run as they stand there: two servers on one etcd, and copies of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import etcd
from support.kubectl import KUBECTL
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e
PAGE = Path(__file__).resolve().parents[2] / "docs" / "etcd.md"


def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    script = tmp_path / "quarterdeck"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m quarterdeck "$@"\n')
    script.chmod(0o755)
    (tmp_path / "kubectl").symlink_to(KUBECTL)
    serving: list[subprocess.Popen[bytes]] = []
    with etcd.cluster() as cluster:
        environment = os.environ | {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "ETCD": ",".join(cluster.urls),
            "SHARED": "--secure-port=0",
            "KUBECONFIG": str(tmp_path / "one" / "admin.kubeconfig"),
        }

        def run(command: str) -> subprocess.CompletedProcess[str]:
            line = ["bash", "-c", command]
            return subprocess.run(
                line, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )

        try:
            for command in re.findall(r"(?m)^ {4}\$ (.+)$", PAGE.read_text()):
                if command.endswith(" &"):
                    line = ["bash", "-c", f"exec {command[:-2]}"]
                    serving.append(subprocess.Popen(line, env=environment, cwd=tmp_path))
                    continue
                end = time.monotonic() + PATIENCE_S
                while (done := run(command)).returncode and time.monotonic() < end and "kubectl" in command:
                    time.sleep(0.2)  # the servers are not there yet
                assert done.returncode == 0, f"{command}: {done.stderr}"
            told = run("kubectl get endpoints --namespace default kubernetes --output name")
            assert told.stdout == "endpoints/kubernetes\n"
        finally:
            for process in serving:
                process.terminate()
            for process in serving:
                process.wait()
    assert len(serving) == 2
