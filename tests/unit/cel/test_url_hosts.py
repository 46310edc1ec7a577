"""Hosts as net/url of Go 1.26 reads them, which refuses colons and brackets that older ones let through."""

import pytest

from quarterdeck.cel import environment

ENV = environment.Environment({})


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://a:80:80/", 'invalid port ":80:80" after host'),
        ("http://::1/", 'invalid port "::1" after host'),
        ("http://[abc]/", 'invalid host: ParseAddr("abc"): unable to parse IP'),
        ("http://[1.2.3.4]/", "invalid IP-literal"),
        ("http://a[::1]/", "invalid IP-literal"),
    ],
)
def test_malformed_hosts(url, fault):
    wanted = f'URL parse error during conversion from string: parse "{url}": {fault}'
    program = environment.compile_expression(f"url('{url}')", ENV)
    found = str(program) if isinstance(program, environment.Failure) else program.evaluate({}).error
    assert found is not None
    assert found.endswith(wanted)
    assert environment.compile_expression(f"isURL('{url}')", ENV).evaluate({}).value is False


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://[::1]:80/", "[::1]:80"),
        ("http://[fe80::1%25en0]/", "[fe80::1%en0]"),
        ("http://a:80/", "a:80"),
        ("http://a:/", "a:"),
        ("http://u:p@a:1/", "a:1"),
        ("mongodb://a:1,b:2/", "a:1,b:2"),
    ],
)
def test_well_formed_hosts(url, host):
    assert environment.compile_expression(f"url('{url}').getHost()", ENV).evaluate({}).value == host


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("HTTP://a/", "http://a/", True),
        ("http://a/é", "http://a/%C3%A9", True),
        ("http://a/#x", "http://a/#y", False),
        ("http://u@a/", "http://a/", False),
        ("http://a/?", "http://a/", False),
    ],
)
def test_urls_are_equal_where_go_writes_the_same(one, other, equal):
    expression = f"url('{one}') == url('{other}')"
    assert environment.compile_expression(expression, ENV).evaluate({}).value is equal
