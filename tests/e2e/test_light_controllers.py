"""Controllers that `--controllers` names, in a whole server: what they write is admitted, allowed and believed."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e
LAST_USED = "kubernetes.io/legacy-token-last-used"
Answer = tuple[int, dict[str, Any]]


POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources: [{group: authentication.k8s.io, resources: [selfsubjectreviews]}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audit")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    (folder / "policy.yaml").write_text(POLICY)
    audit = (f"--audit-policy-file={folder}/policy.yaml", f"--audit-log-path={folder}/audit.log")
    named = "--controllers=*,serviceaccount-token,resourcequota,bootstrapsigner,tokencleaner,csrapproving,csrsigning"
    with Server(None, named, "--enable-bootstrap-token-auth", "--advertise-address=192.0.2.2", *audit) as running:
        yield running


def ask(server: Server, method: str, path: str, body: object = None, token: str = "") -> Answer:
    """As the administrator; with a token, as whoever it is of. A text is a merge patch."""
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {token}"} if token else {})
    context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt")) if token else None
    base = f"https://127.0.0.1:{server.secure_port}" if token else f"http://127.0.0.1:{server.plain_port}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, context=context, timeout=PATIENCE_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def make(server: Server, path: str, **obj: Any) -> dict[str, Any]:
    code, made = ask(server, "POST", path, obj)
    assert code == 201, made
    return made


def whoami(server: Server, token: str) -> Answer:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    return ask(server, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", body, token)


def test_a_secrets_token_is_good_while_the_secret_is_there(server: Server, folder: Path) -> None:
    path = "/api/v1/namespaces/default"
    make(server, f"{path}/serviceaccounts", metadata={"name": "robot"})
    metadata = {"name": "robot-token", "annotations": {"kubernetes.io/service-account.name": "robot"}}
    make(server, f"{path}/secrets", metadata=metadata, type="kubernetes.io/service-account-token")
    secret = f"{path}/secrets/robot-token"
    data = wait_for(lambda: ask(server, "GET", secret)[1].get("data"))
    assert base64.b64decode(data["ca.crt"]) == (server.data_dir / "pki" / "ca.crt").read_bytes()
    token = base64.b64decode(data["token"]).decode()
    code, told = whoami(server, token)
    assert (code, told["status"]["userInfo"]["username"]) == (201, "system:serviceaccount:default:robot")
    events = [json.loads(line) for line in (folder / "audit.log").read_text().splitlines()]
    assert [event["stage"] for event in events] == ["RequestReceived", "ResponseComplete"]
    for event in events:
        told = {name: value for name, value in event["annotations"].items() if name.startswith("authentication.")}
        assert told == {
            "authentication.k8s.io/legacy-token": "system:serviceaccount:default:robot",
            "authentication.k8s.io/legacy-token-manual-secret": "robot-token",
        }
    labels = wait_for(lambda: ask(server, "GET", secret)[1]["metadata"].get("labels"))
    assert list(labels) == [LAST_USED]
    assert ask(server, "DELETE", secret)[0] == 200
    assert whoami(server, token)[0] == 401


def test_a_quota_is_told_what_is_used_and_lets_no_more_pass(server: Server) -> None:
    make(server, "/api/v1/namespaces", metadata={"name": "small"})
    path = "/api/v1/namespaces/small"
    make(server, f"{path}/resourcequotas", metadata={"name": "q"}, spec={"hard": {"configmaps": "2"}})

    def used() -> Any:
        return ask(server, "GET", f"{path}/resourcequotas/q")[1].get("status", {}).get("used")

    assert wait_for(used) == {"configmaps": "0"}
    for name in ("a", "b"):
        make(server, f"{path}/configmaps", metadata={"name": name})
    assert ask(server, "POST", f"{path}/configmaps", {"metadata": {"name": "c"}})[0] == 403
    assert used() == {"configmaps": "2"}
    ask(server, "DELETE", f"{path}/configmaps/a")
    wait_for(lambda: used() == {"configmaps": "1"})
    make(server, f"{path}/configmaps", metadata={"name": "c"})
    fields = ask(server, "GET", f"{path}/resourcequotas/q")[1]["metadata"]["managedFields"]
    assert "kube-controller-manager" in [each["manager"] for each in fields]


def test_a_node_that_joins_shows_a_token_and_finds_its_signature(server: Server) -> None:
    path = "/api/v1/namespaces/kube-system/secrets"
    data = {"token-id": "abcdef", "token-secret": "0123456789abcdef"}
    data |= {"usage-bootstrap-authentication": "true", "usage-bootstrap-signing": "true"}
    kind = "bootstrap.kubernetes.io/token"
    make(server, path, metadata={"name": "bootstrap-token-abcdef"}, type=kind, stringData=data)
    code, told = whoami(server, "abcdef.0123456789abcdef")
    assert (code, told["status"]["userInfo"]["username"]) == (201, "system:bootstrap:abcdef")
    assert told["status"]["userInfo"]["groups"] == ["system:bootstrappers", "system:authenticated"]
    assert whoami(server, "abcdef.0123456789abcdee")[0] == 401
    public = "/api/v1/namespaces/kube-public/configmaps"
    make(server, public, metadata={"name": "cluster-info"}, data={"kubeconfig": "x"})
    wait_for(lambda: "jws-kubeconfig-abcdef" in ask(server, "GET", f"{public}/cluster-info")[1]["data"])
    ended = {"stringData": {"expiration": "2020-01-01T00:00:00Z"}}
    assert ask(server, "PATCH", f"{path}/bootstrap-token-abcdef", ended)[0] == 200
    assert whoami(server, "abcdef.0123456789abcdef")[0] == 401
    wait_for(lambda: ask(server, "GET", f"{path}/bootstrap-token-abcdef")[0] == 404)
    wait_for(lambda: ask(server, "GET", f"{public}/cluster-info")[1]["data"] == {"kubeconfig": "x"})


def test_a_node_gets_its_certificate(server: Server) -> None:
    subject = [(NameOID.ORGANIZATION_NAME, "system:nodes"), (NameOID.COMMON_NAME, "system:node:n")]
    name = x509.Name([x509.NameAttribute(*each) for each in subject])
    key = ec.generate_private_key(ec.SECP256R1())
    asked = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    spec = {
        "request": base64.b64encode(asked.public_bytes(serialization.Encoding.PEM)).decode(),
        "signerName": "kubernetes.io/kube-apiserver-client-kubelet",
        "usages": ["client auth", "digital signature"],
    }
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    make(server, path, metadata={"name": "n"}, spec=spec)
    issued = wait_for(lambda: ask(server, "GET", f"{path}/n")[1].get("status", {}).get("certificate"))
    assert x509.load_pem_x509_certificate(base64.b64decode(issued)).subject == name


def test_the_servers_own_service_leads_to_it(server: Server) -> None:
    path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"
    wait_for(lambda: ask(server, "GET", path)[0] == 200)
    made = ask(server, "GET", path)[1]
    assert [each["addresses"] for each in made["endpoints"]] == [["192.0.2.2"]]
    assert [each["port"] for each in made["ports"]] == [server.secure_port]
    old = ask(server, "GET", "/api/v1/namespaces/default/endpoints/kubernetes")[1]
    assert old["subsets"][0]["addresses"] == [{"ip": "192.0.2.2"}]


def test_the_address_of_a_service_comes_back(server: Server) -> None:
    path = "/apis/networking.k8s.io/v1/ipaddresses/10.0.0.1"
    made = ask(server, "GET", path)[1]
    assert ask(server, "DELETE", path)[0] == 200
    again = wait_for(lambda: ask(server, "GET", path)[1].get("spec"))
    assert again == made["spec"]
    events = "/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=reason=ClusterIPNotAllocated"
    (event,) = ask(server, "GET", events)[1]["items"]
    assert event["note"] == "Cluster IP [IPv4]: 10.0.0.1 is not allocated; repairing"
    assert event["regarding"]["name"] == "kubernetes"
