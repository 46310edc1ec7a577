"""resourceVersions as clients write them: what is a number is read as strconv reads it, whatever its length."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery import errors, strconv
from quarterdeck.registry.revisions import parse_resource_version


@pytest.mark.parametrize(
    "text", ["0", "7", "007", "1" * 18, "9" * 18, "9" * 19, "0" * 40 + "1", "18446744073709551615"]
)
def test_a_revision_is_read_as_strconv_reads_it(text: str) -> None:
    assert parse_resource_version(text) == strconv.parse_uint(text) == int(text)


@pytest.mark.parametrize(
    "text", ["", "x", "1_0", " 1", "1 ", "+1", "-1", "1e3", "1.0", "١", "²", "18446744073709551616", "9" * 5000]
)
def test_what_is_none_is_told_as_strconv_tells_it(text: str) -> None:
    with pytest.raises(strconv.NumError) as expected:
        strconv.parse_uint(text)
    with pytest.raises(errors.Unreasoned) as refused:
        parse_resource_version(text)
    assert refused.value.message == str(expected.value)
