"""Queries as Go reads them, and the parameters that refuse a GET."""

import pytest

from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints.handlers.get import check_export
from quarterdeck.endpoints.query import parse_query


@pytest.mark.parametrize(
    "text, query",
    [
        ("a=1&a=2&b", {"a": ["1", "2"], "b": [""]}),
        ("a+b=c%20d", {"a b": ["c d"]}),
        ("labelSelector=%", {}),
        ("%zz&a=%4&b=%41", {"b": ["A"]}),
        ("a=b;c=d&e=f", {"e": ["f"]}),
        ("=&&", {"": [""]}),
    ],
)
def test_pairs_with_bad_escapes_and_semicolons_are_dropped(text, query):
    assert parse_query(text) == query


@pytest.mark.parametrize("query", ["export", "export=", "export=true", "export=x", "export=1&export=0"])
def test_an_export_is_refused(query):
    with pytest.raises(BadRequest, match="no longer supported"):
        check_export(parse_query(query))


@pytest.mark.parametrize("query", ["", "export=0", "export=FALSE", "exact=true"])
def test_other_gets_are_not(query):
    check_export(parse_query(query))
