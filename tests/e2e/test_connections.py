"""What leads clients to nodes, pods and services, through a real server: `kubectl exec`, the `proxy` subresources."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.endpoints.negotiation import MEDIA_TYPES
from support.certificates import CLIENT, Certificate
from support.kubectl import Kubectl
from support.kubelet import Kubelet
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

PODS = "/api/v1/namespaces/default/pods"
SERVICES = "/api/v1/namespaces/default/services"
POLICIES = "/apis/admissionregistration.k8s.io/v1"


class Cluster:
    """A server, a node whose kubelet is in this process, and a pod on it."""

    def __init__(self, folder: Path) -> None:
        (folder / "kubelet").mkdir()
        clients = Certificate("clients of kubelets", is_authority=True)
        certificate, key = Certificate("kube-apiserver", issuer=clients, usages=(CLIENT,)).write(folder)
        self.kubelet = Kubelet(folder / "kubelet", clients.pem)
        self.page = Kubelet(folder, is_plain=True)
        self.authority_file = folder / "kubelets.pem"
        self.authority_file.write_bytes(self.kubelet.authority.pem)
        (folder / "tokens.csv").write_text('secret,admin,u1,"system:masters"\nreading,reader,u2\nrunning,runner,u3\n')
        self.server = Server(
            None,
            *("--token-auth-file", str(folder / "tokens.csv")),
            *("--kubelet-client-certificate", str(certificate), "--kubelet-client-key", str(key)),
            *("--kubelet-certificate-authority", str(self.authority_file)),
            *("--webhook-service-address", f"default/page=127.0.0.1:{self.page.port}"),
        )
        self._context = ssl.create_default_context(cafile=str(self.server.data_dir / "pki" / "ca.crt"))
        self.must("POST", "/api/v1/nodes", self.kubelet.node("n1"))
        self.must("PUT", "/api/v1/nodes/n1/status", self.kubelet.node("n1"))
        names = ("c", "d", "long", "waiting", "closed", "broken")
        containers = [{"name": name, "image": "i"} for name in names]
        for name, where in (("on-n1", "n1"), ("nowhere", ""), ("lost", "gone")):
            spec = {"containers": containers, **({"nodeName": where} if where else {})}
            self.must("POST", PODS, {"metadata": {"name": name}, "spec": spec})

    def stop(self) -> None:
        self.server.stop()
        self.kubelet.stop()
        self.page.stop()

    def call(self, method: str, path: str, value: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.server.secure_port, timeout=PATIENCE_S, context=self._context
        )
        try:
            sent = {"Authorization": "Bearer secret", "Content-Type": "application/json"}
            sent |= {name.replace("_", "-"): text for name, text in headers.items()}
            data = value if isinstance(value, bytes | None) else json.dumps(value)
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return answer.status, {name.lower(): text for name, text in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def must(self, method: str, path: str, value: Any) -> None:
        status, _, body = self.call(method, path, value)
        assert status in (200, 201), body

    def refusal(self, method: str, path: str, **headers: str) -> tuple[int, str]:
        status, _, body = self.call(method, path, None, **headers)
        return status, json.loads(body)["message"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.stop()


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Protocol": "v5.channel.k8s.io",
}


def test_kubectl_runs_a_command(cluster: Cluster, tmp_path: Path) -> None:
    kubectl = Kubectl(cluster.server.kubeconfig, tmp_path)
    assert kubectl("exec", "on-n1", "-c", "c", "--", "echo", "a b&c") == "hello\n"
    _, path, sent = cluster.kubelet.requests[-1]
    assert path == "/exec/default/on-n1/c?command=echo&command=a+b%26c&error=1&output=1"
    assert "Authorization" not in sent
    assert sent["X-Forwarded-For"] == "127.0.0.1"


def test_kubectl_gives_a_command_its_input(cluster: Cluster, tmp_path: Path) -> None:
    kubectl = Kubectl(cluster.server.kubeconfig, tmp_path)
    given = "".join(f"line {number}\n" for number in range(2000))
    assert kubectl("exec", "-i", "on-n1", "-c", "c", "--", "cat", stdin=given) == "hello\n" + given.upper()


def test_kubectl_attaches(cluster: Cluster, tmp_path: Path) -> None:
    running = {"status": {"phase": "Running"}}
    merge = "application/merge-patch+json"
    assert cluster.call("PATCH", f"{PODS}/on-n1/status", running, Content_Type=merge)[0] == 200
    kubectl = Kubectl(cluster.server.kubeconfig, tmp_path)
    assert "hello\n" in kubectl("attach", "on-n1", "-c", "d")
    assert cluster.kubelet.requests[-1][1] == "/attach/default/on-n1/d?error=1&output=1"


def test_kubectl_reads_a_log(cluster: Cluster, tmp_path: Path) -> None:
    kubectl = Kubectl(cluster.server.kubeconfig, tmp_path)
    assert kubectl("logs", "on-n1", "-c", "d", "--tail=5", "--timestamps") == "a line\nanother\n"
    assert cluster.kubelet.requests[-1][1] == "/containerLogs/default/on-n1/d?tailLines=5&timestamps=true"
    assert kubectl("logs", "-f", "on-n1", "-c", "long") == "".join(f"{number}\n" for number in range(50_000))


def test_why_there_is_no_log(cluster: Cluster) -> None:
    path = f"{PODS}/on-n1/log?container="
    assert cluster.refusal("GET", f"{path}none") == (400, "container none is not valid for pod on-n1")
    assert cluster.refusal("GET", f"{path}waiting") == (400, 'container "waiting" is not there yet')
    text = "the server has asked for the client to provide credentials ( pods/log on-n1)"
    assert cluster.refusal("GET", f"{path}closed") == (401, text)
    text = "Internal error occurred: out of order"
    assert cluster.refusal("GET", f"{path}broken") == (500, text)
    assert cluster.refusal("GET", f"{PODS}/lost/log?container=c") == (404, 'pods "gone" not found')
    assert cluster.call("GET", f"{PODS}/nowhere/log?container=c")[0] == 204


def test_what_a_client_has_to_accept_of_a_log(cluster: Cluster) -> None:
    """A form of objects, of which a log then is none: it comes as text in any case."""
    path, as_kind = f"{PODS}/on-n1/log?container=d", "application/json;v=v1;g=meta.k8s.io;as="
    refusals = {
        "text/html": (406, f"406: Not Acceptable\n\nAvailable representations: text/plain, {', '.join(MEDIA_TYPES)}"),
        "text/plain": (406, f"only the following media types are accepted: {', '.join(MEDIA_TYPES)}"),
        f"{as_kind}Table": (406, f"only the following media types are accepted: {', '.join(MEDIA_TYPES)}"),
        f"{as_kind}PartialObjectMetadata": (500, "object does not implement the Object interfaces"),
        f"{as_kind}PartialObjectMetadataList": (
            406,
            "you requested PartialObjectMetadataList, but the requested object is not a list (*rest.LocationStreamer)",
        ),
    }
    for accept, refusal in refusals.items():
        assert cluster.refusal("GET", path, Accept=accept) == refusal
    for accept in ("application/json, */*", "application/yaml", "text/plain, application/json", ""):
        assert cluster.call("GET", path, Accept=accept)[0] == 200
    gone = f"{PODS}/none/log"
    assert cluster.refusal("GET", gone, Accept="text/plain")[0] == 406
    assert cluster.refusal("GET", gone, Accept=f"{as_kind}PartialObjectMetadataList")[0] == 404


def test_options_of_a_log_that_are_refused(cluster: Cluster) -> None:
    """Before the pod is looked for; the first one that cannot be read is told, then all that are wrong."""
    path, wrong = f"{PODS}/nowhere/log?container=none", 'PodLogOptions "nowhere" is invalid: '
    assert cluster.refusal("GET", f"{path}&sinceTime=x&tailLines=y") == (
        400,
        'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    )
    both = "[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"
    for since in ("2024-01-01T00:00:00Z", "", "null"):
        assert cluster.refusal("GET", f"{path}&sinceSeconds=0&sinceTime={since}") == (422, wrong + both)
    for stream in ("", "All"):
        assert cluster.refusal("GET", f"{path}&stream={stream}") == (
            422,
            f"{wrong}stream: Forbidden: may not be specified",
        )


def test_why_there_is_no_stream(cluster: Cluster) -> None:
    several = "a container name must be specified for pod on-n1, choose one of: [c d long waiting closed broken]"
    assert cluster.refusal("GET", f"{PODS}/on-n1/exec", **UPGRADE) == (400, several)
    assert cluster.refusal("GET", f"{PODS}/on-n1/exec?container=c") == (400, "Upgrade request required")
    assert cluster.refusal("GET", f"{PODS}/on-n1/portforward") == (400, "Upgrade request required")
    text = "pod nowhere does not have a host assigned"
    assert cluster.refusal("POST", f"{PODS}/nowhere/exec?container=c", **UPGRADE) == (400, text)
    assert cluster.refusal("GET", f"{PODS}/lost/exec?container=c", **UPGRADE) == (404, 'pods "gone" not found')
    assert cluster.refusal("GET", f"{PODS}/absent/attach") == (404, 'pods "absent" not found')
    text = "invalid upgrade response: status code 200"
    assert cluster.refusal("GET", f"{PODS}/on-n1/portforward?ports=80,81", **UPGRADE) == (500, text)
    assert cluster.kubelet.requests[-1][1] == "/portForward/default/on-n1?port=80%2C81"


@pytest.mark.parametrize(
    ("ports", "number", "reason"),
    [
        ("abc", "abc", "invalid syntax"),
        ("80,", "", "invalid syntax"),
        ("80&ports=-1", "-1", "invalid syntax"),
        ("%2B5", "+5", "invalid syntax"),
        ("65536", "65536", "value out of range"),
    ],
)
def test_ports_are_numbers_of_16_bits(cluster: Cluster, ports: str, number: str, reason: str) -> None:
    text = f'cannot convert to []int32: strconv.ParseUint: parsing "{number}": {reason}'
    assert cluster.refusal("GET", f"{PODS}/absent/portforward?ports={ports}") == (400, text)


def test_admission_is_asked_before_anything_else(cluster: Cluster) -> None:
    policy = {
        "metadata": {"name": "no-shells"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CONNECT"],
                        "resources": ["pods/exec", "services/proxy"],
                    }
                ]
            },
            "validations": [
                {"expression": "!has(object.command) || !('sh' in object.command)", "message": "no shells"},
                {"expression": "!has(object.path) || !object.path.startsWith('/secret')", "message": "no secrets"},
            ],
        },
    }
    cluster.must("POST", f"{POLICIES}/validatingadmissionpolicies", policy)
    binding = {"metadata": {"name": "b"}, "spec": {"policyName": "no-shells", "validationActions": ["Deny"]}}
    cluster.must("POST", f"{POLICIES}/validatingadmissionpolicybindings", binding)

    def is_refused() -> bool:
        return "no shells" in cluster.refusal("GET", f"{PODS}/absent/exec?command=sh", **UPGRADE)[1]

    try:
        wait_for(is_refused)
        assert "no secrets" in cluster.refusal("GET", f"{SERVICES}/page/proxy/secret/x")[1]
        assert cluster.call("GET", f"{SERVICES}/page/proxy/open")[0] == 200
        before = len(cluster.kubelet.requests)
        assert is_refused()
        assert len(cluster.kubelet.requests) == before
    finally:
        assert cluster.call("DELETE", f"{POLICIES}/validatingadmissionpolicybindings/b")[0] == 200


@pytest.mark.parametrize("what", ["attach", "exec", "portforward"])
def test_who_may_only_get_a_stream_opens_none(cluster: Cluster, what: str) -> None:
    """A WebSocket is opened with GET, and does what POST does."""
    for user, verbs in (("reader", ["get"]), ("runner", ["create", "get"])):
        metadata, rbac = {"name": f"{user}-{what}"}, "rbac.authorization.k8s.io"
        rules = [{"apiGroups": [""], "resources": [f"pods/{what}"], "verbs": verbs}]
        roles = f"/apis/{rbac}/v1/namespaces/default/role"
        cluster.must("POST", f"{roles}s", {"metadata": metadata, "rules": rules})
        subjects = [{"kind": "User", "apiGroup": rbac, "name": user}]
        role = {"apiGroup": rbac, "kind": "Role", **metadata}
        cluster.must("POST", f"{roles}bindings", {"metadata": metadata, "subjects": subjects, "roleRef": role})
    path, reader, runner = f"{PODS}/absent/{what}", {"Authorization": "Bearer reading"}, "Bearer running"
    wait_for(lambda: cluster.refusal("POST", path, Authorization=runner)[0] == 404)
    assert cluster.refusal("GET", path, Authorization=runner) == (404, 'pods "absent" not found')
    for headers in (reader, reader | UPGRADE):
        assert cluster.refusal("GET", path, **headers) == (403, 'pods "absent" is forbidden: ')
    assert cluster.refusal("GET", f"{path}?ports=1&command=a", **UPGRADE) == (404, 'pods "absent" not found')


def test_a_service_answers_behind_its_proxy(cluster: Cluster) -> None:
    status, headers, body = cluster.call("GET", f"{SERVICES}/page:80/proxy/a%20b/../c/?x=%2F&y", X_Kept="yes")
    assert (status, body) == (200, b"GET /c/?x=%2F&y ")
    assert headers["content-type"] == "text/plain"
    _, _, sent = cluster.page.requests[-1]
    assert (sent["X-Kept"], sent["Host"]) == ("yes", f"127.0.0.1:{cluster.server.secure_port}")
    assert sent["X-Forwarded-Uri"].startswith(f"{SERVICES}/page:80/proxy/")
    assert "Authorization" not in sent
    assert cluster.call("POST", f"{SERVICES}/page/proxy/form", b"data")[2] == b"POST /form data"
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS"):
        assert cluster.call(method, f"{SERVICES}/page/proxy/form", b"data")[2] == f"{method} /form data".encode()
    status, headers, body = cluster.call("HEAD", f"{SERVICES}/http:page:80/proxy/")
    assert (status, body) == (200, b"")


def test_a_proxy_has_a_root(cluster: Cluster) -> None:
    status, headers, _ = cluster.call("GET", f"{SERVICES}/page/proxy?x=1")
    assert (status, headers["location"]) == (301, f"{SERVICES}/page/proxy/?x=1")
    assert cluster.call("GET", f"{SERVICES}/page/proxy/?x=1")[2] == b"GET /?x=1 "


def test_redirects_lead_through_the_proxy(cluster: Cluster) -> None:
    status, headers, _ = cluster.call("GET", f"{SERVICES}/page/proxy/moved")
    assert (status, headers["location"]) == (302, f"{SERVICES}/page/proxy/elsewhere?x=1")


def test_a_node_on_this_machine_is_not_shown_to_anybody(cluster: Cluster) -> None:
    for name in ("n1", f"n1:{cluster.kubelet.port}", "http:n1:80"):
        assert cluster.refusal("GET", f"/api/v1/nodes/{name}/proxy/") == (400, "address not allowed")


def test_what_does_not_answer_is_told(cluster: Cluster) -> None:
    text = "error trying to reach service: "
    status, told = cluster.refusal("GET", f"{SERVICES}/https:page:80/proxy/")
    assert (status, told) == (503, f"{text}tls: first record does not look like a TLS handshake")


def test_another_authority_of_kubelets_is_taken_up(cluster: Cluster, tmp_path: Path) -> None:
    """Only one that can be used, and without a restart."""
    kubectl = Kubectl(cluster.server.kubeconfig, tmp_path)

    def answer() -> str:
        done = kubectl.run("exec", "on-n1", "-c", "c", "--", "true")
        return done.out if done.code == 0 else done.err

    assert answer() == "hello\n"
    usual = cluster.authority_file.read_bytes()
    try:
        cluster.authority_file.write_bytes(Certificate("others", is_authority=True).pem)
        wait_for(lambda: "certificate signed by unknown authority" in answer())
        cluster.authority_file.write_bytes(usual)
        wait_for(lambda: answer() == "hello\n")
        cluster.authority_file.write_bytes(b"nothing")
        wait_for(lambda: "cannot be used, the old content stays" in cluster.server.log())
        assert answer() == "hello\n"
    finally:
        cluster.authority_file.write_bytes(usual)
