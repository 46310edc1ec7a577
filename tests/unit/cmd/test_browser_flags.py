"""Flags for browsers: what they take, and the words with which they refuse."""

from __future__ import annotations

import pytest

from quarterdeck.cmd import options
from quarterdeck.server.config import Config, ConfigError

ORIGINS = "--cors-allowed-origins"
DIRECTIVES = "--strict-transport-security-directives"


def read(*arguments: str) -> Config:
    given, _ = options.parse(["serve", "--data-dir=d", *arguments])
    return options.build_config(given)


def test_values_add_up() -> None:
    config = read(f"{ORIGINS}=//a\\.example$,^https://b(:|$)", ORIGINS, '"^https://c{1,2}:"', f"{DIRECTIVES}=preload")
    assert config.allowed_origins == ("//a\\.example$", "^https://b(:|$)", "^https://c{1,2}:")
    assert config.transport_security == ("preload",)
    assert read(f"{DIRECTIVES}=max-age=5,includeSubDomains").transport_security == ("max-age=5", "includeSubDomains")


def test_nothing_is_said_unless_it_is_asked_for() -> None:
    for config in (read(), read(f"{ORIGINS}=", f"{DIRECTIVES}=")):
        assert (config.allowed_origins, config.transport_security) == ((), ())


@pytest.mark.parametrize(
    ("flag", "value", "words"),
    [
        (ORIGINS, "example.com", "does not pin to start/end of host in the origin header"),
        (ORIGINS, "^example.com", "does not pin to start/end of host in the origin header"),
        (ORIGINS, "example.com$", "does not pin to start/end of host in the origin header"),
        (ORIGINS, "^(a$", "an invalid regular expression: error parsing regexp: missing closing ): `^(a$`"),
        (ORIGINS, "^a$,", "empty value in --cors-allowed-origins"),
        (ORIGINS, '"//a$', "unexpected end of data"),
        (ORIGINS, "//a$\n//b$", "new-line character"),
        (DIRECTIVES, "max-age=\u20ac", "allowed values: max-age=expireTime, includeSubDomains, preload"),
        (DIRECTIVES, "foo", "allowed values: max-age=expireTime, includeSubDomains, preload"),
        (DIRECTIVES, "max-age", "allowed values: max-age=expireTime, includeSubDomains, preload"),
        (DIRECTIVES, "max-age=1=2", "allowed values: max-age=expireTime, includeSubDomains, preload"),
        (DIRECTIVES, "max-age=1, ", "empty value in strict-transport-security-directives"),
    ],
)
def test_what_is_wrong_is_told(flag: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(f"{flag}={value}")
    assert words in str(caught.value)
