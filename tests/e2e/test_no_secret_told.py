"""What is secret stands in answers to those who may read it, and nowhere else: no log, metric, audit event or file."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import ssl
from base64 import b64encode
from pathlib import Path

import pytest

from support.golden.client import Client
from support.server import Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

# Each stands for one place where a secret comes in; base64 of each is looked for as well.
DATA, TOKEN, BAD_TOKEN, PASSWORD, BROKEN, WRONG, QUERY = (
    f"xMARKER{name}x" for name in ("data", "token", "badtoken", "password", "broken", "wrong", "query")
)
KEY = b"xMARKERencryptx!"  # of the encryption configuration
MARKERS = (DATA, TOKEN, BAD_TOKEN, PASSWORD, BROKEN, WRONG, QUERY, KEY.decode())
SECRETS = "/api/v1/namespaces/default/secrets"


def forms(marker: str) -> list[bytes]:
    """As it is, and in base64 wherever it begins within three bytes."""
    encoded = [b64encode(marker.encode()[skip:]).rstrip(b"=")[:-1] for skip in range(3)]
    return [marker.encode(), *encoded]


def check(what: str, data: bytes, *, but: tuple[str, ...] = ()) -> None:
    for marker in MARKERS:
        if marker not in but:
            assert not any(form in data for form in forms(marker)), f"{marker} stands in {what}"


def write_files(folder: Path) -> tuple[str, ...]:
    config, tokens, policy = folder / "c.yaml", folder / "tokens.csv", folder / "policy.yaml"
    config.write_text(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
        "- resources: [secrets]\n  providers:\n"
        f"  - aesgcm: {{keys: [{{name: k, secret: {b64encode(KEY).decode()}}}]}}\n"
    )
    tokens.write_text(f'{TOKEN},boss,1,"system:masters"\n')
    policy.write_text("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n")
    return (
        f"--encryption-provider-config={config}",
        "--encryption-provider-config-automatic-reload",
        f"--token-auth-file={tokens}",
        f"--audit-policy-file={policy}",
        f"--audit-log-path={folder / 'audit.log'}",
        "--v=10",
    )


def use_secrets(call: Client, server: Server) -> None:
    """Good and bad requests; what is answered to others than the sender of a secret holds none."""
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "type": "kubernetes.io/basic-auth",
        "stringData": {"username": "u", "password": PASSWORD, "other": DATA},
    }
    assert call("POST", SECRETS, secret).code == 201
    assert call("POST", SECRETS, secret).code == 409
    with pytest.raises(AssertionError, match="stands in an answer"):
        check("an answer", call("GET", f"{SECRETS}/a").body)
    for patch in ([{"op": "test", "path": "/data/password", "value": WRONG}], [{"op": "move", "path": WRONG}]):
        headers: dict[str, str | None] = {"Content-Type": "application/json-patch+json"}
        assert call("PATCH", f"{SECRETS}/a", patch, headers).code in (400, 422)
    for body in (f'{{"kind":"Secret","data":{{"a":"{BROKEN}"', f'{{"kind":"Secret","data":{{"a":"{BROKEN}!"}}}}'):
        assert call("POST", SECRETS, body, {"Content-Type": "application/json"}).code == 400
    invalid = {**secret, "metadata": {"name": "b"}, "stringData": {"a/b": WRONG, "other": WRONG}}
    answer = call("POST", SECRETS, invalid)
    assert answer.code == 422
    check("an error of validation", answer.body)
    immutable = {**secret, "metadata": {"name": "c"}, "immutable": True}
    assert call("POST", SECRETS, immutable).code == 201
    answer = call("PUT", f"{SECRETS}/c", {**immutable, "stringData": {"username": "u", "password": WRONG}})
    assert answer.code == 422
    check("an error of validation", answer.body)
    assert call("GET", f"{SECRETS}/a?access_token={QUERY}").code == 200
    tokens = {"Authorization": f"Bearer {BAD_TOKEN}"}
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": BAD_TOKEN}}
    assert call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review).code == 201
    https = Client("127.0.0.1", server.secure_port, context=_any_certificate())
    answer = https("GET", SECRETS, headers=dict(tokens))
    assert answer.code == 401
    check("a refusal", answer.body)
    assert https("GET", SECRETS, headers={"Authorization": f"Bearer {TOKEN}"}).code == 200
    assert https("GET", SECRETS, headers={"Authorization": f"Basic {b64encode(PASSWORD.encode()).decode()}"}).code in (
        401,
        403,
    )


def _any_certificate() -> object:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def test_no_secret_is_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    flags = write_files(tmp_path)
    server = Server(data, *flags)
    try:
        call = Client("127.0.0.1", server.plain_port)
        use_secrets(call, server)
        for path in ("/metrics", "/metrics/slis", "/healthz?verbose", "/readyz?verbose", "/openapi/v2"):
            check(path, call("GET", path).body)
        config = tmp_path / "c.yaml"
        config.write_text(config.read_text().replace("aesgcm", "aesgmc"))
        server.wait_for_log("error processing encryption config file")
        kept = tmp_path / "kept"
        shutil.copytree(data, kept)
        os.kill(server.process_id, signal.SIGABRT)  # a crash, with all that it tells
        assert server._process is not None and server._process.wait(PATIENCE_S) == -signal.SIGABRT
        check("the log", server.log().encode())
        # The path of a request is told with its query, as upstream tells it.
        check("the audit log", (tmp_path / "audit.log").read_bytes(), but=(QUERY,))
    finally:
        with contextlib.suppress(AssertionError):  # it tells of the crash
            server.stop()
    for file in (*kept.rglob("*"), *data.rglob("*")):
        if file.is_file():
            check(str(file), file.read_bytes())
    names = {"kind", "level"}
    assert names <= set(json.loads((tmp_path / "audit.log").read_text().splitlines()[0]))
