"""A number in a refusal is told as it was sent."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints import delete_options, numbers
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.transport.messages import ConnectionInfo, Request


@pytest.mark.parametrize(
    ("shown", "body", "expected"),
    [
        ("1e+20", b'{"a":1,"b":99999999999999999999}', "99999999999999999999"),
        ("1.5", b'{"a":1.50}', "1.50"),
        ("7", b'{"a":7}', "7"),
        ("1000.0", b'{"a\\"1e3":"1E3","b":1e03,"c":1e3}', "1e03"),
        ("1e+20", b"{}", "1e+20"),
        ("1.0", b'{"a":1,"b":0.1e1,"c":1.0}', "0.1e1"),  # a float is none of the integers
    ],
)
def test_the_first_number_of_that_value_is_named(shown: str, body: bytes, expected: str) -> None:
    told = numbers.as_sent(BadRequest(f"json: cannot unmarshal number {shown} into Go struct field A.b"), body)
    assert told.message == f"json: cannot unmarshal number {expected} into Go struct field A.b"


@pytest.mark.parametrize(
    ("shown", "body", "expected"),
    [
        ("1e+20", b"a: 1e20", "100000000000000000000"),
        ("1e+21", b"a: 1e21", "1e+21"),
        ("1e-07", b"a: 1e-7", "1e-7"),
        ("1.5", b"a: 1.50", "1.5"),
        ("1.8446744073709552e+19", b"a: 18446744073709551616", "18446744073709552000"),
        ("1.8446744073709552e+19", b"a: 18446744073709551615", "18446744073709551615"),
        ("1.8446744073709552e+19", b"a: 0xFFFF_FFFF_FFFF_FFFF", "18446744073709551615"),
        ("1.8446744073709552e+19", b"a: 1777777777777777777777", "18446744073709552000"),
        ("1.8446744073709552e+19", b"a: 01777777777777777777777", "18446744073709551615"),
        ("7", b"a: 7.0", "7"),
    ],
)
def test_a_number_of_a_body_in_yaml_is_shown_as_go_writes_it(shown: str, body: bytes, expected: str) -> None:
    told = numbers.as_json(BadRequest(f"json: cannot unmarshal number {shown} into Go value"), body)
    assert told.message == f"json: cannot unmarshal number {expected} into Go value"


@pytest.mark.parametrize(
    ("media_type", "number", "shown"),
    [
        ("application/json", "9223372036854775808", "9223372036854775808"),
        ("application/json", "1.50", "1.50"),
        ("application/json", "1e400", "1e400"),
        ("application/yaml", "9223372036854775808", "9223372036854775808"),
        ("application/yaml", "1.50", "1.5"),
    ],
)
def test_options_of_a_deletion_tell_numbers_as_sent(media_type: str, number: str, shown: str) -> None:
    http = Request(
        "DELETE",
        "/api/v1/namespaces/a/pods/b",
        "",
        {"content-type": media_type},
        b'{"x":1e400,"gracePeriodSeconds":%b}' % number.encode(),
        ConnectionInfo("", is_secure=True),
    )
    with pytest.raises(BadRequest) as refused:
        delete_options.read(RequestContext(http, "", 0.0), {})
    into = "Go struct field DeleteOptions.gracePeriodSeconds of type int64"
    assert refused.value.message == f"json: cannot unmarshal number {shown} into {into}"
