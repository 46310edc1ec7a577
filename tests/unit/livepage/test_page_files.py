"""The page's files: small, whole, without a way by which a text becomes markup or anything is fetched elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quarterdeck.livepage import files

FOLDER = Path(files.__file__).with_name("page")
NAMES = sorted(path.name for path in FOLDER.iterdir())
LINES_MAX = 200
BYTES_MAX = 100_000
_MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|javascript:")
_IMPORT = re.compile(r'from "\./([\w.]+)"')
_ELSEWHERE = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|\bimport\(|url\(")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_served_as_what_it_is(name: str) -> None:
    served = files.load()["/" if name == "index.html" else f"/{name}"].respond()
    headers = dict(served.headers)
    assert served.body == (FOLDER / name).read_bytes()
    assert headers["X-Content-Type-Options"] == "nosniff"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    kind = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
    assert headers["Content-Type"].startswith(kind[name.rpartition(".")[2]])


@pytest.mark.parametrize("name", NAMES)
def test_a_file_makes_no_markup_of_texts_and_fetches_nothing_elsewhere(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert _MARKUP.findall(text) == []
    assert _ELSEWHERE.findall(text) == []


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".js")])
def test_a_script_is_short_and_imports_what_there_is(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert text.count("\n") <= LINES_MAX
    assert set(_IMPORT.findall(text)) <= set(NAMES)


def test_every_script_is_used() -> None:
    used = {found for path in FOLDER.glob("*.js") for found in _IMPORT.findall(path.read_text())} | {"main.js"}
    assert {path.name for path in FOLDER.glob("*.js")} == used


def test_the_page_has_no_script_or_style_of_its_own() -> None:
    text = (FOLDER / "index.html").read_text()
    assert "<style" not in text and " style=" not in text and not re.search(r"\son\w+=", text)
    assert re.findall(r"<script[^>]*>([^<]*)</script>", text) == [""]


def test_the_page_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= BYTES_MAX
