"""One audit event, and its two texts: JSON, and a line of the legacy format.

Source: apiserver/pkg/apis/audit/v1/types.go (Event), pkg/audit/format.go (EventString).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.user import User
from quarterdeck.audit import levels

_TRUNCATED: Final = "audit.k8s.io/truncated"
_BEHIND_OBJECTS: Final = "requestReceivedTimestamp"
_TYPE: Final = b'{"kind":"Event","apiVersion":"audit.k8s.io/v1",'
_LINE_BYTES: Final = len(_TYPE)  # what a line has more than the bare event: the type, and its end for the brace


class Event:
    """`members` in upstream's order, without the two objects, which are JSON. `user` and `acting` (who is acted for)
    are those that `members` show. Nothing of it changes."""

    __slots__ = ("_encoded", "acting", "level", "members", "request_object", "response_object", "user")

    def __init__(
        self,
        level: int,
        members: dict[str, Any],
        user: User | None,
        acting: User | None,
        request_object: bytes | None = None,
        response_object: Sequence[bytes] | None = None,
    ) -> None:
        self.level = level
        self.members = members
        self.user = user
        self.acting = acting
        self.request_object = request_object
        self.response_object = response_object
        self._encoded: tuple[bytes, ...] | None = None

    def pieces(self) -> tuple[bytes, ...]:
        """The event as an item of a list: JSON without kind and apiVersion."""
        found = self._encoded
        if found is None:
            found = self._encoded = self._encode()
        return found

    def line(self) -> tuple[bytes, ...]:
        """The event alone, with its kind: one line."""
        first, *rest = self.pieces()
        if not rest:
            return (b"%b%b\n" % (_TYPE, first[1:]),)
        return (_TYPE + first[1:], *rest, b"\n")

    def line_bytes(self) -> int:
        return sum(map(len, self.pieces())) + _LINE_BYTES

    def truncated(self) -> Event:
        """Without the objects, which an annotation tells."""
        members = dict(self.members)
        members["annotations"] = {**members.get("annotations", {}), _TRUNCATED: "true"}
        return Event(self.level, members, self.user, self.acting)

    def legacy_line(self) -> bytes:
        members, user, acting = self.members, self.user, self.acting
        name, groups = "<none>", "<none>"
        if user is not None and user.name:
            name, groups = user.name, _quote_all(user.groups) or groups
        as_name, as_groups = "<self>", "<lookup>"
        if acting is not None:
            as_name, as_groups = acting.name, _quote_all(acting.groups) or as_groups
        status = members.get("responseStatus")
        shown = {
            "id": members["auditID"],
            "stage": members["stage"],
            "ip": next(iter(members.get("sourceIPs", ())), "<unknown>"),
            "method": members["verb"],
            "user": name,
            "groups": groups,
            "as": as_name,
            "asgroups": as_groups,
            "user-agent": members.get("userAgent", ""),
            "namespace": members.get("objectRef", {}).get("namespace") or "<none>",
            "uri": members["requestURI"],
        }
        texts = " ".join(f"{key}={gofmt.quote(value)}" for key, value in shown.items())
        code = "<deferred>" if status is None else str(status.get("code", 0))
        received = _trim_fraction(members["requestReceivedTimestamp"])
        return f'{received} AUDIT: {texts} response="{code}"\n'.encode("utf-8", "replace")

    def _encode(self) -> tuple[bytes, ...]:
        members = self.members
        if self.request_object is None and self.response_object is None:
            return (encode(members),)
        names = list(members)
        behind = names.index(_BEHIND_OBJECTS)
        pieces = [encode({name: members[name] for name in names[:behind]})[:-1]]
        if self.request_object is not None:
            pieces += (b',"requestObject":', self.request_object)
        if self.response_object is not None:
            pieces += (b',"responseObject":', *self.response_object)
        pieces.append(b"," + encode({name: members[name] for name in names[behind:]})[1:])
        return tuple(pieces)

    @property
    def holds_objects(self) -> bool:
        return self.level >= levels.REQUEST


def encode(value: Any) -> bytes:
    """JSON; characters that no text may hold are replaced, so that no client can prevent its event."""
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate
        return orjson.dumps(_repair(value))


def _repair(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_repair(key): _repair(item) for key, item in value.items()}
    return [_repair(item) for item in value] if isinstance(value, (list, tuple)) else value


def _quote_all(texts: Sequence[str]) -> str:
    return ",".join(map(gofmt.quote, texts))


def _trim_fraction(time: str) -> str:
    """RFC 3339 as Go writes nanoseconds: no zeros at the end."""
    whole, _, fraction = time.rstrip("Z").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}Z" if fraction else f"{whole}Z"
