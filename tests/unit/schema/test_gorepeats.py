"""What Go makes of members that stand more than once."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apiextensions.types import CUSTOM_RESOURCE_DEFINITION
from quarterdeck.apimachinery.codec import json, strict
from quarterdeck.schema import gorepeats, gotypes
from quarterdeck.schema.gotype import ANY, INT64, STRING, Field, ListOf, MapOf, Struct, Union

POD = gotypes.object_of("v1", "Pod")
MAPS = gotypes.object_of("v1", "ConfigMap")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"data":{"a":"1"},"data":{"b":"2"}}', {"data": {"a": "1", "b": "2"}}),
        ('{"data":{"a":"1"},"data":{"a":"2"}}', {"data": {"a": "2"}}),
        ('{"data":{"a":"1"},"data":null}', {"data": None}),
        ('{"data":{"a":"1","a":null}}', {"data": {"a": None}}),
        (
            '{"metadata":{"name":"a"},"metadata":{"labels":{"b":"c"}}}',
            {"metadata": {"name": "a", "labels": {"b": "c"}}},
        ),
        ('{"metadata":{"name":"a"},"metadata":null}', {"metadata": {"name": "a"}}),
        ('{"metadata":{"name":"a"},"metadata":{"name":null}}', {"metadata": {"name": "a"}}),
        ('{"immutable":true,"immutable":null}', {"immutable": None}),
        ('{"data":5,"data":{"a":"1"}}', {"data": 5}),
        ('{"data":{"a":5},"data":{"a":"1"}}', {"data": {"a": 5}}),
        ('{"data":{"a":5},"data":null}', {"data": {"a": 5}}),
        ('{"data":{"a":5,"a":"1"}}', {"data": {"a": 5}}),
        ('{"data":{"a":[],"a":"1"}}', {"data": {"a": []}}),
        ('{"immutable":5,"immutable":null,"immutable":true}', {"immutable": 5}),
        ('{"unknown":{"a":1},"unknown":{"b":2}}', {"unknown": {"b": 2}}),
        ('{"data":{"a":"1"},"other":{"a":1,"a":2}}', {"data": {"a": "1"}, "other": {"a": 2}}),
    ],
)
def test_each_is_decoded_into_what_those_before_it_made(text: str, expected: dict[str, Any]) -> None:
    assert gorepeats.read(text.encode(), MAPS) == expected


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ('[{"image":"k"}]', [{"name": "a", "image": "k"}]),
        ('[{"image":"k"},{"name":"c"},{"name":"d"}]', [{"name": "a", "image": "k"}, {"name": "c"}, {"name": "d"}]),
        ("[]", []),
        ("null", None),
        ('[{"ports":[{"hostPort":"x"}],"ports":null}]', [{"name": "a", "image": "i", "ports": [{"hostPort": "x"}]}]),
        (
            '[{"ports":[{},{"hostPort":"x"}],"ports":[{}]}]',
            [{"name": "a", "image": "i", "ports": [{}, {"hostPort": "x"}]}],
        ),
        (
            '[{"lifecycle":{"preStop":{"exec":5}},"lifecycle":{"preStop":null}}]',
            [{"name": "a", "image": "i", "lifecycle": {"preStop": {"exec": 5}}}],
        ),
        (
            '[{"resources":{"limits":{"cpu":"1"}}}]',
            [{"name": "a", "image": "i", "resources": {"limits": {"cpu": "1"}}}],
        ),
    ],
)
def test_items_of_a_list_are_decoded_into_those_at_their_places(second: str, expected: Any) -> None:
    first = '[{"name":"a","image":"i"},{"name":"b"}]' if second != '[{"image":"k"},{"name":"c"},{"name":"d"}]' else (
        '[{"name":"a","image":"i"}]'
    )  # fmt: skip
    text = f'{{"spec":{{"containers":{first}}},"spec":{{"containers":{second}}}}}'
    assert gorepeats.read(text.encode(), POD) == {"spec": {"containers": expected}}


def test_what_reads_json_itself_is_the_last() -> None:
    text = '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"%s":%s,"%s":%s}}}]}}'
    for name, first, last, expected in [
        ("default", '{"a":1}', '{"b":2}', {"b": 2}),
        ("items", '{"type":"string"}', '{"title":"x"}', {"title": "x"}),
        ("properties", '{"a":{"type":"string"}}', '{"a":{"title":"x"}}', {"a": {"title": "x"}}),
        ("not", '{"type":"string"}', '{"title":"x"}', {"type": "string", "title": "x"}),
    ]:
        (version,) = gorepeats.read((text % (name, first, name, last)).encode(), CUSTOM_RESOURCE_DEFINITION)["spec"][
            "versions"
        ]
        assert version["schema"]["openAPIV3Schema"] == {name: expected}


def test_numbers_are_those_of_go() -> None:
    struct = Struct("X", {"a": Field(gotypes.named_struct("meta", "ObjectMeta"))})
    found = gorepeats.read(b'{"n":9223372036854775808,"n":9223372036854775807,"m":1,"m":9223372036854775808}', struct)
    assert found == {"n": 2**63 - 1, "m": 2.0**63}
    assert isinstance(found["m"], float)


@pytest.mark.parametrize("text", ['{"data":{}}', "[" * 5000 + "]" * 5000, '{"a":"\\ud800","a":"\xff"}'])
def test_there_is_nothing_to_tell_of_other_texts(text: str) -> None:
    assert gorepeats.read(text.encode("latin-1"), MAPS) is None


def test_nothing_is_told_of_what_stands_twice_in_what_reads_itself() -> None:
    inner = Struct("Inner", {"any": Field(ANY), "n": Field(INT64)})
    struct = Struct(
        "S",
        {
            "raw": Field(ANY),
            "list": Field(ListOf(inner)),
            "map": Field(MapOf(inner)),
            "plain": Field(MapOf(STRING)),
            "or": Field(Union(inner, list_of=inner)),
        },
    )
    twice = '{"a":1,"a":2}'
    text = (
        f'{{"raw":{twice},"list":[{{"any":[{twice}],"n":1,"n":2}}],"map":{{"k":{{"any":{twice},"n":1,"n":2}}}},'
        f'"plain":{twice},"or":{{"n":1,"n":2}},"raw":{twice}}}'
    ).encode()
    found = strict.order_findings(text, json.decode(text).strict_errors, [], 100, struct, gorepeats.below)
    assert found == [f'duplicate field "{path}"' for path in ("list[0].n", "map.k.n", "plain.a", "raw")]
