"""How logical clusters and snapshots of them are made, told of and removed.

    PUT    /clusters/NAME[?from=NAME|?snapshot=NAME][&awake=true][&clock=TIME|now[&seed=N]]
                                                    a new one, a fork, one of a snapshot; by a virtual clock
    GET    /clusters/NAME, /clusters
    POST   /clusters/NAME?restore=SNAPSHOT
    DELETE /clusters/NAME
    PUT    /clustersnapshots/NAME?of=CLUSTER
    GET    /clustersnapshots
    DELETE /clustersnapshots/NAME

Paths of no resource: whoever may use them by the process's own authorization (a rule for nonResourceURLs) may use them.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.query import parse_query
from quarterdeck.server.clusters import clusterclock
from quarterdeck.server.clusters.cluster import Cluster
from quarterdeck.server.clusters.front import ROOT
from quarterdeck.server.clusters.registry import Clusters
from quarterdeck.storage.memory import State
from quarterdeck.transport.messages import Request, Response

SNAPSHOTS: Final = "/clustersnapshots"
_KIND: Final = "LogicalCluster"
_SNAPSHOT_KIND: Final = "LogicalClusterSnapshot"


class Management:
    def __init__(self, clusters: Clusters) -> None:
        self._clusters = clusters

    def __call__(self, request: Request) -> Response | Awaitable[Response] | None:
        root, _, name = request.path[1:].partition("/")
        if f"/{root}" == ROOT and "/" not in name:
            return self._manage(request, name)
        if f"/{root}" == SNAPSHOTS and "/" not in name:
            return self._manage_snapshots(request, name)
        return None

    def _manage(self, request: Request, name: str) -> Response | Awaitable[Response]:
        if not name:
            _allow(request, "GET")
            return _answer(200, _list(_KIND, [_describe(each) for each in self._clusters.all()]))
        if request.method == "GET":
            return _answer(200, _describe(self._clusters.require(name)))
        return self._change(request, name)

    async def _change(self, request: Request, name: str) -> Response:
        _allow(request, "PUT", "POST", "DELETE")
        asked = _read_query(request, {"PUT": ("from", "snapshot", "awake", "clock", "seed"), "POST": ("restore",)})
        if request.method == "DELETE":
            await self._clusters.delete(name)
            return _answer(200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})
        if request.method == "POST":
            return _answer(200, _describe(await self._clusters.restore(name, snapshot=_need(asked, "restore"))))
        fork_of, snapshot = asked.get("from", ""), asked.get("snapshot", "")
        if fork_of and snapshot:
            raise errors.BadRequest("from and snapshot do not go together", {})
        clock = clusterclock.read(asked.get("clock", ""), asked.get("seed", ""))
        cluster = await self._clusters.create(name, fork_of=fork_of, snapshot=snapshot, clock=clock)
        if asked.get("awake") == "true":
            await self._clusters.wake(cluster)
        return _answer(201, _describe(cluster))

    def _manage_snapshots(self, request: Request, name: str) -> Response:
        if not name:
            _allow(request, "GET")
            items = [_describe_snapshot(name, state) for name, state in self._clusters.snapshots()]
            return _answer(200, _list(_SNAPSHOT_KIND, items))
        _allow(request, "PUT", "DELETE")
        asked = _read_query(request, {"PUT": ("of",)})
        if request.method == "DELETE":
            self._clusters.drop_snapshot(name)
            return _answer(200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})
        state = self._clusters.take_snapshot(name, cluster=_need(asked, "of"))
        return _answer(201, _describe_snapshot(name, state))


def _allow(request: Request, *methods: str) -> None:
    if request.method not in methods:
        raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})


def _read_query(request: Request, known: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Raises BadRequest for what is not known: a misspelt `from` would be another cluster than was asked for."""
    found = parse_query(request.query)
    allowed = known.get(request.method, ())
    for name, values in found.items():
        if name not in allowed or len(values) != 1:
            raise errors.BadRequest(f"query parameter {name!r} is not known here, or is given more than once", {})
    return {name: values[0] for name, values in found.items()}


def _need(asked: dict[str, str], name: str) -> str:
    if not asked.get(name):
        raise errors.BadRequest(f"query parameter {name!r} is required", {})
    return asked[name]


def _describe(cluster: Cluster) -> dict[str, Any]:
    state, virtual = cluster.state, cluster.kept.time
    told = {} if virtual is None else {"clock": virtual.clock.text()}
    return {
        "kind": _KIND,
        "name": cluster.name,
        "uid": cluster.uid,
        "created": cluster.created,
        "path": f"{ROOT}/{cluster.name}",
        "awake": cluster.server is not None,
        "objects": len(state.current),
        "resourceVersion": str(state.revision),
        **told,
    }


def _describe_snapshot(name: str, state: State) -> dict[str, Any]:
    return {
        "kind": _SNAPSHOT_KIND,
        "name": name,
        "objects": len(state.current),
        "resourceVersion": str(state.revision),
    }


def _list(kind: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": f"{kind}List", "items": items}


def _answer(status: int, value: dict[str, Any]) -> Response:
    return respond.json_response(status, json_codec.encode(value))
