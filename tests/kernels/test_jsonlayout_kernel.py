"""The kernel that tells whether YAML minds how JSON is laid out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import jsonlayout

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=25,
)


def key_of(length: int) -> str:
    """Of so many characters with its quotes."""
    return '"' + "k" * (length - 2) + '"'


@settings(max_examples=200, deadline=None)
@given(values, st.sampled_from([None, 0, 2]), st.booleans())
def test_what_is_written_as_usual_fits(value: object, indent: int | None, ascii_: bool) -> None:
    assert jsonlayout.fits_yaml(json.dumps(value, indent=indent, ensure_ascii=ascii_).encode())


@pytest.mark.parametrize("space", ["\n", " \r", "\r\n\t", " \n\n "])
def test_a_key_has_its_colon_in_its_line(space: str) -> None:
    assert not jsonlayout.fits_yaml(f'{{"a":1,"b"{space}:2}}'.encode())
    assert jsonlayout.fits_yaml(f'{{{space}"a" \t:{space}"b"{space}}}{space.rstrip(chr(9))}'.encode())


def test_a_key_has_its_colon_near() -> None:
    assert jsonlayout.fits_yaml(f"{{{key_of(1024)}:1}}".encode())
    assert not jsonlayout.fits_yaml(f"{{{key_of(1025)}:1}}".encode())
    assert not jsonlayout.fits_yaml(f"{{{key_of(1000)}{' ' * 25}:1}}".encode())
    assert not jsonlayout.fits_yaml(b'{"%b":1}' % (rb"\"" * 600))
    assert jsonlayout.fits_yaml(f'{{"a":[{key_of(5000)}],"b":{key_of(5000)}}}'.encode())


@pytest.mark.parametrize(
    ("end", "fits"), [("\t", True), ("\t\n", True), ("\n\t", False), ("\r \t\n", False), ("\n", True)]
)
def test_no_tab_stands_in_a_line_behind_the_last_value(end: str, fits: bool) -> None:
    assert jsonlayout.fits_yaml(f'{{"a":1}}{end}'.encode()) is fits
    assert jsonlayout.fits_yaml(f'{{"a":1{end}}}'.encode())


@pytest.mark.parametrize("text", [b"", b'"', b'"\\', b'{"a\\', b'{"a"', b":", b"\t", b"\n\t"])
def test_what_is_no_json_is_read_to_its_end_at_most(text: bytes) -> None:
    assert jsonlayout.fits_yaml(text) in (True, False)
