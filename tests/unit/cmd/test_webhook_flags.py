"""Where services of webhooks are said to be."""

from __future__ import annotations

import argparse

import pytest

from quarterdeck.cmd import options
from quarterdeck.cmd.webhook_flags import parse_service_address
from quarterdeck.server.config import ServiceAddress


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("n/s=localhost:8443", ServiceAddress("n", "s", 0, "localhost", 8443)),
        ("n/s:443=127.0.0.1:1", ServiceAddress("n", "s", 443, "127.0.0.1", 1)),
        ("n/s:443=[::1]:9", ServiceAddress("n", "s", 443, "::1", 9)),
    ],
)
def test_an_address_of_a_service_is_read(text: str, address: ServiceAddress) -> None:
    assert parse_service_address(text) == address


@pytest.mark.parametrize("text", ["", "s=a:1", "n/s", "n/s=a", "n/s=a:0", "n/s=a:70000", "n/s:70000=a:1", "n/s=::1:1"])
def test_another_text_is_no_address(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        parse_service_address(text)


def test_flag_arrives() -> None:
    flags = ["--webhook-service-address=n/s=a:1", "--webhook-service-address=n/t:2=a:3"]
    arguments = options.build_parser().parse_args(["serve", "--data-dir", "/d", *flags])
    assert [each.name for each in options.build_config(arguments).webhook_services] == ["s", "t"]
