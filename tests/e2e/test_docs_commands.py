"""The commands that the pages for test authors show, run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ["envtest.md", "named-servers.md"]

pytestmark = pytest.mark.e2e


def commands(page: str) -> list[str]:
    return re.findall(r"(?m)^ {4}\$ (.+)$", (DOCS / page).read_text())


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    script = tmp_path / "quarterdeck"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m quarterdeck "$@"\n')
    script.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    environment |= dict.fromkeys(("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), "")
    found = commands(page)
    assert found
    text = "set -e\n" + "\n".join(found)
    done = subprocess.run(
        ["bash", "-c", text], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
