"""Reads older states of a running server: of one object back to its beginning, of everything as of a revision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from quarterdeck.cmd.client import Client, RequestError

_NOT_FOUND: Final = 404
_EXPIRED: Final = 410

Object = dict[str, Any]


class Resource(NamedTuple):
    root: str
    group: str
    name: str
    namespaced: bool

    def path(self, namespace: str, name: str) -> str:
        place = f"/namespaces/{quote(namespace, safe='')}" if self.namespaced else ""
        return f"{self.root}{place}/{self.name}/{quote(name, safe='')}"


def find_resources(client: Client, wanted: str = "") -> list[Resource]:
    """All that can be listed, in their preferred versions; `wanted`: the one of that name (plural, singular, short, of
    a kind; `NAME.GROUP`). Raises RequestError."""
    found = []
    for group, version in _versions(client):
        root = f"/apis/{group}/{version}" if group else f"/api/{version}"
        status, data = client.call("GET", root)
        for each in json.loads(data)["resources"] if status == 200 else ():
            if "/" in each["name"] or "list" not in each["verbs"]:
                continue
            names = {each["name"], each["singularName"], each["kind"].lower(), *each.get("shortNames", ())}
            if not wanted or wanted.lower() in names or wanted.lower() in {f"{name}.{group}" for name in names}:
                found.append(Resource(root, group, each["name"], each["namespaced"]))
    if wanted and not found:
        raise RequestError(f"the server has no resource {wanted!r}")
    return found


def _versions(client: Client) -> Iterator[tuple[str, str]]:
    yield "", "v1"
    for group in client.must(200, "GET", "/apis")["groups"]:
        yield group["name"], group["preferredVersion"]["version"]


class History:
    """States of one object, the newest first. `is_whole`: the first one is the object's beginning, and not the oldest
    that the server remembers."""

    def __init__(self, client: Client, path: str) -> None:
        self._client = client
        self._path = path
        self.is_whole = False

    def walk(self, revision: int = 0) -> Iterator[Object]:
        """From that revision on; 0: the newest. Raises RequestError where there is none."""
        at, is_first = revision, True
        while at > 0 or is_first:
            query = f"?resourceVersion={at}&resourceVersionMatch=Exact" if at else ""
            status, data = self._client.call("GET", f"{self._path}{query}")
            if status != 200 and not is_first:
                self.is_whole = status == _NOT_FOUND
                return
            state = self._client.read(status, data)
            yield state
            at, is_first = int(state["metadata"]["resourceVersion"]) - 1, False


def list_at(client: Client, resource: Resource, revision: int) -> dict[tuple[str, str], Object]:
    """By namespace and name. Raises RequestError."""
    path = f"{resource.root}/{resource.name}?resourceVersion={revision}&resourceVersionMatch=Exact"
    status, data = client.call("GET", path)
    if status == _EXPIRED:
        raise RequestError(f"revision {revision} is forgotten: {json.loads(data).get('message', '')}")
    items = client.read(status, data)["items"]
    return {(each["metadata"].get("namespace", ""), each["metadata"]["name"]): each for each in items}
