"""The page's address lasts as long as its file, and a file that is none is as good as no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.livepage import address


def test_what_was_written_is_read(tmp_path: Path) -> None:
    made = address.read(tmp_path)._replace(port=40123)
    (tmp_path / address.FILE).write_text(f"{made.url}\n")
    assert address.read(tmp_path) == made


def test_each_new_address_has_a_token_of_its_own(tmp_path: Path) -> None:
    tokens = {address.read(tmp_path).token for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) == 43 for token in tokens)


@pytest.mark.parametrize(
    "text",
    ["", "\xff", "http://127.0.0.1:1/#token=short\n", f"http://example.com:1/#token={'t' * 43}\n", "\n" * 1000],
)
def test_what_is_no_address_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / address.FILE).write_bytes(text.encode("latin-1"))
    assert address.read(tmp_path).port == 0
