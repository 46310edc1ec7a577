"""What a path and a method mean: the verb, group, version, resource and name of a request.

Pure; errors of the address are found later, by the router. Source: apiserver/pkg/endpoints/request/requestinfo.go.
"""

from __future__ import annotations

import re
from sys import intern
from typing import Final
from urllib.parse import unquote

from quarterdeck.endpoints.query import parse_query

_VERBS: Final = {
    "POST": "create",
    "GET": "get",
    "HEAD": "get",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
# Parts below a namespace's name that are subresources of the namespace and not resources inside it.
_NAMESPACE_SUBRESOURCES: Final = frozenset(("status", "finalize"))
# What may stand before a resource in place of the method's verb.
_PATH_VERBS: Final = frozenset(("watch", "proxy"))
_watch_parameter: Final = re.compile("(?:^|&)watch(?:=([^&]*))?(?=&|$)").search
_NO: Final = ("0", "false")
# The longest address has nine: /apis/GROUP/VERSION/watch/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE. What follows
# them is one text, however many slashes it has.
_PARTS_MAX: Final = 12
_PATHS_CACHED_MAX: Final = 4096
_PATH_CACHED_CHARS_MAX: Final = 512


class Address:
    """What a path names. `parts` are the decoded segments after group and version.

    `prefix` is "api" or "apis". `path_verb` is the verb of the deprecated forms /…/watch/… and /…/proxy/…; `is_bare`
    tells that nothing stands behind it. `has_namespace`: /namespaces/X/… was given, even with an empty X; `is_inside`:
    and the resource stands behind it, as that of /namespaces/X and of its subresources does not. `is_nowhere`: the
    decoded path begins with two slashes or with none (that of an absolute URI may be empty), so that it names what it
    names to authorization alone: nobody serves it.
    """

    __slots__ = (
        "group",
        "has_namespace",
        "is_bare",
        "is_inside",
        "is_nowhere",
        "is_resource",
        "is_watch_path",
        "name",
        "namespace",
        "parts",
        "path_verb",
        "prefix",
        "resource",
        "subresource",
        "version",
    )

    def __init__(  # noqa: PLR0913 - an address has that many parts
        self,
        *,
        is_resource: bool,
        prefix: str = "",
        group: str = "",
        version: str = "",
        namespace: str = "",
        resource: str = "",
        subresource: str = "",
        name: str = "",
        parts: tuple[str, ...] = (),
        path_verb: str = "",
        is_bare: bool = False,
        has_namespace: bool = False,
        is_inside: bool = False,
        is_nowhere: bool = False,
    ) -> None:
        self.is_resource = is_resource
        self.prefix = prefix
        self.group = group
        self.version = version
        self.namespace = namespace
        self.resource = resource
        self.subresource = subresource
        self.name = name
        self.parts = parts
        self.path_verb = path_verb
        self.is_bare = is_bare
        self.is_watch_path = path_verb == "watch"
        self.has_namespace = has_namespace
        self.is_inside = is_inside
        self.is_nowhere = is_nowhere


_NO_RESOURCE: Final = Address(is_resource=False)
_NOWHERE: Final = Address(is_resource=False, is_nowhere=True)


class RequestInfo:
    """`verb` is Kubernetes' (get, list, watch, create, …) for resources, the method in lower case for other paths.
    `path` is that of a resource as it was sent, any other one decoded: as it is authorized and served."""

    __slots__ = ("address", "path", "verb")

    def __init__(self, verb: str, address: Address, path: str) -> None:
        self.verb = verb
        self.address = address
        self.path = path


class _Addresses:
    """Those of the paths that came last, in two halves: what is not asked for while a half fills up is dropped."""

    __slots__ = ("_new", "_old")

    def __init__(self) -> None:
        self._new: dict[str, Address] = {}
        self._old: dict[str, Address] = {}

    def find(self, path: str) -> Address:
        found = self._new.get(path)
        if found is not None:
            return found
        if len(self._new) >= _PATHS_CACHED_MAX // 2:
            self._old, self._new = self._new, {}
        found = self._old.get(path)
        if found is None:
            found = _parse_path(path)
        self._new[path] = found
        return found


_addresses: Final = _Addresses()


def parse_path(path: str) -> Address:
    """Read an undecoded path (`/apis/example.com/v1/namespaces/default/widgets/a`)."""
    return _addresses.find(path) if len(path) <= _PATH_CACHED_CHARS_MAX else _parse_path(path)


def _parse_path(path: str) -> Address:
    decoded = decode(path)
    parts, is_nowhere = split_path(path, _PARTS_MAX), decoded.startswith("//") or not decoded.startswith("/")
    if len(parts) < 3 or parts[0] not in ("api", "apis"):
        return _NOWHERE if is_nowhere else _NO_RESOURCE
    if parts[0] == "apis":
        if len(parts) < 4:
            return _NOWHERE if is_nowhere else _NO_RESOURCE
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        group, version, rest = "", parts[1], parts[2:]
    path_verb = rest[0] if rest[0] in _PATH_VERBS else ""
    is_bare = bool(path_verb) and len(rest) == 1
    if path_verb and not is_bare:
        rest = rest[1:]
    namespace, has_namespace, is_inside = "", False, False
    if rest[0] == "namespaces" and len(rest) > 1:
        namespace, has_namespace = rest[1], True
        is_inside = len(rest) > 2 and rest[2] not in _NAMESPACE_SUBRESOURCES
        if is_inside:
            rest = rest[2:]
    resource = rest[0]
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 and path_verb != "proxy" else ""
    return Address(
        is_resource=True,
        prefix=parts[0],
        # The same text wherever it is asked for: tables are looked up by identity then.
        group=intern(group),
        version=intern(version),
        namespace=namespace,
        resource=intern(resource),
        subresource=subresource,
        name=name,
        parts=tuple(rest),
        path_verb=path_verb,
        is_bare=is_bare,
        has_namespace=has_namespace,
        is_inside=is_inside,
        is_nowhere=is_nowhere,
    )


def decode(path: str) -> str:
    """The path that was sent, as everybody reads it."""
    return unquote(path) if "%" in path else path


def split_path(path: str, parts_max: int = -1) -> list[str]:
    """The segments of the decoded path (an escaped slash separates too); slashes at both ends are dropped, empty
    segments between are kept. Beyond `parts_max` they are left together."""
    trimmed = decode(path).strip("/")
    return trimmed.split("/", parts_max) if trimmed else []


def build_request_info(method: str, path: str, query: str) -> RequestInfo:
    address = parse_path(path)
    if not address.is_resource:
        return RequestInfo(method.lower(), address, decode(path))
    if address.path_verb:  # whatever the method: it must not write
        return RequestInfo(address.path_verb, address, path)
    verb = _VERBS.get(method, "")
    if not address.name:
        if verb == "get":
            verb = "watch" if query and _asks_to_watch(query) else "list"
        elif verb == "delete":
            verb = "deletecollection"
    return RequestInfo(verb, address, path)


def _asks_to_watch(query: str) -> bool:
    """`watch` is true for anything but an absent, "0" or "false" value (upstream: Convert_Slice_string_To_bool)."""
    if "%" in query or ";" in query:  # what is escaped may be anything, what is malformed does not count
        values = parse_query(query).get("watch")
        return values is not None and values[0].lower() not in _NO
    if "watch" not in query:
        return False
    found = _watch_parameter(query)
    return found is not None and (found[1] or "").lower() not in _NO
