"""Continue tokens: where the next page of a list begins, and as of which revision.

base64url (no padding) of `{"v":"meta.k8s.io/v1","rv":N,"start":"…"}`; `start` is relative to the listed prefix, with or
without a slash before it (upstream writes one where the list is from its cache), rv -1 means "as of now" (what a client
gets whose own token has expired). A token needs nothing that the server remembers.
Source: apiserver/pkg/storage/continue.go.
"""

from __future__ import annotations

import base64
import binascii
import json
import posixpath
import re
from typing import Final, NamedTuple

from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.codec import rawjson
from quarterdeck.storage.cacher import refusals

_VERSION: Final = "meta.k8s.io/v1"
_foreign_byte: Final = re.compile(rb"[^A-Za-z0-9_\-\r\n]").search


class Continuation(NamedTuple):
    """`start`: the first path of the page, relative to the listed prefix; `revision` -1: the newest."""

    start: str
    revision: int


def encode_continue(start: str, revision: int) -> str:
    text = json.dumps({"v": _VERSION, "rv": revision, "start": start}, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def decode_continue(token: str) -> Continuation:
    """Raises BadRequest with upstream's text."""
    try:
        return _decode(token)
    except ValueError as error:
        raise refusals.bad_continue_token(error) from error


def _decode(token: str) -> Continuation:
    try:
        version, revision, start = _unmarshal(_decode_base64(token))
    except ValueError as error:
        raise ValueError(f"continue key is not valid: {error}") from error
    if version != _VERSION:
        raise ValueError(f"continue key is not valid: server does not recognize this encoded version {version}")
    if revision == 0:
        raise ValueError(f"continue key is not valid: incorrect encoded start resourceVersion (version {_VERSION})")
    if not start:
        raise ValueError(f"continue key is not valid: encoded start key empty (version {_VERSION})")
    # A start outside the listed prefix would let a client read other resources.
    key = start if start.startswith("/") else "/" + start
    if _clean(key) != key:
        raise ValueError(f"continue key is not valid: {start}")
    return Continuation(key[1:], revision)


def _unmarshal(data: bytes) -> tuple[str, int, str]:
    """The fields v, rv, start as encoding/json fills the struct: names in any case, null and absent change nothing, the
    last of several stands, and each has to fit."""
    value = codec.decode(data, keeps_huge=True).value
    if value is None:
        return "", 0, ""
    if not isinstance(value, dict):
        raise ValueError(f"json: cannot unmarshal {_go_kind(value)} into Go value of type storage.continueToken")
    version, revision, start = "", 0, ""
    for name, text in rawjson.members(data):
        member = codec.decode(text, keeps_huge=True).value
        wanted = name.lower().replace("ſ", "s")  # which Go folds to one letter
        if member is None or wanted not in ("v", "rv", "start"):
            continue
        if wanted == "rv":
            if type(member) is not int:
                raise ValueError(_mismatch(member, wanted, "int64", text if isinstance(member, float) else b""))
            revision = member
        elif not isinstance(member, str):
            raise ValueError(_mismatch(member, wanted, "string"))
        elif wanted == "v":
            version = member
        else:
            start = member
    return version, revision, start


def _mismatch(member: object, name: str, wanted: str, sent: bytes = b"") -> str:
    """`sent`: a number that no integer holds, as it was written."""
    shown = f"{_go_kind(member)} {sent.decode()}".rstrip()
    return f"json: cannot unmarshal {shown} into Go struct field continueToken.{name} of type {wanted}"


def _go_kind(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list) else "object"


def _clean(path: str) -> str:
    """Go's path.Clean of a rooted path: as posixpath, but two leading slashes are one."""
    return "/" + posixpath.normpath(path).lstrip("/")


def _decode_base64(token: str) -> bytes:
    """Go's RawURLEncoding: no padding, newlines ignored; its error names the first offending byte."""
    data = token.encode()
    if foreign := _foreign_byte(data):
        raise ValueError(f"illegal base64 data at input byte {foreign.start()}")
    packed = data.replace(b"\n", b"").replace(b"\r", b"")
    if len(packed) % 4 == 1:
        raise ValueError(f"illegal base64 data at input byte {len(data) - 1}")
    try:
        return base64.urlsafe_b64decode(packed + b"=" * (-len(packed) % 4))
    except binascii.Error as error:  # pragma: no cover - the checks above leave nothing to refuse
        raise ValueError(f"illegal base64 data at input byte {len(data)}") from error
