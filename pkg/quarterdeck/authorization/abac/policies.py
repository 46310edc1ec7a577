"""The file of --authorization-policy-file: one policy a line, in JSON (or YAML); blank lines and `#` are passed over.

    {"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy",
     "spec": {"user": "alice", "namespace": "*", "resource": "pods", "apiGroup": "*", "readonly": true}}

A line without kind or version is of version v0, in which what is left out stands for everything.
Source: pkg/auth/authorizer/abac/abac.go (NewFromFile), pkg/apis/abac/{v0,v1beta1}, whose errors these are.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery.user import ALL_AUTHENTICATED
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile, UnknownKind
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import BOOL, STRING, Field, Struct

_LOG: Final = logging.getLogger(__name__)
_GROUP: Final = "abac.authorization.kubernetes.io"
_KIND: Final = "Policy"
_OLD_VERSION: Final = f"{_GROUP}/v0"
_SCHEME: Final = "pkg/apis/abac/register.go:28"
_ANY: Final = "*"
_LINE_BYTES_MAX: Final = 64 * 1024

_TYPE_META: Final = {"kind": Field(STRING), "apiVersion": Field(STRING)}
_TEXTS: Final = ("user", "group", "resource", "namespace")
_V0: Final = Struct(_KIND, {**_TYPE_META, **{name: Field(STRING) for name in _TEXTS}, "readonly": Field(BOOL)}, "v0")
_SPEC: Final = Struct(
    "PolicySpec",
    {**{name: Field(STRING) for name in (*_TEXTS, "apiGroup", "nonResourcePath")}, "readonly": Field(BOOL)},
    "v1beta1",
)
_KINDS: Final = {
    (_GROUP, "v0", _KIND): _V0,
    (_GROUP, "v1beta1", _KIND): Struct(_KIND, {**_TYPE_META, "spec": Field(_SPEC)}, "v1beta1"),
}


class Policy(NamedTuple):
    """`*` is everything, and an empty text what a request of the other kind has there. `path`: of what is no resource;
    with `*` behind it, all that begins so."""

    user: str = ""
    group: str = ""
    namespace: str = ""
    api_group: str = ""
    resource: str = ""
    path: str = ""
    is_readonly: bool = False


def load(path: str) -> tuple[Policy, ...]:
    """Raises BadFile."""
    if not path:
        raise BadFile("open : no such file or directory")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadFile(f"open {path}: {(error.strerror or '').lower()}") from error
    return tuple(_parse(data, path))


def _parse(data: bytes, path: str) -> Iterator[Policy]:
    is_old = False
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) >= _LINE_BYTES_MAX:
            raise BadFile(f"error reading policy file {path}: bufio.Scanner: token too long")
        stripped = line.strip()
        if not stripped or stripped.startswith(b"#"):
            continue
        try:
            found, is_versioned = _decode(line)
        except BadFile as error:
            shown = line.removesuffix(b"\r").decode("utf-8", "replace")
            raise BadFile(f"error reading policy file {path}, line {number}: {shown}: {error}") from error
        is_old = is_old or not is_versioned
        yield _read(found) if "spec" in found else _read_old(found)
    if is_old:
        _LOG.warning(
            "Policy file %s contained unversioned rules. See docs/admin/authorization.md#abac-mode for ABAC file "
            "format details.",
            path,
        )


def _decode(line: bytes) -> tuple[dict[str, Any], bool]:
    """A policy, and whether it says of which version it is. Raises BadFile."""
    try:
        found = configfile.decode(line, _KINDS, _SCHEME, is_strict=False)
    except UnknownKind:
        given, _ = configfile.read(line)
        given = given or {}
        if (given.get("apiVersion") or _OLD_VERSION) != _OLD_VERSION or (given.get("kind") or _KIND) != _KIND:
            raise
        try:
            return Decoder(report_unknown=False).decode_struct(given, _V0), False
        except DecodeError as error:
            raise BadFile(str(error)) from error
    if found["apiVersion"] != _OLD_VERSION:
        found.setdefault("spec", {})
    return found, True


def _read(given: dict[str, Any]) -> Policy:
    spec: dict[str, Any] = given["spec"] or {}

    def text(name: str) -> str:
        found: str = spec.get(name) or ""
        return found

    return Policy(
        text("user"),
        text("group"),
        text("namespace"),
        text("apiGroup"),
        text("resource"),
        text("nonResourcePath"),
        bool(spec.get("readonly")),
    )


def _read_old(given: dict[str, Any]) -> Policy:
    user, group, resource, namespace = (given.get(name) or "" for name in _TEXTS)
    if _ANY in (user, group):
        user, group = "", ALL_AUTHENTICATED
    elif not user and not group:
        group = ALL_AUTHENTICATED
    is_everything = not namespace and not resource
    return Policy(
        user,
        group,
        namespace or _ANY,
        _ANY,
        resource or _ANY,
        _ANY if is_everything else "",
        bool(given.get("readonly")),
    )
