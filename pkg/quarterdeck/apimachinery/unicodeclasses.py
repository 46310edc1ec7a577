r"""Classes of Unicode in patterns (`\p{Lu}`), in the names that Go gives them, as RE2 writes them.

Go finds a name whatever its case, and without blanks, hyphens and underscores, and so no script whose own name has one;
it knows aliases of categories, ASCII, what is assigned and what is not.
Source: regexp/syntax/parse.go (unicodeTable, canonicalName), unicode/tables.go (CategoryAliases).
"""

from __future__ import annotations

import functools
import re
from typing import Final, NamedTuple

from quarterdeck.apimachinery.pattern_pieces import QUOTED, UNICODE_CLASS

_OUTSIDE: Final = re.compile(rf"{QUOTED}|{UNICODE_CLASS}|\\.|\[\^?\]?|[^\\\[]+|.", re.DOTALL)
_INSIDE: Final = re.compile(rf"{UNICODE_CLASS}|\\.|\[:.*?:\]|\]|[^\\\[\]]+|.", re.DOTALL)
_ALIASES: Final = {
    "Casedletter": "Lc", "Closepunctuation": "Pe", "Combiningmark": "M", "Connectorpunctuation": "Pc", "Control": "Cc",
    "Currencysymbol": "Sc", "Dashpunctuation": "Pd", "Decimalnumber": "Nd", "Enclosingmark": "Me",
    "Finalpunctuation": "Pf", "Format": "Cf", "Initialpunctuation": "Pi", "Letter": "L", "Letternumber": "Nl",
    "Lineseparator": "Zl", "Lowercaseletter": "Ll", "Mark": "M", "Mathsymbol": "Sm", "Modifierletter": "Lm",
    "Modifiersymbol": "Sk", "Nonspacingmark": "Mn", "Number": "N", "Openpunctuation": "Ps", "Other": "C",
    "Otherletter": "Lo", "Othernumber": "No", "Otherpunctuation": "Po", "Othersymbol": "So",
    "Paragraphseparator": "Zp", "Privateuse": "Co", "Punctuation": "P", "Separator": "Z", "Spaceseparator": "Zs",
    "Spacingmark": "Mc", "Surrogate": "Cs", "Symbol": "S", "Titlecaseletter": "Lt", "Unassigned": "Cn",
    "Uppercaseletter": "Lu", "Cntrl": "Cc", "Digit": "Nd", "Punct": "P",
}  # fmt: skip
_SIGHTED: Final = r"\pL\pM\pN\pP\pS\pZ"
_OTHER: Final = r"\p{C}"  # of RE2: without what is unassigned
_UNASSIGNED: Final = ""  # stands for ranges, which are long
# What RE2 does not have: the members of a class, and of its complement.
_COMPOSED: Final = {
    "Ascii": ((r"\x00-\x7F",), (r"\x{80}-\x{10FFFF}",)),
    "Assigned": ((_SIGHTED, _OTHER), (_UNASSIGNED,)),
    "Cn": ((_UNASSIGNED,), (_SIGHTED, _OTHER)),
    "C": ((_OTHER, _UNASSIGNED), (_SIGHTED,)),
    "Lc": ((r"\p{Lu}\p{Ll}\p{Lt}",), (r"\p{Lm}\p{Lo}\pM\pN\pP\pS\pZ", _OTHER, _UNASSIGNED)),
}


class Translation(NamedTuple):
    """`replaced`: what stands in the text for what of the pattern."""

    text: str
    replaced: tuple[tuple[str, str], ...]

    def restore(self, error: str) -> str:
        """RE2's words on the text, with what the pattern says."""
        for translated, original in self.replaced:
            error = error.replace(translated, original, 1)
        return error


def translate(pattern: str) -> Translation:
    """The pattern as RE2 takes it. What is no pattern of Go's is none of RE2's."""
    if "\\p" not in pattern and "\\P" not in pattern:
        return Translation(pattern, ())
    out: list[str] = []
    replaced: list[tuple[str, str]] = []
    at, is_inside = 0, False
    while at < len(pattern):
        match = (_INSIDE if is_inside else _OUTSIDE).match(pattern, at)
        assert match is not None
        token, at = match[0], match.end()
        if token[:2] in ("\\p", "\\P") and len(token) > 2:
            translated = _translate_class(token, is_inside=is_inside)
            if translated != token:
                replaced.append((translated, token))
            token = translated
        elif token[0] == "[" and not is_inside:
            is_inside = True
        elif token == "]":
            is_inside = False
        out.append(token)
    return Translation("".join(out), tuple(replaced))


def _translate_class(token: str, *, is_inside: bool) -> str:
    name = token[3:-1] if token[2] == "{" else token[2:]
    is_negated = token[1] == "P"
    if name.startswith("^"):
        is_negated, name = not is_negated, name[1:]
    known = _canonical(name)
    known = _ALIASES.get(known, known)
    if known not in _COMPOSED:
        sign = "P" if is_negated else "p"
        return token if known == name else f"\\{sign}{{{known}}}"
    members, others = _COMPOSED[known]
    if is_inside:
        return "".join([each or _unassigned() for each in (others if is_negated else members)])
    # One of the two says it without what is unassigned.
    if _UNASSIGNED in members:
        return f"[{'' if is_negated else '^'}{''.join(others)}]"
    return f"[{'^' if is_negated else ''}{''.join(members)}]"


def _canonical(name: str) -> str:
    bare = name.translate({ord("_"): None, ord("-"): None, ord(" "): None})
    return "".join([_upper(bare[:1]), *[_lower(each) for each in bare[1:]]])


def _upper(char: str) -> str:
    return char.upper() if char.isascii() else char


def _lower(char: str) -> str:
    return char.lower() if char.isascii() else char


@functools.cache
def _unassigned() -> str:
    """The ranges of what RE2 has in no category."""
    import re2  # imported late: few patterns need them

    every = "".join([chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]).encode()
    find = re2._re2.RE2(f"[^{_SIGHTED}{_OTHER}]+".encode(), re2.Options()).Match
    anywhere = re2._re2.RE2.Anchor.UNANCHORED
    ranges, at = [], 0
    while (span := find(anywhere, every, at, len(every))[0])[0] >= 0:
        at = span[1]
        found = every[span[0] : at].decode()
        ranges.append(f"\\x{{{ord(found[0]):X}}}-\\x{{{ord(found[-1]):X}}}")
    return "".join(ranges)
