"""/metrics and /metrics/slis. Source: apiserver/pkg/server/routes/metrics.go, component-base/metrics/prometheus/slis.

The text is made in pieces, and other requests are served between two of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.messages import Headers, Request, Response

# As upstream takes it, when the process loads the code.
_PROCESS_START: Final = ("Process-Start-Time-Unix", str(int(time.time())))


class MetricsPaths:
    """`registries` by path."""

    def __init__(self, registries: Mapping[str, Registry]) -> None:
        self._registries = registries

    def __call__(self, request: Request) -> Awaitable[Response] | None:
        registry = self._registries.get(request.path)
        if registry is None:
            return None
        if request.method not in ("GET", "HEAD"):
            # Differs from upstream: DELETE /metrics resets nothing; counters that fall are of no use to anybody.
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        return _respond(registry, request.headers.get("accept", ""))


async def _respond(registry: Registry, accept: str) -> Response:
    from quarterdeck.metrics import exposition

    pieces = []
    for piece in exposition.format_pieces(registry):
        pieces.append(piece)
        await asyncio.sleep(0)
    headers: Headers = [_PROCESS_START, ("Content-Type", exposition.content_type(accept))]
    return Response(200, headers, b"".join(pieces), compressible=True)
