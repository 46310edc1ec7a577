"""What a damaged record means beyond its object: a resource whose definition cannot be read is not gone.

Clients would take 404 for "was never there": kubectl and informers forget the kind, operators create the definition
anew. 503 tells them to wait, and /readyz fails until the definition is restored or removed.
"""

from __future__ import annotations

from quarterdeck.apimachinery import errors
from quarterdeck.storage.cacher import Cacher
from quarterdeck.transport.messages import Request, Response

_DEFINITIONS = ("apiextensions.k8s.io", "customresourcedefinitions")


class Damage:
    """Looks at what the watch cache knows to be damaged; all of it is empty in a sound store."""

    def __init__(self, cacher: Cacher) -> None:
        self._cacher = cacher
        self._definitions = cacher.resource(*_DEFINITIONS)

    def count(self) -> int:
        """Stored records that cannot be read."""
        return self._cacher.damaged_count

    def warn(self) -> str | None:
        """For /readyz?verbose, which anybody may read: that there is damage, not where. The log names the records."""
        count = self.count()
        return f"{count} stored records are damaged" if count else None

    def check_definitions(self) -> str | None:
        """A health check."""
        names = sorted(self._definitions.damaged)
        return f"the stored definitions of {', '.join(names[:10])} are damaged" if names else None

    def respond(self, request: Request) -> Response | None:
        """For addresses that no resource has. Raises ServiceUnavailable for those of a damaged definition."""
        if self._definitions.damaged:
            name = _definition_at(request.path)
            if name in self._definitions.damaged:
                raise errors.ServiceUnavailable(f"the stored definition of {name} is damaged", {})
        return None


def _definition_at(path: str) -> str:
    """The name of the definition that an address of a custom resource belongs to; empty for others."""
    parts = path.split("/")
    if len(parts) > 4 and parts[4] == "namespaces" and len(parts) > 6:
        del parts[4:6]
    return f"{parts[4]}.{parts[2]}" if len(parts) > 4 and parts[1] == "apis" else ""
