"""Makes the tables of built-in types (apimachinery/typetables/groups) anew from what a kube-apiserver tells of them.

    python tools/make_type_tables.py --facts DIR            prints what would change, as a diff; status 1 if anything
    python tools/make_type_tables.py --facts DIR --write    changes the tables

DIR holds OpenAPI v3 and the protobuf messages (type_facts.py tells their form). These say which fields a type has,
their numbers, what is required, defaults, list types and patch strategies, enums and unions. What they are silent on
stays as it stands: the order of Go's fields, names of types that are no structs, omitempty, pointers to scalars. Of a
new field that is a guess, the one that new fields of Kubernetes' API follow: a pointer with omitempty unless it is
required. So read the diff.

A table of a package that the facts do not have stays as it is.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from type_facts import Facts, FieldFacts, Schema, TypeFacts
from type_notation import TableFile, Tables

from quarterdeck.apimachinery.typetables import reader
from quarterdeck.apimachinery.typetables.reader import FieldEntry, TypeEntry

_TABLES: Final = Path(__file__).resolve().parents[1] / "pkg/quarterdeck/apimachinery/typetables/groups"
# The zero of a scalar, which OpenAPI tells as the default of one that is always written.
_ZERO: Final = {"string": '""', "bool": "false", "int32": "0", "int64": "0", "float64": "0"}


class Maker:
    def __init__(self, facts: Facts, tables: Tables) -> None:
        self._facts = facts
        self._tables = tables

    def table(self, table: str) -> dict[str, TypeEntry]:
        """Its types by name, those that are new and that others need included."""
        standing = self._tables[table]
        if not self._facts.names(table):
            return standing
        made: dict[str, TypeEntry] = {}
        waiting = [*standing, *self._new_kinds(table)]
        while waiting:
            name = waiting.pop(0)
            for entry in self._make(table, name) if name not in made else ():
                made[entry.name] = entry
                waiting += [inner for inner in self._structs_in(entry) if inner not in standing]
        return made

    def _new_kinds(self, table: str) -> Iterator[str]:
        for name in self._facts.names(table):
            found = self._facts.find(table, name)
            is_list = name.endswith("List") and name.removesuffix("List") in self._facts.names(table)
            if found is not None and found.is_kind and not is_list:
                yield name

    def _structs_in(self, entry: TypeEntry) -> Iterator[str]:
        """The types of its own table that an entry's fields name."""
        for field in entry.fields:
            text, brackets = reader.element(field.type.removeprefix("*"))
            if brackets:
                text, _ = reader.element(text)
            if not reader.leaf(text, entry.table) and "." not in text:
                yield text

    def _make(self, table: str, name: str) -> list[TypeEntry]:
        """A type, with the enums that are new in its fields; nothing for one that is gone."""
        standing = self._tables[table].get(name)
        if standing is not None and standing.alias:
            return [standing._replace(words=self._enum_of(table, name, standing.words))]
        told = self._facts.find(table, name)
        if told is None:
            return []
        fields, enums = self._fields(table, name, standing, told)
        return [TypeEntry(table, name, "", _words_of_type(standing, told), tuple(fields)), *enums]

    def _fields(
        self, table: str, name: str, standing: TypeEntry | None, told: TypeFacts
    ) -> tuple[list[FieldEntry], list[TypeEntry]]:
        by_number = {each.number: each for each in (*told.fields, *told.embedded)}
        fields, enums = [], []
        for field in standing.fields if standing is not None else ():
            facts = by_number.pop(field.number, None)
            if facts is not None:
                fields.append(self._updated(field, facts, table))
        for _, facts in sorted(by_number.items()):
            made = _new_field(facts, is_embedded=facts in told.embedded)
            values = _values(facts.schema)
            if values:
                alias = name + facts.name[0].upper() + facts.name[1:]
                enums.append(TypeEntry(table, alias, "string", (_enum(values),), ()))
                made = made._replace(type=made.type.replace("string", alias))
            fields.append(made)
        return fields, enums

    def _updated(self, field: FieldEntry, facts: FieldFacts, table: str) -> FieldEntry:
        text = self._updated_type(field, facts, table)
        if field.is_embedded or facts.schema is None:
            return field._replace(type=text)
        made = field._replace(name=facts.name, type=text, is_required=facts.is_required)
        return made._replace(words=self._words(made, facts.schema, table))

    def _updated_type(self, field: FieldEntry, facts: FieldFacts, table: str) -> str:
        standing = field.type.removeprefix("*")
        if self._resolved(standing, table) != self._resolved(facts.type, table):
            return facts.type if _is_written_plain(facts) else f"*{facts.type}"
        schema = facts.schema
        has_default = schema is None or field.is_embedded or field.omits_zero or "default" in schema
        if not has_default and self._implied_default(field.type, table, field) == "{}":
            return f"*{standing}"
        return field.type

    def _words(self, field: FieldEntry, schema: Schema, table: str) -> tuple[str, ...]:
        words = _list_words(schema)
        if "default" in schema:
            default = json.dumps(schema["default"], separators=(",", ":"))
            words += [f"={default}"] if default != self._implied_default(field.type, table, field) else []
        return tuple(words)

    def _implied_default(self, text: str, table: str, field: FieldEntry) -> str:
        """The default that OpenAPI tells of a field because of its type."""
        if text.startswith("*"):
            return ""
        resolved = self._resolved(text, table)
        if resolved in _ZERO:
            return "" if field.omits_empty else _ZERO[resolved]
        return "" if reader.element(resolved)[1] or reader.leaf(resolved, table) else "{}"

    def _resolved(self, text: str, table: str) -> str:
        """A type with what its names stand for instead of them, and with structs under their tables' names."""
        inner, brackets = reader.element(text)
        if brackets:
            return ("[]" if brackets == "[]" else "map[string]") + self._resolved(inner, table)
        leaf = reader.leaf(text, table)
        if leaf:
            return "string" if reader.SCALARS.get(leaf) == "string" else leaf
        other, name = reader.place(text, table)
        entry = self._tables.get(other, {}).get(name)
        return self._resolved(entry.alias, other) if entry is not None and entry.alias else f"{other}.{name}"

    def _enum_of(self, table: str, alias: str, words: tuple[str, ...]) -> tuple[str, ...]:
        """The words of a named type, with the values that the facts tell wherever a field has that type."""
        for entry in self._tables[table].values():
            told = self._facts.find(table, entry.name) if not entry.alias else None
            schemas = {each.number: each.schema for each in told.fields} if told is not None else {}
            for field in entry.fields:
                schema = schemas.get(field.number)
                if schema is not None and reader.element(field.type.removeprefix("*"))[0] == alias:
                    values = _values(schema)
                    others = tuple(word for word in words if not word.startswith("enum("))
                    return (*others, _enum(values)) if values else others
        return words


def _words_of_type(standing: TypeEntry | None, told: TypeFacts) -> tuple[str, ...]:
    if told.schema is None:
        return standing.words if standing is not None else ()
    words = []
    if "kind" in standing.words if standing is not None else told.is_kind:
        words.append("kind")
    if told.schema.get("x-kubernetes-map-type") == "atomic":
        words.append("atomic")
    for union in told.schema.get("x-kubernetes-unions", ()):
        words.append(f"union({'|'.join([union.get('discriminator', ''), *union['fields-to-discriminateBy']])})")
    return tuple(words)


def _new_field(facts: FieldFacts, *, is_embedded: bool) -> FieldEntry:
    schema = facts.schema or {}
    default = json.dumps(schema["default"], separators=(",", ":")) if "default" in schema else ""
    is_always_written = bool(default) and default == _ZERO.get(facts.type)
    words = _list_words(schema)
    if default and default != "{}" and not is_always_written:
        words.append(f"={default}")
    text = facts.type if is_embedded or is_always_written or _is_written_plain(facts) else f"*{facts.type}"
    omits_empty = not (facts.is_required or is_always_written or is_embedded)
    name = "" if is_embedded else facts.name
    return FieldEntry(name, text, facts.number, omits_empty, False, facts.is_required, tuple(words))


def _is_written_plain(facts: FieldFacts) -> bool:
    """Whether a new field is most likely no pointer."""
    default = (facts.schema or {}).get("default")
    return facts.is_required or facts.type.startswith(("[]", "map[")) or default == {}


def _list_words(schema: Schema) -> list[str]:
    """The words for what a list or a map merges by, and for how it is patched."""
    words = []
    list_type = schema.get("x-kubernetes-list-type") or schema.get("x-kubernetes-map-type")
    if list_type == "map":
        words.append(f"map({'|'.join(schema['x-kubernetes-list-map-keys'])})")
    elif list_type:
        words.append(list_type)
    strategy = schema.get("x-kubernetes-patch-strategy")
    if strategy:
        key = schema.get("x-kubernetes-patch-merge-key")
        words.append(f"patch({'|'.join([strategy.replace(',', '+'), *([key] if key else [])])})")
    return words


def _values(schema: Schema | None) -> list[str]:
    """What a field, the items of its list or the members of its map may be."""
    schema = schema or {}
    inner = schema.get("items") or schema.get("additionalProperties") or {}
    return schema.get("enum") or inner.get("enum") or []


def _enum(values: list[str]) -> str:
    return f"enum({'|'.join(values)})".replace(" ", "_")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=Path, required=True, metavar="DIR")
    parser.add_argument("--tables", type=Path, default=_TABLES, metavar="DIR", help="the modules of tables")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    files = [TableFile(path) for path in sorted(options.tables.glob("[a-z]*.py"))]
    maker = Maker(Facts(options.facts), {file.table: {**file.common(), **file.entries()} for file in files})
    changed = 0
    for file in files:
        text = file.updated(maker.table(file.table))
        lines = difflib.unified_diff(
            file.source.splitlines(), text.splitlines(), str(file.path), str(file.path), lineterm=""
        )
        told = "\n".join(lines)
        if told:
            changed += 1
            print(told)
            if options.write:
                file.path.write_text(text, encoding="utf-8")
    return int(changed > 0 and not options.write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
