"""If-None-Match as Go reads it."""

from __future__ import annotations

import pytest

from quarterdeck.transport import etags


@pytest.mark.parametrize("header", ['"a"', 'W/"a"', '"b", "a"', ',, "b",W/"a"', "*", ' "a" and more', '"b" *'])
def test_a_client_knows_what_it_names(header: str) -> None:
    assert etags.is_known(header, '"a"')


@pytest.mark.parametrize("header", ["", "a", '"b"', '"a', "w/", 'w/"a"', 'b, "a"', ",", '"A"'])
def test_a_client_does_not_know_what_it_does_not_name(header: str) -> None:
    assert not etags.is_known(header, '"a"')
