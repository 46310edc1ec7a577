"""Several servers on one etcd, as processes, and requests to each of them."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from support import etcd
from support.server import Server

# A leader that is killed is succeeded within this time.
LEASE_S = 3
QUICK_ELECTION = (
    f"--leader-elect-lease-duration={LEASE_S}s",
    "--leader-elect-renew-deadline=2s",
    "--leader-elect-retry-period=500ms",
)
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"


def flags_of(cluster: etcd.Cluster, number: int, *flags: str) -> list[str]:
    """Of one of several servers. Nothing listens on the addresses that they tell others."""
    own = ["--storage-backend=etcd3", "--etcd-servers", ",".join(cluster.urls)]
    return [*own, f"--advertise-address=10.99.0.{number + 1}", *QUICK_ELECTION, *flags]


@contextmanager
def serving(cluster: etcd.Cluster, count: int, *flags: str) -> Iterator[list[Server]]:
    with ExitStack() as stack:
        servers = [stack.enter_context(Server(None, *flags_of(cluster, number, *flags))) for number in range(count)]
        for server in servers:
            server.wait_until_ready()
        yield servers


def call(server: Server, method: str, path: str, body: Any = None, timeout_s: float = 60) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    url = f"http://127.0.0.1:{server.plain_port}{path}"
    return send(urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method), timeout_s)


def send(
    request: urllib.request.Request, timeout_s: float = 60, context: ssl.SSLContext | None = None
) -> tuple[int, Any]:
    """The status, and what was answered: decoded, where it is an object."""
    try:
        with urllib.request.urlopen(request, timeout=timeout_s, context=context) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text.startswith(b"{") else text
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text.startswith(b"{") else text


def holder(server: Server) -> str:
    """Who runs the controllers; empty: nobody."""
    status, lease = call(server, "GET", LEASE)
    return (lease["spec"].get("holderIdentity") or "") if status == 200 else ""


def leads(server: Server) -> bool:
    """Whether a server said last that it leads."""
    text = server.log()
    return text.rfind("this server leads") > text.rfind("does not lead any more")
