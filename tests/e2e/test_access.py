"""Who one is and what one may do, asked and told by kubectl: whoami, can-i, --as, create token."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.golden.client import Client
from support.kubectl import Kubectl
from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tokens = tmp_path_factory.mktemp("tokens") / "tokens.csv"
    tokens.write_text('alice-token,alice,a1,"devs"\nboss-token,boss,b1,"system:masters"\n')
    with Server(None, "--token-auth-file", str(tokens), keeps_port=True) as running:
        yield running


@pytest.fixture(scope="module")
def kubectl(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    return Kubectl(server.kubeconfig, tmp_path_factory.mktemp("home"))


def ask(server: Server, path: str, token: str, body: object = None, **headers: str) -> tuple[int, dict[str, object]]:
    context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
    sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"https://127.0.0.1:{server.secure_port}{path}", data, sent)
    try:
        with urllib.request.urlopen(request, context=context, timeout=PATIENCE_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_the_administrator_is_told_who_and_what(kubectl: Kubectl) -> None:
    told = json.loads(kubectl("auth", "whoami", "-o", "json"))
    assert told["status"]["userInfo"]["username"] == "quarterdeck-admin"
    assert "system:masters" in told["status"]["userInfo"]["groups"]
    assert kubectl("auth", "can-i", "delete", "namespaces").strip() == "yes"
    assert "*.*" in kubectl("auth", "can-i", "--list")


def test_acting_as_somebody_is_being_somebody(kubectl: Kubectl) -> None:
    kubectl("get", "namespaces")  # bob may not ask what the server has: kubectl takes it from its cache
    refused = kubectl.run("get", "namespaces", "--as", "bob")
    assert refused.code == 1
    assert 'User "bob" cannot list resource "namespaces"' in refused.err
    told = json.loads(kubectl("auth", "whoami", "-o", "json", "--as", "x", "--as-group", "system:masters"))
    assert told["status"]["userInfo"]["username"] == "x"


def test_nobody_else_acts_as_somebody(server: Server) -> None:
    code, status = ask(server, "/api/v1/namespaces", "alice-token", **{"Impersonate-User": "boss"})
    assert code == 403
    assert 'User "alice" cannot impersonate-on:user-info:list resource "namespaces"' in str(status["message"])
    code, _ = ask(server, "/api/v1/namespaces", "boss-token", **{"Impersonate-Group": "devs"})
    assert code == 400


def test_a_token_of_a_service_account_is_the_account(server: Server, kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    token = kubectl("create", "token", "robot", "--duration", "20m").strip()
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
    code, told = ask(server, "/apis/authentication.k8s.io/v1/tokenreviews", "boss-token", review)
    assert code == 201
    assert told["status"]["user"]["username"] == "system:serviceaccount:default:robot"  # type: ignore[index]
    code, refused = ask(server, "/api/v1/namespaces", token)
    assert code == 403
    assert 'User "system:serviceaccount:default:robot" cannot list' in str(refused["message"])
    assert ask(server, "/api/v1/namespaces", token[:-5])[0] == 401
    kubectl("delete", "serviceaccount", "robot")
    assert ask(server, "/api/v1/namespaces", token)[0] == 401


def test_tokens_survive_a_restart_and_are_verified_by_the_published_keys(server: Server, kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "lasting")
    token = kubectl("create", "token", "lasting").strip()
    server.terminate()
    server.start()
    assert ask(server, "/version", token)[0] == 200
    document = json.loads(kubectl("get", "--raw", "/.well-known/openid-configuration"))
    assert document["issuer"] == "https://kubernetes.default.svc"
    assert document["jwks_uri"].endswith("/openid/v1/jwks")
    keys = Client("127.0.0.1", server.plain_port)("GET", "/openid/v1/jwks", headers={"Accept": "*/*"})
    assert [key["alg"] for key in json.loads(keys.text)["keys"]] == ["RS256"]


def test_bad_keys_are_said_at_the_start(tmp_path: Path) -> None:
    bad = tmp_path / "sa.key"
    bad.write_text("nonsense")
    for flag in ("--service-account-signing-key-file", "--service-account-key-file"):
        with pytest.raises(RuntimeError, match="cannot use the service account keys"):
            Server(tmp_path / "data", flag, str(bad))


def test_a_browser_is_told_not_to_guess_what_a_refusal_is(server: Server) -> None:
    for token, path, header in [
        ("alice-token", "/api/v1/namespaces", "nosniff"),
        ("alice-token", "/nope", "nosniff"),
        ("boss-token", "/api/v1/namespaces/none", None),
    ]:
        context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
        url, sent = f"https://127.0.0.1:{server.secure_port}{path}", {"Authorization": f"Bearer {token}"}
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, headers=sent), context=context, timeout=PATIENCE_S)
        assert refused.value.headers["X-Content-Type-Options"] == header
