"""Semantic versions. Source: github.com/blang/semver/v4 and apiserver's pkg/cel/library/semverlib.go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.cel.digits import read_int
from quarterdeck.cel.memo import memoized
from quarterdeck.cel.values import CelErr

_DIGITS: Final = frozenset("0123456789")
_IDENTIFIER: Final = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
_UINT64_MAX: Final = (1 << 64) - 1


class _Fault(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Semver:
    """Build metadata has no part in order or equality."""

    numbers: tuple[int, int, int]
    prerelease: tuple[int | str, ...]
    build: tuple[str, ...] = field(compare=False, default=())

    cel_type: ClassVar[str] = "kubernetes.Semver"
    cel_unit_equality: ClassVar[bool] = True

    @property
    def go_string(self) -> str:
        prerelease = "-" + ".".join(map(str, self.prerelease)) if self.prerelease else ""
        build = "+" + ".".join(self.build) if self.build else ""
        return ".".join(map(str, self.numbers)) + prerelease + build


def _number(text: str, name: str) -> int:
    if not _DIGITS.issuperset(text):
        raise _Fault(f"Invalid character(s) found in {name} number {gofmt.quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise _Fault(f"{name.capitalize()} number must not contain leading zeroes {gofmt.quote(text)}")
    if not text:
        raise _Fault('strconv.ParseUint: parsing "": invalid syntax')
    if read_int(text) > _UINT64_MAX:
        raise _Fault(f"strconv.ParseUint: parsing {gofmt.quote(text)}: value out of range")
    return int(text)


def _prerelease(text: str) -> int | str:
    if not text:
        raise _Fault("Prerelease is empty")
    if _DIGITS.issuperset(text):
        if len(text) > 1 and text[0] == "0":
            raise _Fault(f"Numeric PreRelease version must not contain leading zeroes {gofmt.quote(text)}")
        if read_int(text) > _UINT64_MAX:
            raise _Fault(f"strconv.ParseUint: parsing {gofmt.quote(text)}: value out of range")
        return int(text)
    if _IDENTIFIER.issuperset(text):
        return text
    raise _Fault(f"Invalid character(s) found in prerelease {gofmt.quote(text)}")


def _parse(text: str) -> Semver:
    if not text:
        raise _Fault("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise _Fault("No Major.Minor.Patch elements found")
    major = _number(parts[0], "major")
    minor = _number(parts[1], "minor")
    body, plus, build = parts[2].partition("+")
    patch_text, dash, prerelease = body.partition("-")
    patch = _number(patch_text, "patch")
    marks = tuple([_prerelease(p) for p in prerelease.split(".")]) if dash else ()
    builds = tuple(build.split(".")) if plus else ()
    for b in builds:
        if not b:
            raise _Fault("Build meta data is empty")
        if not _IDENTIFIER.issuperset(b):
            raise _Fault(f"Invalid character(s) found in build meta data {gofmt.quote(b)}")
    return Semver((major, minor, patch), marks, builds)


def _normalize(text: str) -> str:
    """Without a leading v and leading zeroes, with three numbers."""
    parts = text.removeprefix("v").split(".", 2)
    for i, part in enumerate(parts):
        if len(part) > 1 or not part.isascii():
            stripped = part.lstrip("0")
            parts[i] = stripped if stripped and stripped[0] in _DIGITS else "0" + stripped
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise _Fault("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def to_semver(text: str, normalize: bool = False) -> object:
    return _read_loosely(text) if normalize else _read(text)


@memoized
def _read_loosely(text: str) -> object:
    try:
        return _parse(_normalize(text))
    except _Fault as fault:
        return CelErr(str(fault))


@memoized
def _read(text: str) -> object:
    try:
        return _parse(text)
    except _Fault as fault:
        return CelErr(str(fault))


def is_semver(text: str, normalize: bool = False) -> object:
    return type(to_semver(text, normalize)) is Semver


def _order(a: Semver, b: Semver) -> int:
    if a.numbers != b.numbers:
        return 1 if a.numbers > b.numbers else -1
    if not a.prerelease or not b.prerelease:
        return bool(b.prerelease) - bool(a.prerelease)
    for x, y in zip(a.prerelease, b.prerelease, strict=False):
        if x == y:
            continue
        if isinstance(x, int) and isinstance(y, int):
            return 1 if x > y else -1
        if isinstance(x, int) or isinstance(y, int):
            return -1 if isinstance(x, int) else 1
        return 1 if x > y else -1
    return (len(a.prerelease) > len(b.prerelease)) - (len(a.prerelease) < len(b.prerelease))


def compare_to(a: Semver, b: Semver) -> object:
    return _order(a, b)


def is_greater_than(a: Semver, b: Semver) -> object:
    return _order(a, b) > 0


def is_less_than(a: Semver, b: Semver) -> object:
    return _order(a, b) < 0


def _as_int(number: int) -> int:
    """Go's conversion from 64 bits without a sign."""
    return number - (1 << 64) if number >= 1 << 63 else number


def major(v: Semver) -> object:
    return _as_int(v.numbers[0])


def minor(v: Semver) -> object:
    return _as_int(v.numbers[1])


def patch(v: Semver) -> object:
    return _as_int(v.numbers[2])
