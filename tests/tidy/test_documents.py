"""Documents name what is there: their links, the map of the code, and the index of decisions lead to something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = ("bench", "docs", "ext", "packaging", "pkg", "profiling", "tests", "tools")
_PATHS = [*ROOT.glob("*.*"), *(path for folder in _FOLDERS for path in (ROOT / folder).rglob("*.*"))]
_FILES = [str(path.relative_to(ROOT)) for path in _PATHS]
_DOCUMENTS = [name for name in _FILES if name.endswith(".md")]
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_MENTION = re.compile(r"(?<![\w/.*-])((?:[\w-]+/)*[\w-]+\.(?:py|pyx|pxd|md|txt|ini))\b")
# Places where a file is to be made, for any group.
_PATTERNS = {"openapi/library/prose/GROUP.py", "registry/builtin/GROUP/resources.py"}


@pytest.mark.parametrize("document", _DOCUMENTS)
def test_links_lead_to_files(document: str) -> None:
    links = _LINK.findall((ROOT / document).read_text())
    missing = [link for link in links if "://" not in link and not (ROOT / document).parent.joinpath(link).exists()]
    assert not missing


def test_the_map_names_files_that_there_are() -> None:
    mentioned = set(_MENTION.findall((ROOT / "ARCHITECTURE.md").read_text())) - _PATTERNS
    assert not {name for name in mentioned if not any(f"/{file}".endswith(f"/{name}") for file in _FILES)}


def test_the_map_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    packages = {path.parent.name for path in (ROOT / "pkg/quarterdeck").glob("*/__init__.py")}
    assert not {name for name in packages if f"\n      {name}/" not in text}


def test_the_index_of_decisions_is_complete() -> None:
    decisions = ROOT / "docs/adr"
    expected = []
    for path in sorted(decisions.glob("[0-9]*.md")):
        number, _, title = path.read_text().splitlines()[0].removeprefix("# ").partition(". ")
        assert int(number) == int(path.name[:4])
        expected.append(f"| [{number}]({path.name}) | {title} |")
    rows = [line for line in (decisions / "README.md").read_text().splitlines() if line.startswith("| [")]
    assert rows == expected
