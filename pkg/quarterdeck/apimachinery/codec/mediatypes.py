"""Media types of bodies, as Go's mime.ParseMediaType reads them."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = r"[\w!#$%&'*+.^`|~-]+"
_PARAMETER: Final = rf';\s*({_TOKEN})=({_TOKEN}|"(?:[^"\\]|\\.)*")\s*'
_media_type = re.compile(rf"\s*({_TOKEN}/{_TOKEN})\s*(?:{_PARAMETER})*;?\s*\Z", re.ASCII).match
_parameters = re.compile(_PARAMETER, re.ASCII).findall
_unquote = re.compile(r"\\([()<>@,;:\\\"/\[\]?=])").sub


def parse(content_type: str) -> str:
    """The bare media type of a Content-Type header, "" if it is malformed."""
    found = _media_type(content_type)
    if not found or (content_type.count(";") > 1 and _contradicts_itself(content_type)):
        return ""
    return found[1].lower()


def _contradicts_itself(content_type: str) -> bool:
    """Whether a parameter is given twice, with different values."""
    known: dict[str, str] = {}
    for name, value in _parameters(content_type):
        text = _unquote(r"\1", value[1:-1]) if value[0] == '"' else value
        if known.setdefault(name.lower(), text) != text:
            return True
    return False
