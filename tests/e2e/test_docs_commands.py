"""The commands that the pages for users show, run as they stand there: lines that begin with `$`, one after the other.

What a page calls `NAME.py`, `.yaml` or `.csv` before a block of code is such a file, there before the first command.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from support.kubectl import KUBECTL
from support.waiting import PROCESS_PATIENCE_S

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [
    "control-plane.md",
    "envtest.md",
    "load-test.md",
    "named-servers.md",
    "test-an-operator.md",
    "virtual-clock.md",
]

pytestmark = pytest.mark.e2e


def commands(page: str) -> list[str]:
    return re.findall(r"(?m)^ {4}\$ (.+)$", (DOCS / page).read_text())


def files(page: str) -> dict[str, str]:
    found = re.findall(r"`([\w-]+\.(?:py|yaml|csv))`:\n\n((?: {4}.*\n|\n)+)", (DOCS / page).read_text())
    return {name: textwrap.dedent(text).strip() + "\n" for name, text in found}


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    programs, work = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    work.mkdir()
    for name, line in (("quarterdeck", f"{sys.executable} -m quarterdeck"), ("python", sys.executable)):
        (programs / name).write_text(f'#!/bin/sh\nexec {line} "$@"\n')
        (programs / name).chmod(0o755)
    (programs / "kubectl").symlink_to(KUBECTL)
    for name, content in files(page).items():
        (work / name).write_text(content)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    environment |= dict.fromkeys(("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "PYTEST_ADDOPTS"), "")
    found = commands(page)
    assert found
    text = "set -e -o pipefail\n" + "\n".join(found)
    try:
        done = subprocess.run(
            ["bash", "-c", text],
            env=environment,
            cwd=work,
            capture_output=True,
            text=True,
            timeout=PROCESS_PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    finally:
        ended = 'for name in $(quarterdeck list -o name); do quarterdeck down "$name"; done'
        subprocess.run(["bash", "-c", ended], env=environment, cwd=work, timeout=60, check=False)


def test_pages_for_users_are_named_in_the_readme() -> None:
    readme = DOCS.with_name("README.md").read_text()
    assert [page.name for page in DOCS.glob("*.md") if f"docs/{page.name}" not in readme] == []
