"""kopf's admission handlers, unchanged: the operator registers its webhooks itself, and they judge what is written."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import definitions
from support.certificates import Certificate
from support.golden.client import Client
from support.origin import LOCALHOST, certificate_for
from support.server import Server
from support.waiting import PATIENCE_S

pytest.importorskip("kopf", reason="kopf is not installed")

pytestmark = pytest.mark.e2e

GROUP = "kopf.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
OPERATOR = f'''
import kopf

@kopf.on.startup()
def configure(settings, **_):
    settings.admission.server = kopf.WebhookServer(
        addr="127.0.0.1", certfile="origin.crt", pkeyfile="origin.key", cafile="authority.crt"
    )
    settings.admission.managed = "{GROUP}"
    settings.posting.enabled = False

@kopf.on.mutate("{GROUP}", "v1", "things", id="size")
def set_size(spec, patch, warnings, operation, **_):
    if operation == "CREATE" and "size" not in spec:
        patch.spec["size"] = 3
        warnings.append("the size is chosen")

@kopf.on.validate("{GROUP}", "v1", "things", id="limit")
def limit(spec, old, new, userinfo, **_):
    if spec.get("size", 0) > 5:
        raise kopf.AdmissionError("too large", code=422)
'''


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """With an operator beside it."""
    found = Server()
    try:
        definitions.install(Client("127.0.0.1", found.plain_port), definitions.of_things(GROUP))
        authority = Certificate("authority", is_authority=True)
        certificate = certificate_for(*LOCALHOST, issuer=authority)
        (tmp_path / "authority.crt").write_bytes(authority.pem)
        (tmp_path / "origin.crt").write_bytes(certificate.pem)
        (tmp_path / "origin.key").write_bytes(certificate.key_pem)
        (tmp_path / "handlers.py").write_text(OPERATOR)
        command = [sys.executable, "-m", "kopf", "run", "handlers.py", "-A", "--standalone"]
        with (tmp_path / "log").open("wb") as log:
            operator = subprocess.Popen(
                command, cwd=tmp_path, stdout=log, stderr=log, env={**os.environ, "KUBECONFIG": str(found.kubeconfig)}
            )
        try:
            yield found
        finally:
            operator.terminate()
            operator.wait(PATIENCE_S)
    finally:
        found.stop()


def create(client: Client, name: str, **spec: int) -> tuple[int, str]:
    answer = client(
        "POST", THINGS, {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec}
    )
    return answer.code, answer.text


def test_handlers_register_themselves_and_judge(server: Server, tmp_path: Path) -> None:
    client = Client("127.0.0.1", server.plain_port)
    end = time.monotonic() + 60
    while "too large" not in create(client, "probe", size=6)[1]:  # until its webhooks are known
        assert time.monotonic() < end, (tmp_path / "log").read_text()
        client("DELETE", f"{THINGS}/probe")
        time.sleep(0.05)
    code, text = create(client, "a")
    assert code == 201, text
    assert '"size":3' in text
    code, text = create(client, "b", size=9)
    assert code == 422
    assert "denied the request: too large" in text
    changed = client("PATCH", f"{THINGS}/a", '{"spec":{"size":7}}', {"Content-Type": "application/merge-patch+json"})
    assert changed.code == 422
    assert client("GET", f"{THINGS}/a").text.count('"size":3') == 1
