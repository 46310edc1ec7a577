"""What two runs differ in without meaning anything by it: uids, revisions, times, names that a server has made up.

`Names` learns from each pair of answers what is called how in this run, and says it in the requests that follow. A uid
or a made-up name that stands for two different ones is a difference.
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlencode

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_AGE: Final = re.compile(r"\d+[smhdy](?:\d+[smhd])?")
_CELL: Final = re.compile(r"\brows\[\d+\]\.cells\[\d+\]$")
_WORD: Final = re.compile(r"[A-Za-z0-9][-.A-Za-z0-9]*")  # a name or a uid, wherever it stands
_REVISION_TEXT: Final = re.compile(r"(resource ?[vV]ersion\D{0,40}|revision\D{0,20})\d+(?: ?\(\d+\))?")
_REVISIONS: Final = frozenset(("resourceVersion", "sinceResourceVersion"))
_MADE_UP: Final = frozenset(("uid", "continue", "clusterIP", "token"))
DIFFERENCES_MAX: Final = 20  # of one answer
_DEPTH_MAX: Final = 500

Difference = tuple[str, str]  # where, and how


class Names:
    """By name in the recording."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._revisions: dict[int, str] = {}
        self._sorted: list[int] = []

    def learn(self, recorded: Any, met: Any) -> None:
        """What is called how, in a pair of answers."""
        pending = [(recorded, met)]
        while pending:
            one, other = pending.pop()
            if isinstance(one, dict) and isinstance(other, dict):
                if one.get("generateName") and one["generateName"] == other.get("generateName"):
                    self._learn_name(one.get("name"), other.get("name"))
                for key in one.keys() & other.keys():
                    self._learn_member(key, one[key], other[key])
                    pending.append((one[key], other[key]))
            elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
                pending += zip(one, other, strict=True)

    def _learn_member(self, key: str, recorded: Any, met: Any) -> None:
        if not (isinstance(recorded, str) and isinstance(met, str) and recorded):
            return
        if key in _REVISIONS and recorded.isdecimal():
            self._learn_revision(int(recorded), met)
        elif key in _MADE_UP:
            self._known.setdefault(recorded, met)

    def _learn_name(self, recorded: Any, met: Any) -> None:
        """Of an object whose name the server has made up."""
        if isinstance(recorded, str) and isinstance(met, str) and recorded:
            self._known.setdefault(recorded, met)

    def _learn_revision(self, recorded: int, met: str) -> None:
        if recorded not in self._revisions:
            insort(self._sorted, recorded)
        self._revisions[recorded] = met

    def revision(self, recorded: str) -> str:
        """That of the same write, else of the newest before it that is known."""
        if not recorded.isdecimal() or recorded == "0":
            return recorded
        at = bisect_right(self._sorted, int(recorded))
        return self._revisions[self._sorted[at - 1]] if at else recorded

    def text(self, text: str) -> str:
        known = self._known.get(text)
        return known if known is not None else _WORD.sub(self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        word = match[0].rstrip(".-")
        known = self._known.get(word)
        if known is None:
            known = ".".join(self._known.get(part, part) for part in word.split("."))
        return known + match[0][len(word) :]

    def value(self, value: Any, key: str = "") -> Any:
        """A body of the recording, as it is to be sent now."""
        if isinstance(value, dict):
            return {self.text(name): self.value(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if not isinstance(value, str):
            return value
        return self.revision(value) if key in _REVISIONS else self.text(value)

    def path(self, path: str) -> str:
        address, mark, query = path.partition("?")
        parts = [quote(self.text(unquote(part)), safe="") if part else "" for part in address.split("/")]
        if not mark:
            return "/".join(parts)
        pairs = parse_qsl(query, keep_blank_values=True)
        sent = [(name, self.revision(each) if name in _REVISIONS else self.text(each)) for name, each in pairs]
        return f"{'/'.join(parts)}?{urlencode(sent)}"

    def compare(self, recorded: Any, met: Any) -> list[Difference]:
        """The first differences that mean something, by their place."""
        found: list[Difference] = []
        for difference in self._differences(recorded, met, "", "", _DEPTH_MAX):
            found.append(difference)
            if len(found) == DIFFERENCES_MAX:
                break
        return found

    def _differences(self, one: Any, other: Any, path: str, key: str, depth: int) -> Iterator[Difference]:
        if not depth:
            return
        if isinstance(one, dict) and isinstance(other, dict):
            own = {self.text(name): each for name, each in one.items()}
            for name in dict.fromkeys([*own, *other]):
                place = f"{path}.{name}" if path else name
                if name not in other:
                    yield place, f"is missing, was {_show(own[name])}"
                elif name not in own:
                    yield place, f"is {_show(other[name])}, was missing"
                else:
                    yield from self._differences(own[name], other[name], place, name, depth - 1)
        elif isinstance(one, list) and isinstance(other, list):
            if key == "managedFields":  # in the order of their seconds
                one, other = sorted(one, key=_manager), sorted(other, key=_manager)
            if len(one) != len(other):
                yield path, f"has {len(other)} items, had {len(one)}"
            for position, (was, now) in enumerate(zip(one, other, strict=False)):
                yield from self._differences(was, now, f"{path}[{position}]", "", depth - 1)
        elif isinstance(one, str) and isinstance(other, str):
            if key not in _REVISIONS and self._normal(one) != _blur(other) and not _are_ages(path, one, other):
                yield path, f"is {_show(other)}, was {_show(one)}"
        elif one != other or isinstance(one, bool) is not isinstance(other, bool):
            yield path, f"is {_show(other)}, was {_show(one)}"

    def _normal(self, text: str) -> str:
        return _blur(self.text(text))


def _manager(entry: Any) -> str:
    found = entry if isinstance(entry, dict) else {}
    return " ".join(str(found.get(each)) for each in ("manager", "operation", "apiVersion", "subresource"))


def _are_ages(path: str, one: str, other: str) -> bool:
    """In the rows of a table."""
    return all((_CELL.search(path), _AGE.fullmatch(one), _AGE.fullmatch(other)))


def _blur(text: str) -> str:
    return _REVISION_TEXT.sub(r"\1N", _TIME.sub("TIME", text))


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"
