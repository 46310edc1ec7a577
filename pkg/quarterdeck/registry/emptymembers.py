"""Objects whose stored form upstream is not what it shows: empty members of metadata in it (`labels: {}`), or less.

Server-side apply stores a custom resource as it was merged; whoever reads it decodes metadata, which drops what is
empty. What it sets in an object of which the schema has no fields, and what admission adds beyond the schema, is stored
as well, and dropped by who reads it. A built-in object can be stored with less than is shown, too: whoever reads it
sets a default that was not there when it was stored (the labels of a job, which are those of its pods). Upstream leaves
a write out where it would store the bytes that are stored already. Such an object is therefore written anew by the next
write, even if that changes nothing: with the resourceVersion goes an event.

Here nothing empty is stored, so that stored bytes can be shown as they are. Which objects it would be in is kept
beside them.

Source: apiserver/pkg/storage/etcd3/store.go (GuaranteedUpdate), apiextensions-apiserver pkg/apiserver/
customresource_handler.go (schemaCoercingDecoder).
"""

from __future__ import annotations

from typing import Final

# Differs from upstream: it is forgotten with the process, and of the oldest objects beyond these of one resource. What
# is stored there is shown when the schema has got it; here it is gone.
OBJECTS_MAX: Final = 10_000


class EmptyMembers:
    """Which objects of a resource would be stored otherwise than shown, by namespace and name, at one revision."""

    __slots__ = ("_revisions",)

    def __init__(self) -> None:
        self._revisions: dict[tuple[str, str], int] = {}

    def add(self, namespace: str, name: str, revision: int) -> None:
        key = (namespace, name)
        self._revisions.pop(key, None)  # the newest stand last
        self._revisions[key] = revision
        if len(self._revisions) > OBJECTS_MAX:
            del self._revisions[next(iter(self._revisions))]

    def are_in(self, namespace: str, name: str, revision: int) -> bool:
        """Whether the object has been stored with some, and not been written since."""
        if not self._revisions:
            return False
        key = (namespace, name)
        found = self._revisions.get(key)
        if found is not None and found != revision:
            del self._revisions[key]
        return found == revision
