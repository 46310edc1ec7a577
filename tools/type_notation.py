"""The tables of built-in types as text: read type by type, and written again. For make_type_tables.py.

What did not change keeps its text, line breaks included.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Final

from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apimachinery.typetables.reader import FieldEntry, TypeEntry

_WIDTH: Final = 120
_table_text = re.compile(r'TABLE = """\n(.*)"""', re.DOTALL).search
_split_types = re.compile(r"\n(?! )").split

Tables = dict[str, dict[str, TypeEntry]]


class TableFile:
    """A module of typetables/groups. `texts`: each type's own text, in the order of the file, below `head`, which tells
    what it has in common with other tables."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.table = path.stem
        self.source = path.read_text(encoding="utf-8")
        found = _table_text(self.source)
        assert found is not None, path
        self._span = found.span(1)
        texts = _split_types(found[1].strip())
        self.head = [text for text in texts if text.startswith(reader.SAME)]
        self.texts = {_name(text): text for text in texts if not text.startswith(reader.SAME)}

    def entries(self) -> dict[str, TypeEntry]:
        return {name: reader.parse_type(self.table, name, reader.join_lines(text)) for name, text in self.texts.items()}

    def common(self) -> dict[str, TypeEntry]:
        """The types that are those of other tables."""
        same = set(reader.names(self.table)) - set(self.texts) if self.head else set[str]()
        found = ((name, reader.find(self.table, name)) for name in sorted(same))
        return {name: entry for name, entry in found if entry is not None}

    def updated(self, made: dict[str, TypeEntry]) -> str:
        """The module's text with these types instead. New ones stand where their name belongs; of those that other
        tables have only what is not as it is there."""
        standing, common = self.entries(), self.common()
        names = [name for name in standing if name in made]
        new = (name for name in made.keys() - standing.keys() if name not in common or made[name] != common[name])
        for name in sorted(new):
            at = next((at for at, other in enumerate(names) if other > name), len(names))
            names.insert(at, name)
        texts = self.head + [
            self.texts[name] if name in standing and is_same(standing[name], made[name]) else write_type(made[name])
            for name in names
        ]
        begin, end = self._span
        return f"{self.source[:begin]}{chr(10).join(texts)}\n{self.source[end:]}"


def is_same(one: TypeEntry, other: TypeEntry) -> bool:
    """Whether two entries say the same; the order of a field's words says nothing."""
    return _in_order(one) == _in_order(other)


def write_type(entry: TypeEntry) -> str:
    words = "".join(f" {word}" for word in entry.words)
    if entry.alias:
        return _wrap(f"{entry.name} = {entry.alias}{words}")
    return _wrap(f"{entry.name}{words}: " + ", ".join(_write_field(field) for field in entry.fields))


def _write_field(field: FieldEntry) -> str:
    marks = "??" if field.omits_zero else "?" * field.omits_empty
    name = f"{field.name} " if field.name else "~"
    required = "!" * field.is_required
    return f"{name}{field.type}{marks} {field.number}{required}" + "".join(f" {word}" for word in field.words)


def _wrap(text: str) -> str:
    """Lines break at blanks, and where that is not enough behind the `|` of an enum."""
    lines = textwrap.wrap(text, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    wrapped: list[str] = []
    for line in lines:
        rest = line
        while len(rest) > _WIDTH:
            at = rest.rindex("|", 0, _WIDTH) + 1
            wrapped.append(rest[:at])
            rest = f"  {rest[at:]}"
        wrapped.append(rest)
    return "\n".join(wrapped)


def _name(text: str) -> str:
    return re.split(r"\W", text, maxsplit=1)[0]


def _in_order(entry: TypeEntry) -> TypeEntry:
    fields = tuple(field._replace(words=tuple(sorted(field.words))) for field in entry.fields)
    return entry._replace(words=tuple(sorted(entry.words)), fields=fields)
