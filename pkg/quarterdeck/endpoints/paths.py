"""Answers paths that are not of resources: health, version, and the list of paths at /."""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.apimachinery import accept, errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints import respond
from quarterdeck.transport.messages import Request, Response

Answer = Callable[[str, str], Response | None]  # (path, query)


class PlainPaths:
    """`health` answers /healthz, /livez, /readyz and their checks; `version` is /version's fixed answer.

    `paths` lists what / shows beside them (the groups and versions that are served right now).
    """

    def __init__(self, health: Answer, version: Callable[[], Response], paths: Callable[[], list[str]]) -> None:
        self._health = health
        self._version = version
        self._paths = paths

    def __call__(self, request: Request) -> Response | None:
        path = request.path
        if path.rstrip("/") == "/version":
            if request.method != "GET":
                raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
            if not accept.names_one_of(request.headers.get("accept", ""), (json_codec.MEDIA_TYPE,)):
                text = f"406: Not Acceptable\n\nAvailable representations: {json_codec.MEDIA_TYPE}"
                raise errors.NotAcceptable(text, {})
            return self._version()
        if path in ("/", "/index.html"):
            paths = json_codec.encode({"paths": sorted(self._paths())})
            return respond.json_response(200, respond.indent(paths))  # whoever asks, as upstream
        return self._health(path, request.query)
