"""Writes the protobuf tables of the built-in kinds (apimachinery/codec/protobuf_tables) from upstream's definitions.

    python tools/protobuf_tables.py CHECKOUTS

CHECKOUTS holds k8s.io/api, apimachinery and apiextensions-apiserver in folders of the names below. Numbers and types
are read from generated.proto; what is a pointer, what is inlined and what JSON calls a field, from the Go types. The
tables of kube-aggregator and of meta.k8s.io/v1beta1 are small and kept by hand.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

TABLES = Path(__file__).parent.parent / "pkg/quarterdeck/apimachinery/codec/protobuf_tables"
_API, _META, _EXTENSIONS = "kubernetes+api", "kubernetes+apimachinery", "kubernetes+apiextensions-apiserver"
_GROUPS = {
    "admissionregistration": "admissionregistration.k8s.io",
    "apps": "apps",
    "authentication": "authentication.k8s.io",
    "authorization": "authorization.k8s.io",
    "autoscaling": "autoscaling",
    "batch": "batch",
    "certificates": "certificates.k8s.io",
    "coordination": "coordination.k8s.io",
    "core": "",
    "discovery": "discovery.k8s.io",
    "events": "events.k8s.io",
    "flowcontrol": "flowcontrol.apiserver.k8s.io",
    "networking": "networking.k8s.io",
    "node": "node.k8s.io",
    "policy": "policy",
    "rbac": "rbac.authorization.k8s.io",
    "resource": "resource.k8s.io",
    "scheduling": "scheduling.k8s.io",
    "storage": "storage.k8s.io",
}
# Messages whose JSON is not an object of their fields, by what the tables call them.
_OWN_FORMS = {
    "Time": "Time",
    "MicroTime": "MicroTime",
    "Quantity": "Quantity",
    "IntOrString": "IntOrString",
    "RawExtension": "RawExtension",
    "FieldsV1": "FieldsV1",
    "ExtraValue": "Strings",
    "Verbs": "Strings",
    "JSON": "JSON",
}
_NOT_WRITTEN = {*_OWN_FORMS, "Duration", "Timestamp"}

_message = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_field = re.compile(r"^  (optional|repeated|map<string, *[\w.]+>) *([\w.]+)? *(\w+) = (\d+)", re.MULTILINE)
_map = re.compile(r"map<string, *([\w.]+)>")
_struct = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_tagged = re.compile(r"^\s*(?:(\w+)[ \t]+)?(\S+)[ \t]+`(.*)`", re.MULTILINE)
_tag_number = re.compile(r'protobuf:"\w+,(\d+)')
_tag_name = re.compile(r'json:"([^",]*)(,inline)?')


def main(checkouts: Path) -> None:
    api = checkouts / _API
    for name, group in _GROUPS.items():
        write(name, f"The group {group}, v1" if group else "The core group, v1", api / name / "v1", f"api/{name}")
    write("autoscaling_v2", "The group autoscaling, v2", api / "autoscaling" / "v2", "api/autoscaling")
    write("apidiscovery", "The group apidiscovery.k8s.io, v2", api / "apidiscovery" / "v2", "api/apidiscovery")
    source = "pkg/apis/apiextensions"
    folder = checkouts / _EXTENSIONS / source / "v1"
    write("apiextensions", "The group apiextensions.k8s.io, v1", folder, f"apiextensions-apiserver/{source}")
    source = "pkg/apis/meta"
    write("meta", "What all groups share", checkouts / _META / source / "v1", f"apimachinery/{source}")


def write(name: str, what: str, folder: Path, source: str) -> None:
    pointers = read_go(folder)
    lines = []
    for message, body in sorted(_message.findall((folder / "generated.proto").read_text())):
        if message in _NOT_WRITTEN:
            continue
        fields = [table_field(found, pointers.get(message, {})) for found in _field.findall(body)]
        text = f"{message}: {', '.join(fields)}" if fields else f"{message}:"
        # A line is broken between fields only.
        joined = text.replace(", ", ",\0").replace(" ", "\1").replace(",\0", ", ")
        wrapped = textwrap.fill(joined, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        lines.append(wrapped.replace("\1", " "))
    head = f'"""{what}, as protobuf.\n\nSource: {source}/{folder.name}/generated.proto and types.go.\n"""'
    (TABLES / f"{name}.py").write_text(head + '\n\nTABLE = """\n' + "\n".join(lines) + '\n"""\n')


def read_go(folder: Path) -> dict[str, dict[int, tuple[str, str]]]:
    """Of each struct: number → (JSON name, "~" where it is inlined; Go type)."""
    structs: dict[str, dict[int, tuple[str, str]]] = {}
    for path in sorted(folder.glob("*types*.go")):
        for name, body in _struct.findall(path.read_text()):
            fields = structs.setdefault(name, {})
            for _, type_, tags in _tagged.findall(body):
                number = _tag_number.search(tags)
                json = _tag_name.search(tags)
                if number:
                    fields[int(number[1])] = (_name(json) if json else "", type_)
    return structs


def _name(json: re.Match[str]) -> str:
    return "~" if json[2] and not json[1] else json[1]


def table_field(found: tuple[str, str, str, str], go: dict[int, tuple[str, str]]) -> str:
    label, type_, proto_name, number = found
    name, go_type = go.get(int(number), ("", ""))
    name = name or proto_name
    if in_map := _map.match(label):
        return f"{number} {name} map[{_short(in_map[1])}]"
    modifier = "[]" if label == "repeated" else "*" if go_type.startswith("*") else ""
    return f"{number} {name} {modifier}{_short(type_)}"


def _short(type_: str) -> str:
    last = type_.rpartition(".")[2]
    return _OWN_FORMS.get(last, last)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
