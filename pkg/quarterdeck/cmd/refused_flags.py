"""Flags of kube-apiserver that touch security and that this server cannot honour: why, and which of their values ask
for nothing that is not so anyway.

Source of the names: `kube-apiserver --help`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final


def _refuse_given(reason: str) -> Callable[[str | None], str]:
    """Any value but the empty one, which is upstream's default."""
    return lambda value: "" if value == "" else reason


def _refuse_number(reason: str) -> Callable[[str | None], str]:
    """Any value but the empty one and 0, which is upstream's default."""
    return lambda value: "" if value in ("", "0") else reason


def _refuse_false(reason: str) -> Callable[[str | None], str]:
    """Any value but those that strconv.ParseBool takes for true; a flag without a value is true."""
    return lambda value: "" if value is None or value in ("1", "t", "T", "true", "TRUE", "True") else reason


def _unknown(value: str | None, known: frozenset[str]) -> list[str]:
    return [name for name in (part.strip() for part in (value or "").split(",")) if name and name not in known]


_RULES: Final[dict[str, Callable[[str | None], str]]] = {
    "admission-control": _refuse_given("give --enable-admission-plugins and --disable-admission-plugins instead"),
    "egress-selector-config-file": _refuse_given("nothing that the server sends goes through a proxy"),
    "max-connection-bytes-per-sec": _refuse_number("upgraded connections are not limited in bytes"),
    "service-account-lookup": _refuse_false("tokens are always compared with what they are bound to"),
    "service-account-signing-endpoint": _refuse_given("tokens are signed with a key in a file"),
}

REFUSED: Final = frozenset(_RULES)


def find_refusal(flag: str, value: str | None) -> str:
    """Why a flag cannot be taken with this value (None: without one); empty where it can, or is none of these."""
    rule = _RULES.get(flag)
    return rule(value) if rule is not None else ""
