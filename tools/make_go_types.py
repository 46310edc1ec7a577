"""Writes the tables of Go types in pkg/quarterdeck/schema/gotables from the sources of k8s.io/api and apimachinery.

python tools/make_go_types.py API APIMACHINERY      two checkouts

Taken from the sources: names of fields, their types and tags. See pkg/quarterdeck/schema/gotypes.py for the language.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

TABLES: Final = Path(__file__).parent.parent / "pkg/quarterdeck/schema/gotables"
GROUPS: Final = ("core", "admissionregistration", "apps", "coordination", "events")
META: Final = "pkg/apis/meta/v1"
META_TYPES: Final = (
    "Condition",
    "ConditionStatus",
    "FieldsV1",
    "LabelSelector",
    "LabelSelectorOperator",
    "LabelSelectorRequirement",
    "ManagedFieldsEntry",
    "ManagedFieldsOperationType",
    "ObjectMeta",
    "OwnerReference",
    "StatusReason",
)
LINE_CHARS_MAX: Final = 118

_struct = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.DOTALL | re.MULTILINE).finditer
_named = re.compile(r"^type (\w+) ((?:\[\]|map\[\w+\])?[\w.]+)$", re.MULTILINE).finditer
_field = re.compile(r"^\t(?:(\w+)\s+)?(\*?(?:\[\]|map\[[\w.]+\])*\*?[\w.]+)\s+`([^`]*)`").match
_json_tag = re.compile(r'json:"([^"]*)"').search
# What a package is called in the sources and what its table is called.
_PACKAGES: Final = {"metav1": "meta", "v1": "core", "corev1": "core"}
_IGNORED: Final = ("metav1.TypeMeta", "TypeMeta", "metav1.ListMeta", "ListMeta")


def read_types(source: str) -> dict[str, str]:
    found = {match[1]: f"{match[1]} = {_type(match[2])}" for match in _named(source)}
    for match in _struct(source):
        if fields := _fields(match[2]):
            found[match[1]] = f"{match[1]}: {', '.join(fields)}"
    return found


def _fields(body: str) -> list[str]:
    fields = []
    for line in body.splitlines():
        match = _field(line)
        tag = match and _json_tag(match[3])
        if match is None or tag is None or match[2] in _IGNORED or tag[1] == "-":
            continue
        name, *options = tag[1].split(",")
        if "inline" in options or (not name and not match[1]):
            fields.append(f"~{_type(match[2])}")
            continue
        mark = "?" if "omitempty" in options else ""
        fields.append(f"{name} {_type(match[2])}{'??' if 'omitzero' in options else mark}")
    return fields


def _type(text: str) -> str:
    return re.sub(r"\b(\w+)\.", lambda match: _PACKAGES.get(match[1], match[1]) + ".", text)


def write(name: str, origin: str, types: dict[str, str]) -> None:
    lines = []
    for type_name in sorted(types):
        lines += _wrap(types[type_name])
    text = "\n".join(lines)
    path = TABLES / f"{name}.py"
    path.write_text(f'"""The Go types of {origin}. Written by tools/make_go_types.py."""\n\nTABLE = """\n{text}\n"""\n')


def _is_list(name: str, text: str) -> bool:
    """Whether it is the list of a kind, which nobody sends."""
    return name == "List" or (name.endswith("List") and f"items []{name.removesuffix('List')}" in text)


def _wrap(text: str) -> list[str]:
    """Lines that end after a field."""
    lines: list[str] = []
    for part in text.split(", "):
        if lines and len(lines[-1]) + len(part) + 3 <= LINE_CHARS_MAX:
            lines[-1] += f", {part}"
        elif lines:
            lines[-1] += ","
            lines.append(f"  {part}")
        else:
            lines.append(part)
    return lines


def main(api: Path, machinery: Path) -> None:
    meta = read_types((machinery / META / "types.go").read_text())
    write("meta", f"apimachinery/{META}/types.go", {name: text for name, text in meta.items() if name in META_TYPES})
    for group in GROUPS:
        types = read_types((api / group / "v1/types.go").read_text())
        kept = {name: text for name, text in types.items() if not _is_list(name, text)}
        write(group, f"api/{group}/v1/types.go", kept)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
