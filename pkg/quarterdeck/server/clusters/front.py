"""What the transport calls where there are logical clusters: /clusters/NAME/… is theirs, all else the process's own."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.endpoints import respond
from quarterdeck.server.clusters.cluster import Cluster, Server
from quarterdeck.server.clusters.registry import Clusters
from quarterdeck.transport.messages import Application, Request, Response

ROOT: Final = "/clusters"
_PREFIX: Final = f"{ROOT}/"


class ClusterRouter:
    """An unknown cluster is a path that `own` does not have: whether there is one is told to who may know it."""

    def __init__(self, own: Application, clusters: Clusters) -> None:
        self._own = own
        self._clusters = clusters

    def __call__(self, request: Request) -> Response | Awaitable[Response]:
        path = request.path
        if not path.startswith(_PREFIX):
            return self._own(request)
        name, slash, rest = path[len(_PREFIX) :].partition("/")
        cluster = self._clusters.find(name) if slash else None
        if cluster is None:
            return self._own(request)
        request.base, request.path = _PREFIX + name, f"/{rest}"
        if cluster.server is None:
            return cluster.finish(self._wake(cluster, request))
        answer = self._ask(cluster, cluster.server, request)
        return answer if isinstance(answer, Response) else cluster.finish(answer)

    def _ask(self, cluster: Cluster, server: Server, request: Request) -> Response | Awaitable[Response]:
        self._clusters.note_use(cluster)
        return server.application(request)

    async def _wake(self, cluster: Cluster, request: Request) -> Response:
        try:
            server = await self._clusters.wake(cluster)
        except APIStatus as error:
            return _refuse(error)
        answer = self._ask(cluster, server, request)
        return answer if isinstance(answer, Response) else await answer


def _refuse(error: APIStatus) -> Response:
    """Before there is a server that could say it in the client's own form."""
    response = respond.json_response(error.http_code, json_codec.encode(error.to_status()))
    if error.retry_after_s:
        response.headers.append(("Retry-After", str(error.retry_after_s)))
    return response
