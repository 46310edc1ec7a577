"""`quarterdeck storage migrate`: every object of a resource is written again, in the storage version, and encrypted by
the first provider and key.

It is a client of the running server: each object gets a patch that changes nothing, and the server writes what is
stored in another version, or by another key (and nothing else). So stopping it loses nothing, and the next run goes on:
what is done is found to be done. status.storedVersions stays as it is.

Upstream: kube-storage-version-migrator (pkg/migrator/core.go).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from quarterdeck.cmd.client import Client, RequestError
from quarterdeck.cmd.kubeconfig import Target

PAGE: Final = 500
AT_ONCE: Final = 8
_FAILURES_KEPT_MAX: Final = 20
_DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_LIST: Final = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
_OBJECT: Final = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
_MERGE_PATCH: Final = "application/merge-patch+json"
_NOT_FOUND: Final = 404
_EXPIRED: Final = 410

Object = dict[str, Any]


class _Stage(NamedTuple):
    """What a definition says: where its objects are, and in what version they are stored."""

    path: str
    namespaced: bool
    version: str
    stored_versions: list[str]


@dataclass(slots=True)
class Progress:
    """Of one definition. `gone`: deleted meanwhile. `failures` are the first ones in words, `failed` is how many."""

    rewritten: int = 0
    unchanged: int = 0
    gone: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def seen(self) -> int:
        return self.rewritten + self.unchanged + self.gone + self.failed

    def fail(self, name: str, status: int, answer: bytes) -> None:
        self.failed += 1
        if len(self.failures) < _FAILURES_KEPT_MAX:
            self.failures.append(f"{name}: {status} {answer[:400].decode(errors='replace')}")


class Migration:
    """Of the definition `name`. `tell` is called after each page with the progress and what is left, None where the
    server does not say."""

    def __init__(self, target: Target, name: str, tell: Callable[[Progress, int | None], None]) -> None:
        self._target = target
        self._name = name
        self._tell = tell
        self.progress = Progress()
        self.version = ""
        self.stored_versions: list[str] = []

    def run(self) -> bool:
        """Whether all objects are stored in the storage version now. Raises RequestError."""
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(contextlib.closing(Client(self._target))) for _ in range(AT_ONCE)]
            begun = self._read_definition(clients[0])
            self.version, self.stored_versions = begun.version, begun.stored_versions
            for page, left in self._pages(clients[0], begun.path):
                for start in range(0, len(page), AT_ONCE):
                    self._rewrite(clients, begun, page[start : start + AT_ONCE])
                self._tell(self.progress, left)
            return not self.progress.failed and self._read_definition(clients[0]).version == begun.version

    def _read_definition(self, client: Client) -> _Stage:
        client.send("GET", f"{_DEFINITIONS}/{quote(self._name)}")
        status, answer = client.receive()
        if status == _NOT_FOUND:
            return self._read_builtin(client)
        definition = client.read(status, answer)
        spec = definition["spec"]
        version = next(each["name"] for each in spec["versions"] if each["storage"])
        served = [each["name"] for each in spec["versions"] if each["served"]]
        if not served:
            raise RequestError(f"no version of {self._name} is served")
        # In the storage version nothing has to be converted of what is done already.
        path = f"/apis/{spec['group']}/{version if version in served else served[0]}"
        plural = spec["names"]["plural"]
        stored = (definition.get("status") or {}).get("storedVersions") or []
        return _Stage(f"{path}/%s{plural}", spec["scope"] == "Namespaced", version, stored)

    def _read_builtin(self, client: Client) -> _Stage:
        """Of what the server itself defines: "secrets", "deployments.apps"."""
        name, _, group = self._name.partition(".")
        path = "/api/v1"
        found = client.must(200, "GET", f"/apis/{quote(group)}" if group else path)
        if group:
            path = f"/apis/{found['preferredVersion']['groupVersion']}"
            found = client.must(200, "GET", path)
        for resource in found["resources"]:
            if resource["name"] == name and {"list", "patch"} <= set(resource["verbs"]):
                version = path.rpartition("/")[2]
                return _Stage(f"{path}/%s{name}", resource["namespaced"], version, [version])
        raise RequestError(f"there is no resource {self._name} whose objects can be written again")

    def _pages(self, client: Client, path: str) -> Iterator[tuple[list[Object], int | None]]:
        token = ""
        while True:
            query = {"limit": str(PAGE), **({"continue": token} if token else {})}
            client.send("GET", f"{path % ''}?{urlencode(query)}", accept=_LIST)
            status, answer = client.receive()
            if status == _EXPIRED and token:
                # The page has expired: go on at its place in the newest state if the server allows it, else begin anew.
                token = _metadata(answer).get("continue", "")
                continue
            listed = client.read(status, answer)
            metadata = listed.get("metadata") or {}
            yield listed.get("items") or [], metadata.get("remainingItemCount")
            token = metadata.get("continue", "")
            if not token:
                return

    def _rewrite(self, clients: list[Client], stage: _Stage, items: list[Object]) -> None:
        """Rewrites each object on a connection of its own, so that their commits and conversions are batched."""
        for client, item in zip(clients, items, strict=False):
            metadata = item["metadata"]
            within = f"namespaces/{quote(metadata['namespace'])}/" if stage.namespaced else ""
            address = f"{stage.path % within}/{quote(metadata['name'])}"
            client.send("PATCH", address, {}, accept=_OBJECT, sent=_MERGE_PATCH)
        for client, item in zip(clients, items, strict=False):
            self._note(item["metadata"], *client.receive())

    def _note(self, metadata: Object, status: int, answer: bytes) -> None:
        progress = self.progress
        if status == _NOT_FOUND:
            progress.gone += 1
        elif status != 200:
            progress.fail("/".join(filter(None, (metadata.get("namespace"), metadata["name"]))), status, answer)
        elif _metadata(answer).get("resourceVersion") == metadata["resourceVersion"]:
            progress.unchanged += 1
        else:
            progress.rewritten += 1


def _metadata(answer: bytes) -> Object:
    try:
        metadata: Object = json.loads(answer).get("metadata") or {}
    except (ValueError, AttributeError):
        return {}
    return metadata
