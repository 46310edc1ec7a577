"""Field selectors: `metadata.name=x,spec.nodeName!=y`, with upstream's escapes and error texts.

A backslash lets a value hold `\\`, `,` and `=`. Which fields a resource knows is its own matter: `check_supported` and
`check_metadata_only` give the two texts that upstream has for the others.

Source: apimachinery/pkg/fields/selector.go; apimachinery/pkg/runtime/conversion.go.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.requirements import EQUALS, NOT_EQUALS, SelectorError, check_terms

METADATA_NAME: Final = "metadata.name"
METADATA_NAMESPACE: Final = "metadata.namespace"

_find_operator = re.compile("!=|==|=").search


class Requirement(NamedTuple):
    """`operator` is = or !=."""

    field: str
    operator: str
    value: str

    def matches(self, fields: Mapping[str, str]) -> bool:
        """A field that the object does not have is the empty text."""
        return (fields.get(self.field, "") == self.value) == (self.operator == EQUALS)

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{escape(self.value)}"


@dataclass(frozen=True, slots=True)
class Selector:
    """All requirements must hold."""

    requirements: tuple[Requirement, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it matches everything."""
        return not self.requirements

    def matches(self, fields: Mapping[str, str]) -> bool:
        return all(requirement.matches(fields) for requirement in self.requirements)

    def exact_value(self, field: str) -> str | None:
        """The value that the field must have, if the selector says (upstream: RequiresExactMatch)."""
        for requirement in self.requirements:
            if requirement.field == field and requirement.operator == EQUALS:
                return requirement.value
        return None

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


EVERYTHING: Final = Selector()


def parse(text: str) -> Selector:
    """The selector of a query parameter. Raises SelectorError."""
    check_terms(text)
    requirements = []
    for term in sorted(_split_terms(text)):
        if not term:
            continue
        found = _split_term(term)
        if found is None:
            raise SelectorError(f"invalid selector: '{text}'; can't understand '{term}'")
        field, operator, value = found[0], found[1], unescape(found[2])
        if field or value:  # of no field, and no value, upstream asks nothing
            requirements.append(Requirement(field, NOT_EQUALS if operator == "!=" else EQUALS, value))
    return Selector(tuple(requirements)) if requirements else EVERYTHING


def _split_terms(text: str) -> list[str]:
    if "\\" not in text:
        return text.split(",")
    terms: list[str] = []
    start = 0
    is_escaped = False
    for position, char in enumerate(text):
        if is_escaped:
            is_escaped = False
        elif char == "\\":
            is_escaped = True
        elif char == ",":
            terms.append(text[start:position])
            start = position + 1
    terms.append(text[start:])
    return terms


def _split_term(term: str) -> tuple[str, str, str] | None:
    """(field, operator, value) at the first operator."""
    found = _find_operator(term)
    return (term[: found.start()], found[0], term[found.end() :]) if found is not None else None


def escape(value: str) -> str:
    """A value as it stands in a selector's text."""
    return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")


def unescape(value: str) -> str:
    """The value that stands so in a selector's text. Raises SelectorError."""
    out: list[str] = []
    is_escaped = False
    for char in value:
        if is_escaped:
            if char not in "\\,=":
                raise SelectorError(f"invalid field selector: invalid escape sequence: \\{char}")
            out.append(char)
            is_escaped = False
        elif char == "\\":
            is_escaped = True
        elif char in ",=":
            # Upstream prints the code point's number.
            raise SelectorError(f"invalid field selector: unescaped character in value: {ord(char)}")
        else:
            out.append(char)
    if is_escaped:
        raise SelectorError("invalid field selector: invalid escape sequence: \\")
    return "".join(out)


def check_supported(selector: Selector, supported: Collection[str], wording: str = "", version: str = "") -> None:
    """Raises SelectorError for the first field that is not among the supported ones. `wording`: what a kind says of it,
    with {quoted} or {label} for the field, and {version} for its own."""
    for requirement in selector.requirements:
        if (label := requirement.field) not in supported:
            said = wording or "field label not supported: {label}"
            raise SelectorError(said.format(label=label, quoted=gofmt.quote(label), version=version))


def check_metadata_only(selector: Selector) -> None:
    """The same for built-in types without fields of their own (DefaultMetaV1FieldSelectorConversion)."""
    known = (METADATA_NAME, METADATA_NAMESPACE)
    for requirement in selector.requirements:
        if requirement.field not in known:
            shown = ", ".join(map(gofmt.quote, known))
            raise SelectorError(f"{gofmt.quote(requirement.field)} is not a known field selector: only {shown}")
