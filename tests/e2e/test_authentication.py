"""Who comes with tokens of issuers, as the file of --authentication-config says, before and after it changes."""

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

from support.certificates import CLIENT, Certificate
from support.issuer import Issuer, Key
from support.server import NotStarted, Server
from support.tls_server import Answer, TLSServer, as_json
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e


class LiveIssuer(Issuer):
    """An issuer that listens."""

    def __init__(self, folder: Path, *keys: Key) -> None:
        super().__init__("", *keys)
        folder.mkdir()
        self.server = TLSServer(folder, self._answer)
        self.url = self.server.url

    def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        self.asked.append(path)
        found = self.document(path)
        return as_json({}, 404) if found is None else as_json(found)

    def to_config(self, **mappings: Any) -> dict[str, Any]:
        return {
            "issuer": {
                "url": self.url,
                "audiences": ["me"],
                "certificateAuthority": self.server.authority.pem.decode(),
            },
            "claimMappings": {
                "username": {"expression": "'live:' + claims.sub"},
                "groups": {"claim": "groups", "prefix": ""},
                **mappings,
            },
            "userValidationRules": [{"expression": "!user.username.startsWith('live:system')", "message": "no"}],
        }


def write(path: Path, jwt: list[dict[str, Any]]) -> None:
    anonymous = {"enabled": True, "conditions": [{"path": "/livez"}]}
    config = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration"}
    whole = path.with_suffix(".new")
    whole.write_text(json.dumps({**config, "jwt": jwt, "anonymous": anonymous}))
    whole.rename(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("authentication")


@pytest.fixture(scope="module")
def issuer(folder: Path) -> Iterator[LiveIssuer]:
    found = LiveIssuer(folder / "first", Key("ES256"))
    yield found
    found.server.close()


@pytest.fixture(scope="module")
def server(folder: Path, issuer: LiveIssuer) -> Iterator[Server]:
    write(folder / "config.json", [issuer.to_config()])
    with Server(None, "--authentication-config", str(folder / "config.json")) as running:
        yield running


def ask(server: Server, path: str, token: str = "", body: object = None) -> tuple[int, Any]:
    context = ssl.create_default_context(cafile=str(server.data_dir / "pki" / "ca.crt"))
    sent = {"Authorization": f"Bearer {token}"} if token else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"https://127.0.0.1:{server.secure_port}{path}", data, {"Content-Type": "application/json", **sent}
    )
    try:
        with urllib.request.urlopen(request, context=context, timeout=PATIENCE_S) as response:
            text = response.read()
            return response.status, json.loads(text) if text.startswith(b"{") else text
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def who(server: Server, token: str) -> tuple[int, Any]:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    status, told = ask(server, "/apis/authentication.k8s.io/v1/selfsubjectreviews", token, review)
    return status, told["status"]["userInfo"] if status == 201 else told["message"]


def until(server: Server, token: str, status: int) -> Any:
    """What is told once the answer is this; the issuer is looked for beside the start."""
    _, told = wait_for(lambda: (answer := who(server, token))[0] == status and answer, lambda: who(server, token))
    return told


def test_a_token_of_the_issuer_is_its_user(server: Server, issuer: LiveIssuer) -> None:
    told = until(server, issuer.issue(groups=["devs"], jti="t1"), 201)
    assert told == {
        "username": "live:jane",
        "groups": ["devs", "system:authenticated"],
        "extra": {"authentication.kubernetes.io/credential-id": ["JTI=t1"]},
    }
    for token in (
        issuer.issue(exp=1),
        issuer.issue(aud="you"),
        issuer.issue(sub="system:admin"),
        Key("ES256").issue(issuer.claims()),
    ):
        assert who(server, token) == (401, "Unauthorized")


def test_a_review_tells_of_the_token(server: Server, issuer: LiveIssuer) -> None:
    token = issuer.issue(groups=["system:masters"], sub="root")
    until(server, token, 201)

    def review(reviewed: str, *audiences: str) -> Any:
        spec = {"token": reviewed, "audiences": list(audiences)}
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec}
        status, told = ask(server, "/apis/authentication.k8s.io/v1/tokenreviews", token, asked)
        assert status == 201
        return told["status"]

    good = review(issuer.issue())
    assert good["user"]["username"] == "live:jane"
    assert good["authenticated"] is True
    assert good["audiences"] == ["https://kubernetes.default.svc"]
    assert review(issuer.issue(), "other") == {"user": {}, "error": "invalid bearer token"}
    stranger = Key("ES256", "k7").issue(issuer.claims())
    text = "oidc: verify token: failed to verify signature: failed to verify id token signature"
    assert review(stranger) == {"user": {}, "error": f"[invalid bearer token, {text}]"}


def test_requests_without_credentials_are_allowed_at_one_path(server: Server) -> None:
    assert ask(server, "/livez") == (200, b"ok")
    for path in ("/readyz", "/livez/ping", "/api", "/livez/"):
        status, told = ask(server, path)
        assert (status, told["reason"]) == (401, "Unauthorized")


def test_the_file_is_read_again(server: Server, folder: Path, issuer: LiveIssuer) -> None:
    until(server, issuer.issue(), 201)
    second = LiveIssuer(folder / "second", Key("RS256"))
    try:
        write(folder / "config.json", [second.to_config(username={"claim": "sub", "prefix": "second:"})])
        assert until(server, second.issue(), 201)["username"] == "second:jane"
        assert who(server, issuer.issue())[0] == 401
        (folder / "config.json").write_text("kind: nonsense\n")
        server.wait_for_log("failed to update authentication config")
        assert "the old one stays: Object 'apiVersion' is missing in 'kind: nonsense" in server.log()
        assert who(server, second.issue())[0] == 201
        write(folder / "config.json", [issuer.to_config()])
        until(server, issuer.issue(), 201)
        metrics = ask(server, "/metrics", issuer.issue(groups=["system:masters"]))[1].decode()
    finally:
        second.server.close()
    counts = {
        line.split('status="')[1].split('"')[0]: float(line.rsplit(" ", 1)[1])
        for line in metrics.splitlines()
        if line.startswith("apiserver_authentication_config_controller_automatic_reloads_total{")
    }
    assert counts == {"success": 2, "failure": 1}


@pytest.mark.parametrize(
    "flags, text",
    [
        (("--oidc-issuer-url", "https://a"), "oidc-issuer-url and oidc-client-id must be specified together"),
        (
            ("--oidc-issuer-url", "http://a", "--oidc-client-id", "b"),
            'jwt[0].issuer.url: Invalid value: "http://a": URL scheme must be https',
        ),
        (("--authentication-config", "/nowhere"), "failed to load authentication configuration from file"),
        (
            ("--authentication-config", "CONFIG", "--anonymous-auth=false"),
            "anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured",
        ),
        (
            ("--requestheader-client-ca-file", "AUTHORITY", "--client-ca-file", "AUTHORITY"),
            "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates",
        ),
        (("--authentication-config", "CONFIG", "--oidc-client-id", "x"), "oidc-* flags are mutually exclusive"),
    ],
)
def test_what_does_not_go_together_is_told_at_the_start(
    folder: Path, issuer: LiveIssuer, flags: tuple[str, ...], text: str
) -> None:
    write(folder / "other.json", [issuer.to_config()])
    (folder / "one.pem").write_bytes(issuer.server.authority.pem)
    files = {"CONFIG": str(folder / "other.json"), "AUTHORITY": str(folder / "one.pem")}
    with pytest.raises(NotStarted) as caught:
        Server(None, *(files.get(flag, flag) for flag in flags))
    assert text in caught.value.text


def test_strangers_are_not_let_in_where_everything_is_allowed(folder: Path) -> None:
    with Server(None, "--authorization-mode", "AlwaysAllow") as server:
        status, told = ask(server, "/livez")
        assert (status, told["reason"]) == (401, "Unauthorized")


def test_flags_name_an_issuer_too(folder: Path, issuer: LiveIssuer) -> None:
    authority = folder / "authority.pem"
    authority.write_bytes(issuer.server.authority.pem)
    flags = (
        *("--oidc-issuer-url", issuer.url, "--oidc-client-id", "me", "--oidc-ca-file", str(authority)),
        *("--oidc-groups-claim", "groups", "--oidc-groups-prefix", "g:", "--oidc-signing-algs", "ES256"),
        *("--oidc-required-claim", "hd=example.com"),
    )
    with Server(None, *flags) as server:
        told = until(server, issuer.issue(groups="a", hd="example.com"), 201)
        assert told["username"] == f"{issuer.url}#jane"
        assert told["groups"] == ["g:a", "system:authenticated"]
        assert who(server, issuer.issue())[0] == 401
        assert who(server, Certificate("x").pem.decode().splitlines()[1])[0] == 401


def build_webhook(folder: Path, asked: list[dict[str, Any]]) -> tuple[TLSServer, Path]:
    """One that wants a client certificate, and the kubeconfig that names it."""
    folder.mkdir()
    clients = Certificate("clients", is_authority=True)
    authority = folder / "clients.pem"
    authority.write_bytes(clients.pem)
    client = Certificate("the server", issuer=clients, usages=(CLIENT,))

    def answer(method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        review = json.loads(body)
        asked.append(review)
        token = review["spec"]["token"]
        if token == "flaky" and sum(each["spec"]["token"] == "flaky" for each in asked) < 2:
            return as_json({}, 500)
        status: dict[str, Any] = {"authenticated": False}
        if token in ("good", "flaky"):
            status = {"authenticated": True, "user": {"username": token, "groups": ["g"], "extra": {"k": ["v"]}}}
        elif token == "bad":
            status["error"] = "it is stolen"
        elif token == "elsewhere":
            status = {"authenticated": True, "audiences": ["other"], "user": {"username": "x"}}
        return as_json({"apiVersion": review["apiVersion"], "kind": "TokenReview", "status": status})

    server = TLSServer(folder, answer, clients=authority)

    def encoded(data: bytes) -> str:
        return base64.b64encode(data).decode()

    kubeconfig = folder / "kubeconfig"
    bundle = encoded(server.authority.pem)
    config = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "w", "user": "u"}}],
        "clusters": [{"name": "w", "cluster": {"server": f"{server.url}/ask", "certificate-authority-data": bundle}}],
        "users": [
            {
                "name": "u",
                "user": {
                    "client-certificate-data": encoded(client.pem),
                    "client-key-data": encoded(client.key_pem),
                },
            }
        ],
    }
    kubeconfig.write_text(json.dumps(config))
    return server, kubeconfig


def test_a_webhook_knows_whose_tokens_are(folder: Path) -> None:
    asked: list[dict[str, Any]] = []
    webhook, kubeconfig = build_webhook(folder / "webhook", asked)
    flags = ("--authentication-token-webhook-config-file", str(kubeconfig))
    try:
        with Server(None, *flags, "--authentication-token-webhook-version", "v1") as server:
            for _ in range(3):
                status, told = who(server, "good")
                assert status == 201
                assert told == {"username": "good", "groups": ["g", "system:authenticated"], "extra": {"k": ["v"]}}
            assert len(asked) == 1
            assert asked[0]["spec"] == {"token": "good", "audiences": ["https://kubernetes.default.svc"]}
            assert asked[0]["apiVersion"] == "authentication.k8s.io/v1"
            assert who(server, "flaky")[0] == 201
            for token in ("unknown", "bad", "elsewhere"):
                assert who(server, token) == (401, "Unauthorized")
            count = len(asked)
            assert who(server, "unknown")[0] == 401
            assert len(asked) == count, "what nobody knows is remembered too"
    finally:
        webhook.close()
