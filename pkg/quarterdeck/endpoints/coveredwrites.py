"""Which fields of a definition's schema a write that succeeded has set: those that its body has a value for.

What defaults, webhooks and controllers of the server add is not the client's, and does not count; nor does what an
endpoint ignores: status beside the status subresource, all but status at it. Bodies are read again, large ones beside
the event loop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.codec import json, mediatypes, yaml
from quarterdeck.coverage import fields
from quarterdeck.coverage.fields import Fields, Found, VersionFields
from quarterdeck.endpoints.context import RequestContext

_JSON_PATCH: Final = "application/json-patch+json"
_STATUS: Final = "status"
_SCALE: Final = "scale"


class Written(NamedTuple):
    """A version that is served. `read` gives its schema, `digest` tells whether it is still the same."""

    definition: str
    version: str
    digest: str
    read: Callable[[], dict[str, Any]]
    has_status: bool


class CoveredWrites:
    """`find` gives what is served at a group, version and resource."""

    def __init__(self, noted: Fields) -> None:
        self._noted = noted
        self.find: Callable[[str, str, str], Written | None] = lambda *_: None

    def note(self, request: RequestContext) -> Awaitable[None] | None:
        """Of a request that was answered well. What is to be awaited until it is done."""
        scope = request.scope
        if scope is None or not scope.is_custom or request.dry_run:
            return None
        resource = scope.resource
        written = self.find(resource.group, resource.version, resource.name)
        if written is None:
            return None
        known = self._noted.get(written.definition, written.version)
        if known is None or known.digest != written.digest:
            known = self._noted.prepare(written.definition, written.version, written.digest, written.read())
        if len(request.body) > offload.LARGE_BYTES:
            return self._note_later(known, request, written)
        known.add(_find(known, request, written))
        return None

    async def _note_later(self, known: VersionFields, request: RequestContext, written: Written) -> None:
        known.add(await offload.run(_find, known, request, written))


def _find(known: VersionFields, request: RequestContext, written: Written) -> Found:
    assert request.scope is not None
    subresource = request.scope.subresource
    if subresource == _SCALE:
        scale = request.scope.scale
        names = scale.spec_replicas.removeprefix(".").split(".") if scale is not None else ()
        return fields.find_at(known.root, names)
    media_type = mediatypes.parse(request.headers.get("content-type", ""))
    value = _read(request, media_type)
    is_wanted = _choose(subresource, has_status=written.has_status)
    if media_type == _JSON_PATCH:
        operations = value if isinstance(value, list) else ()
        return fields.find_patched(known.root, [each for each in operations if is_wanted(_first_name(each))])
    if not isinstance(value, dict):
        return {}
    return fields.find(known.root, {name: each for name, each in value.items() if is_wanted(name)})


def _choose(subresource: str, *, has_status: bool) -> Callable[[str], bool]:
    """Which members of an object a write can change."""
    if subresource == _STATUS:
        return lambda name: name == _STATUS
    return lambda name: not has_status or name != _STATUS


def _first_name(operation: Any) -> str:
    path = operation.get("path") if isinstance(operation, dict) else None
    return path.split("/")[1] if isinstance(path, str) and "/" in path else ""


def _read(request: RequestContext, media_type: str) -> Any:
    """What is in a body that has been read before."""
    decoded = request.decoded
    if isinstance(decoded, yaml.Decoded):
        return decoded.value
    try:
        if "yaml" in media_type:
            return yaml.decode(request.body).value
        return json.decode(request.body, keeps_huge=True).value
    except (json.DecodeError, yaml.DecodeError):  # of a type that is read in another way
        return None
