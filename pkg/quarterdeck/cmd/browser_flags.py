"""Flags for browsers. Source: apiserver/pkg/server/options/server_run_options.go, whose errors these are."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final

from quarterdeck.cmd.values import split_csv

_ORIGINS: Final = "--cors-allowed-origins"
_DIRECTIVES: Final = "--strict-transport-security-directives"
# A pattern that says nothing of where a host begins and ends is fit by other hosts, too (CVE-2022-1996).
_BEGINS: Final = ("^", "//")
_ENDS: Final = ("$", ":")
_KNOWN: Final = ("includeSubDomains", "preload")


def add(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add(
        _ORIGINS,
        action="append",
        default=[],
        metavar="PATTERN,…",
        help="pages of these origins may read answers: patterns with ^ or // before a host, and $ or : behind it",
    )
    add(
        _DIRECTIVES,
        action="append",
        default=[],
        metavar="DIRECTIVE,…",
        help="browsers are told to use TLS: max-age=SECONDS, includeSubDomains, preload",
    )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of Config. Raises ValueError."""
    origins = _split(arguments.cors_allowed_origins)
    directives = _split(arguments.strict_transport_security_directives)
    for origin in origins:
        _check_origin(origin)
    for directive in directives:
        _check_directive(directive)
    return {"allowed_origins": origins, "transport_security": directives}


def _split(given: Sequence[str]) -> tuple[str, ...]:
    """Flags of one name add up; one without a value says nothing. A pattern with commas stands in double quotes."""
    return tuple(part for text in given for part in split_csv(text))


def _check_origin(text: str) -> None:
    if not text:
        raise ValueError(f"empty value in {_ORIGINS}")
    from quarterdeck.apimachinery import patterns  # loads a library that few servers need

    try:
        patterns.compile_pattern(text)
    except patterns.PatternError as error:
        raise ValueError(f"{_ORIGINS} has an invalid regular expression: {error}") from error
    if not any(mark in text for mark in _BEGINS) or not any(mark in text for mark in _ENDS):
        raise ValueError(
            f"{_ORIGINS} has an invalid regular expression: regular expression does not pin to start/end of host in "
            "the origin header"
        )


def _check_directive(text: str) -> None:
    if not text.strip():
        raise ValueError("empty value in strict-transport-security-directives")
    name, *values = text.split("=")
    is_known = text in _KNOWN or (name == "max-age" and len(values) == 1)
    if not is_known or not (text.isascii() and text.isprintable()):
        raise ValueError(
            f"{_DIRECTIVES} invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see "
            "https://tools.ietf.org/html/rfc6797#section-6.1 for more information"
        )
