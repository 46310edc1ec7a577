"""Priority and fairness of a real server: who is classified as what, and that changes count."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.server import Server
from support.waiting import PATIENCE_S

API = "/apis/flowcontrol.apiserver.k8s.io/v1"
FLOW, LEVEL = "X-Kubernetes-PF-FlowSchema-UID", "X-Kubernetes-PF-PriorityLevel-UID"


def start(directory: Path, *flags: str) -> Server:
    tokens = directory / "tokens.csv"
    tokens.write_text('of-root,root,1,"system:masters"\nof-jane,jane,2\n')
    return Server(None, "--token-auth-file", str(tokens), *flags)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # Of 20 seats jane's level gets 10 shares in 255: one.
    with start(
        tmp_path_factory.mktemp("tokens"), "--max-requests-inflight=12", "--max-mutating-requests-inflight=8"
    ) as s:
        yield s


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.schema, self.level = self.headers.get(FLOW, ""), self.headers.get(LEVEL, "")


def connect(server: Server) -> http.client.HTTPSConnection:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection("127.0.0.1", server.secure_port, timeout=PATIENCE_S, context=context)


def ask(server: Server, user: str, method: str, path: str, body: Any = None) -> Answer:
    connection = connect(server)
    try:
        headers = {"Authorization": f"Bearer of-{user}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def uid_of(server: Server, kind: str, name: str) -> str:
    uid: str = json.loads(ask(server, "root", "GET", f"{API}/{kind}/{name}").body)["metadata"]["uid"]
    return uid


def test_every_answer_tells_its_schema_and_level(server: Server) -> None:
    exempt = ask(server, "root", "GET", "/api/v1/namespaces")
    assert exempt.schema == uid_of(server, "flowschemas", "exempt")
    assert exempt.level == uid_of(server, "prioritylevelconfigurations", "exempt")
    refused = ask(server, "jane", "GET", "/api/v1/namespaces")
    assert refused.status == 403  # decided before it is authorized
    assert refused.schema == uid_of(server, "flowschemas", "global-default")
    assert refused.level == uid_of(server, "prioritylevelconfigurations", "global-default")
    assert ask(server, "nobody", "GET", "/api/v1/namespaces").schema == ""  # 401: nobody to classify


def schema(level: str, user: str) -> dict[str, Any]:
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
    rule = {"subjects": [{"kind": "User", "user": {"name": user}}], "resourceRules": [everything]}
    return {
        "metadata": {"name": f"of-{user}"},
        "spec": {
            "priorityLevelConfiguration": {"name": level},
            "matchingPrecedence": 50,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [rule],
        },
    }


def test_a_new_schema_counts_a_moment_later(server: Server) -> None:
    made = ask(server, "root", "POST", f"{API}/flowschemas", schema("workload-low", "jane"))
    assert made.status == 201
    uid = json.loads(made.body)["metadata"]["uid"]
    end_s = time.monotonic() + PATIENCE_S
    while (seen := ask(server, "jane", "GET", "/api/v1/namespaces")).schema != uid:
        assert time.monotonic() < end_s
    assert seen.level == uid_of(server, "prioritylevelconfigurations", "workload-low")
    ask(server, "root", "DELETE", f"{API}/flowschemas/of-jane")
    while ask(server, "jane", "GET", "/api/v1/namespaces").schema == uid:
        assert time.monotonic() < end_s


def test_a_schema_says_again_whether_its_level_exists(server: Server) -> None:
    path = f"{API}/flowschemas/of-again"
    assert ask(server, "root", "POST", f"{API}/flowschemas", schema("workload-low", "again")).status == 201
    shown = json.loads(ask(server, "root", "GET", path).body)
    shown["status"] = {"conditions": [{"type": "Dangling", "status": "True"}, {"type": "Other", "status": "True"}]}
    written = json.loads(ask(server, "root", "PUT", f"{path}/status", shown).body)
    assert [each["status"] for each in written["status"]["conditions"]] == ["True", "True"]
    end_s = time.monotonic() + PATIENCE_S
    while (told := json.loads(ask(server, "root", "GET", path).body)["status"])["conditions"][0]["status"] == "True":
        assert time.monotonic() < end_s
    assert [(each["type"], each.get("reason")) for each in told["conditions"]] == [
        ("Dangling", "Found"),
        ("Other", None),
    ]
    assert ask(server, "root", "DELETE", path).status == 200


def test_what_a_level_has_no_room_for_is_refused(server: Server) -> None:
    """One list whose client does not read holds the only seat."""
    level = {
        "metadata": {"name": "narrow"},
        "spec": {
            "type": "Limited",
            "limited": {"nominalConcurrencyShares": 1, "borrowingLimitPercent": 0, "limitResponse": {"type": "Reject"}},
        },
    }
    assert ask(server, "root", "POST", f"{API}/prioritylevelconfigurations", level).status == 201
    assert ask(server, "root", "POST", f"{API}/flowschemas", schema("narrow", "jane")).status == 201
    bind(server, "jane")
    for number in range(12):
        data = {"metadata": {"name": f"large-{number}"}, "data": {"text": "x" * 1_000_000}}
        assert ask(server, "root", "POST", "/api/v1/namespaces/default/configmaps", data).status == 201
    deaf = connect(server)
    deaf.connect()
    assert isinstance(deaf.sock, socket.socket)
    deaf.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.request("GET", "/api/v1/configmaps", headers={"Authorization": "Bearer of-jane"})
    assert deaf.getresponse().status == 200
    refused = ask(server, "jane", "GET", "/api/v1/namespaces")
    assert (refused.status, refused.body) == (429, b"Too many requests, please try again later.\n")
    assert refused.headers["Retry-After"] == "1"
    assert refused.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert refused.schema
    assert ask(server, "root", "GET", "/api/v1/namespaces/default").status == 200
    dump = ask(
        server, "root", "GET", "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1"
    ).body.decode()
    row = next(line for line in dump.splitlines() if line.startswith("narrow,"))
    assert [cell.strip() for cell in row.split(",")][-8:] == [
        "jane",
        "list",
        "/api/v1/configmaps",
        "",
        "",
        "v1",
        "configmaps",
        "",
    ]
    metrics = ask(server, "root", "GET", "/metrics").body.decode()
    assert (
        'rejected_requests_total{flow_schema="of-jane",priority_level="narrow",reason="concurrency-limit"} 1' in metrics
    )
    assert 'current_executing_requests{flow_schema="of-jane",priority_level="narrow"} 1' in metrics
    deaf.close()
    end_s = time.monotonic() + PATIENCE_S
    while ask(server, "jane", "GET", "/api/v1/namespaces").status != 200:
        assert time.monotonic() < end_s


def bind(server: Server, user: str) -> None:
    binding = {
        "metadata": {"name": f"of-{user}"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    }
    path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    assert ask(server, "root", "POST", path, binding).status == 201


def test_levels_and_queues_can_be_looked_at(server: Server) -> None:
    levels = ask(server, "root", "GET", "/debug/api_priority_and_fairness/dump_priority_levels").body.decode()
    assert levels.splitlines()[0].startswith("PriorityLevelName, ActiveQueues, IsIdle,")
    queues = ask(server, "root", "GET", "/debug/api_priority_and_fairness/dump_queues").body.decode()
    assert sum(line.startswith("workload-low,") for line in queues.splitlines()) == 128


def test_without_priority_and_fairness_no_answer_tells_of_them(tmp_path: Path) -> None:
    with start(tmp_path, "--enable-priority-and-fairness=false") as server:
        plain = ask(server, "root", "GET", "/api/v1/namespaces")
        assert (plain.status, plain.schema, plain.level) == (200, "", "")
        assert ask(server, "root", "GET", "/debug/api_priority_and_fairness/dump_queues").status == 404
