"""Addresses as long as a head: their cost is bounded before their parts are made."""

import pytest

from quarterdeck.endpoints.request_info import build_request_info
from quarterdeck.transport.bodies import accepts_gzip

THINGS = "/apis/example.com/v1/namespaces/a/things"


def test_of_a_long_path_the_end_is_one_part() -> None:
    address = build_request_info("GET", f"{THINGS}/b/status" + "/.." * 100_000, "").address
    assert (address.resource, address.name, address.subresource) == ("things", "b", "status")
    assert len(address.parts) < 20


@pytest.mark.parametrize(
    ("query", "verb"),
    [
        ("watch", "watch"),
        ("watch=", "watch"),
        ("watch=1&watch=0", "watch"),
        ("a=watch&watch=FALSE", "list"),
        ("watch=0&watch=1", "list"),
        ("rewatch=1", "list"),
        ("watches=1", "list"),
        ("a=watch=1", "list"),
        ("a=b&" * 100_000 + "watch=true", "watch"),
        ("watch=%30", "list"),
        ("watch=%66alse", "list"),
        ("watch=%zz", "list"),
        ("watch=1;", "list"),
        ("wat%63h=1", "watch"),
        ("a=%20&watch", "watch"),
    ],
)
def test_the_first_watch_parameter_makes_a_watch_of_a_list(query: str, verb: str) -> None:
    assert build_request_info("GET", THINGS, query).verb == verb


@pytest.mark.parametrize(
    ("header", "accepts"),
    [
        ("gzip", True),
        ("br , gzip\t,x", True),
        ("gzip;q=1", False),
        ("x-gzip", False),
        ("gzip x", False),
        ("", False),
        ("x," * 100_000 + "gzip", True),
        (" " * 100_000, False),
    ],
)
def test_the_bare_token_alone_asks_for_gzip(header: str, accepts: bool) -> None:
    assert accepts_gzip(header) is accepts
