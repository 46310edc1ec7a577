"""Discovery documents in the forms that are rarely asked for: indented JSON, YAML, protobuf.

Made from the JSON on each request. Sources: the generated.proto files of apimachinery/pkg/apis/meta/v1 and
k8s.io/api/apidiscovery/v2 (field numbers), runtime.Unknown (the envelope).
"""

from __future__ import annotations

from typing import Final, cast

import orjson

from quarterdeck.discovery import negotiate

# message -> JSON name -> (field number, message of the value or "" for a scalar). Lists are repeated fields.
_MESSAGES: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "APIVersions": {"versions": (1, ""), "serverAddressByClientCIDRs": (2, "ServerAddress")},
    "ServerAddress": {"clientCIDR": (1, ""), "serverAddress": (2, "")},
    "APIGroupList": {"groups": (1, "APIGroup")},
    "APIGroup": {"name": (1, ""), "versions": (2, "Version"), "preferredVersion": (3, "Version")},
    "Version": {"groupVersion": (1, ""), "version": (2, "")},
    "APIResourceList": {"groupVersion": (1, ""), "resources": (2, "APIResource")},
    "APIResource": {
        "name": (1, ""),
        "namespaced": (2, ""),
        "kind": (3, ""),
        "verbs": (4, "Verbs"),
        "shortNames": (5, ""),
        "singularName": (6, ""),
        "categories": (7, ""),
        "group": (8, ""),
        "version": (9, ""),
        "storageVersionHash": (10, ""),
    },
    "APIGroupDiscoveryList": {"metadata": (1, "Metadata"), "items": (2, "Group")},
    "Group": {"metadata": (1, "Metadata"), "versions": (2, "GroupVersion")},
    "Metadata": {"name": (1, "")},
    "GroupVersion": {"version": (1, ""), "resources": (2, "Resource"), "freshness": (3, "")},
    "Resource": {
        "resource": (1, ""),
        "responseKind": (2, "Kind"),
        "scope": (3, ""),
        "singularResource": (4, ""),
        "verbs": (5, ""),
        "shortNames": (6, ""),
        "categories": (7, ""),
        "subresources": (8, "Subresource"),
    },
    "Subresource": {"subresource": (1, ""), "responseKind": (2, "Kind"), "verbs": (4, "")},
    "Kind": {"group": (1, ""), "version": (2, ""), "kind": (3, "")},
}


def encode(data: bytes, media_type: str, kind: str) -> bytes:
    """`data` (JSON) in another form; JSON is indented."""
    document = orjson.loads(data)
    if media_type == negotiate.JSON:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2)
    if media_type == negotiate.YAML:
        import yaml  # not needed by a server whose clients speak JSON

        return yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=True, encoding="utf-8")
    type_meta = _text(1, document.get("apiVersion", "v1")) + _text(2, kind)
    return b"k8s\x00" + _bytes(1, type_meta) + _bytes(2, _message(document, kind)) + _text(3, "") + _text(4, "")


def _message(value: dict[str, object], name: str) -> bytes:
    out: list[bytes] = []
    for key, (number, of) in _MESSAGES[name].items():
        item = value.get(key)
        if of == "Verbs":  # a message that holds the list
            out.append(_bytes(number, b"".join(_text(1, verb) for verb in cast("list[str]", item))))
        elif isinstance(item, list):
            out.extend(_field(number, element, of) for element in item)
        elif item is not None:
            out.append(_field(number, item, of))
    return b"".join(out)


def _field(number: int, value: object, of: str) -> bytes:
    if isinstance(value, dict):
        return _bytes(number, _message(value, of))
    if isinstance(value, bool):
        return bytes((number << 3, value))
    return _text(number, str(value))


def _text(number: int, text: str) -> bytes:
    return _bytes(number, text.encode())


def _bytes(number: int, data: bytes) -> bytes:
    """A length-delimited field; field numbers are below 16."""
    return bytes((number << 3 | 2,)) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
