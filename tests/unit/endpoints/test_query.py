"""Queries as Go reads them, and the parameters that refuse a GET."""

import re
from pathlib import Path

import pytest

import quarterdeck
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints.handlers.get import check_export
from quarterdeck.endpoints.query import PARAMETERS, parse_query


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


def test_of_a_long_query_what_somebody_asks_for_is_kept():
    many = "&".join(f"p{number}=v" for number in range(10_000))
    query = f"limit=1&{many}&labelSelector=a%3Db&limit=2&%zz=1&watch"
    assert parse_query(query) == {"limit": ["1", "2"], "labelSelector": ["a=b"], "watch": [""]}


def test_every_parameter_that_somebody_asks_for_is_known():
    query = r"(?:query|parse_query\([\w.]+\))"
    asks = re.compile(
        rf'(?:first|parse_bool|parse_optional_bool|parse_optional_int)\({query}, "(\w+)"'
        rf'|{query}\.get\("(\w+)"|"(\w+)" in query\b'
    )
    sources = Path(quarterdeck.__file__).parent.rglob("*.py")
    asked = {next(filter(None, found)) for source in sources for found in asks.findall(source.read_text())}
    assert len(asked) > 15
    assert asked <= PARAMETERS
