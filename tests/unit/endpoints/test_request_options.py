"""Options of requests as their query names them."""

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import options


def test_an_empty_number_is_no_number():
    assert options.parse_optional_int({}, "limit") is None
    assert options.parse_optional_int({"limit": ["+5", "x"]}, "limit") == 5
    with pytest.raises(errors.BadRequest, match='ParseInt: parsing "": invalid syntax'):
        options.parse_optional_int({"limit": [""]}, "limit")


def test_a_field_manager_is_printable():
    with pytest.raises(errors.Invalid) as caught:
        options.parse_create_options({"fieldManager": ["é\x07"]})
    (cause,) = caught.value.details["causes"]
    assert cause["message"] == 'Invalid value: "é\\a": invalid character U+0007 (at position 2)'
