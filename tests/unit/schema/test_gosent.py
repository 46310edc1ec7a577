"""What Go tells from what it reads back, by how it was sent."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.schema.gosent import is_read_otherwise
from quarterdeck.schema.gotype import ANY, BYTES, MICRO_TIME, QUANTITY, STRING, TIME, Field, ListOf, MapOf, Struct

_INNER = Struct("Inner", {"names": Field(ListOf(STRING)), "name": Field(STRING)})
_LIMITED = Struct("Limited", {"value": Field(QUANTITY), "most": Field(QUANTITY, pointer=True)})
_STRUCT = Struct(
    "Outer",
    {
        "amounts": Field(MapOf(QUANTITY)),
        "most": Field(QUANTITY, pointer=True),
        "options": Field(ListOf(QUANTITY)),
        "by_name": Field(MapOf(_LIMITED)),
        "list": Field(ListOf(_INNER)),
        "to": Field(_INNER, pointer=True),
        "bytes": Field(BYTES),
        "time": Field(TIME),
        "micro": Field(MICRO_TIME),
        "any": Field(ANY),
    },
)


@pytest.mark.parametrize(
    "sent",
    [
        {"amounts": {}},
        {"list": []},
        {"list": [{"name": "a"}, {"names": []}]},
        {"to": {"names": []}},
        {"bytes": ""},
        {"amounts": {"cpu": "1000m"}},
        {"amounts": {"cpu": "0.5"}},
        {"amounts": {"memory": "1024Mi"}},  # 1Gi keeps its text
        {"amounts": {"cpu": 1000}},  # 1k is stored
        {"most": "8Gi"},  # whose text the live object has noted
        {"options": ["1Gi", "8Gi"]},
        {"by_name": {"a": {"most": "16Mi"}}},
        {"time": "2020-01-01T00:00:00.5Z"},
        {"micro": "2020-01-01T00:00:00.1234567Z"},
    ],
)
def test_is_told_from_what_is_stored(sent: dict[str, Any]) -> None:
    assert is_read_otherwise(sent, _STRUCT)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"to": {}},
        {"list": None, "amounts": None, "bytes": None, "time": None},
        {"list": [{"names": ["a"], "name": ""}]},
        {"bytes": "YQ=="},
        {"amounts": {"cpu": "500m", "memory": "1Gi", "pods": 1, "zero": "0"}},
        {"amounts": {"memory": "8192Mi"}},  # neither this nor 8Gi keeps its text
        {"most": "1Gi", "options": ["1", "500m", "0"]},
        {"by_name": {"a": {"value": "8Gi", "most": "1Gi"}}},
        {"time": "2020-01-01T00:00:00Z"},
        {"time": "2020-01-01T01:00:00.000+01:00"},
        {"micro": "2020-01-01T00:00:00.123456Z"},
        {"any": []},
        {"any": {"x": {}}},
        {"unknown": []},
        {"amounts": {"cpu": "no amount"}},  # which decoding refuses
    ],
)
def test_is_the_same_as_what_is_stored(sent: dict[str, Any]) -> None:
    assert not is_read_otherwise(sent, _STRUCT)
