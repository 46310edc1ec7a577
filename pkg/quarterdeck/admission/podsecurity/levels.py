"""The levels that a namespace's labels ask for, or else the configuration.

Source: pod-security-admission/api/{constants,helpers}.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError

PREFIX: Final = "pod-security.kubernetes.io/"
LEVELS: Final = ("privileged", "baseline", "restricted")
MODES: Final = ("enforce", "audit", "warn")  # in the order of Policy
_VERSION_END: Final = 20  # longer ones are no numbers of 64 bits
_BAD_LEVEL: Final = f"must be one of {', '.join(LEVELS)}"
_BAD_VERSION: Final = 'must be "latest" or "v1.x"'

_version = re.compile(r"v1\.([0-9]|[1-9][0-9]*)\Z", re.ASCII).match


class LevelVersion(NamedTuple):
    level: str = "privileged"
    version: str = "latest"

    def __str__(self) -> str:
        return f"{self.level}:{self.version}"

    def is_like(self, other: LevelVersion) -> bool:
        """Whether both ask for the same: no version of nothing differs from another."""
        return self == other or self.level == other.level == LEVELS[0]

    @property
    def minor(self) -> int | None:
        """None for the latest."""
        found = _version(self.version)
        return int(found[1]) if found is not None else None


class Policy(NamedTuple):
    enforce: LevelVersion = LevelVersion()
    audit: LevelVersion = LevelVersion()
    warn: LevelVersion = LevelVersion()

    @property
    def is_privileged(self) -> bool:
        return all(each.level == "privileged" for each in self)


UNSAID: Final = Policy()


def parse(labels: Mapping[str, str], defaults: Policy = UNSAID) -> tuple[Policy, list[FieldError]]:
    """What cannot be read is as strict as can be where it is enforced, and nothing elsewhere."""
    problems: list[FieldError] = []
    if not any(name.startswith(PREFIX) for name in labels):
        return defaults, problems
    enforce, audit, warn = (
        LevelVersion(
            _level(labels, mode, problems, default.level, "restricted" if mode == "enforce" else "privileged"),
            _version_of(labels, f"{mode}-version", problems, default.version),
        )
        for mode, default in zip(MODES, defaults, strict=True)
    )
    is_enforced = labels.get(f"{PREFIX}enforce") in LEVELS
    if f"{PREFIX}warn" not in labels and is_enforced and is_stricter(enforce.level, warn.level):
        version = warn.version if f"{PREFIX}warn-version" in labels else enforce.version
        warn = LevelVersion(enforce.level, version)
    return Policy(enforce, audit, warn), problems


def is_stricter(one: str, other: str) -> bool:
    return LEVELS.index(one) > LEVELS.index(other)


def fault_of_level(text: str) -> str:
    """Why it is no level; "" where it is one."""
    return "" if text in LEVELS else _BAD_LEVEL


def fault_of_version(text: str) -> str:
    """Why it is no version; "" where it is one."""
    return "" if text == "latest" or (_version(text) and len(text) < _VERSION_END) else _BAD_VERSION


def _level(labels: Mapping[str, str], mode: str, problems: list[FieldError], default: str, otherwise: str) -> str:
    value = labels.get(f"{PREFIX}{mode}")
    if value is None:
        return default
    if not (fault := fault_of_level(value)):
        return value
    problems.append(field.invalid(field.key("metadata.labels", f"{PREFIX}{mode}"), value, fault))
    return otherwise


def _version_of(labels: Mapping[str, str], name: str, problems: list[FieldError], default: str) -> str:
    value = labels.get(f"{PREFIX}{name}", default)
    if not (fault := fault_of_version(value)):
        return value
    problems.append(field.invalid(field.key("metadata.labels", f"{PREFIX}{name}"), value, fault))
    return "latest"
