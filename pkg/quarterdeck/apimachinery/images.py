"""Names of container images: `[domain/]path[:tag][@digest]`.

Source: pkg/util/parsers/parsers.go, github.com/distribution/reference (normalize.go, reference.go, regexp.go),
github.com/opencontainers/go-digest (digest.go, algorithm.go).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

PATH_CHARS_MAX: Final = 255
_KNOWN_CHARS_MAX: Final = 512

_HOST: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN: Final = rf"(?:{_HOST}(?:\.{_HOST})*|\[(?:[a-fA-F0-9:]+)\])(?::[0-9]+)?"
_COMPONENT: Final = r"[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*"
_DIGEST_CHARS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"

_reference = re.compile(
    rf"{_DOMAIN}/({_COMPONENT}(?:/{_COMPONENT})*)(?::([\w][\w.-]{{0,127}}))?(?:@({_DIGEST}))?\Z", re.ASCII
).match
_identifier = re.compile(r"[a-f0-9]{64}\Z").match


def tag_of(image: str) -> str:
    """The tag; `latest` where there is neither a tag nor a digest; "" of what has a digest alone, or is no name."""
    return _known_tag(image) if len(image) <= _KNOWN_CHARS_MAX else _read_tag(image)


@lru_cache(maxsize=1024)
def _known_tag(image: str) -> str:
    """The same images come again and again."""
    return _read_tag(image)


def _read_tag(image: str) -> str:
    first, slash, rest = image.partition("/")
    has_domain = slash and (any(char in first for char in ".:") or first == "localhost" or first != first.lower())
    domain, remainder = (first, rest) if has_domain else ("docker.io", image)
    if not has_domain and not slash:
        remainder = f"library/{remainder}"
    if remainder.partition(":")[0].lower() != remainder.partition(":")[0] or _identifier(image):
        return ""
    match = _reference(f"{domain}/{remainder}")
    if match is None or len(match[1]) > PATH_CHARS_MAX or (match[3] and not _is_digest(match[3])):
        return ""
    return match[2] or ("" if match[3] else "latest")


def _is_digest(text: str) -> bool:
    algorithm, _, digits = text.partition(":")
    return len(digits) == _DIGEST_CHARS.get(algorithm) and digits == digits.lower()
