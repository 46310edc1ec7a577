"""A server with --admission-control-config-file: what plugins are told, and a file that cannot be used."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.server import NotStarted, Server
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.e2e

NAMESPACE = "/api/v1/namespaces/default"
KUBECONFIG = """
current-context: images
contexts: [{name: images, context: {cluster: images, user: ""}}]
clusters: [{name: images, cluster: {server: "http://127.0.0.1:PORT/judge"}}]
"""
CONFIGURATION = """
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline}
- name: EventRateLimit
  path: events.yaml
- name: ImagePolicyWebhook
  configuration: {imagePolicy: {kubeConfigFile: FOLDER/images.kubeconfig}}
"""
EVENTS = """
apiVersion: eventratelimit.admission.k8s.io/v1alpha1
kind: Configuration
limits: [{type: Server, qps: 1, burst: 1000000}, {type: Namespace, qps: 1, burst: 1}]
"""


class Judge(BaseHTTPRequestHandler):
    """Denies images with `bad` in their names."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_good = all("bad" not in each["image"] for each in asked["spec"]["containers"])
        body = json.dumps({**asked, "status": {"allowed": is_good, "reason": "it is bad"}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def configuration(tmp_path: Path) -> Iterator[Path]:
    judge = HTTPServer(("127.0.0.1", 0), Judge)
    threading.Thread(target=judge.serve_forever, daemon=True).start()
    (tmp_path / "images.kubeconfig").write_text(KUBECONFIG.replace("PORT", str(judge.server_port)))
    (tmp_path / "events.yaml").write_text(EVENTS)
    file = tmp_path / "admission.yaml"
    file.write_text(CONFIGURATION.replace("FOLDER", str(tmp_path)))
    yield file
    judge.shutdown()
    judge.server_close()


def post(server: Server, path: str, body: Any) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    found = json.loads(answer.read())
    connection.close()
    return answer.status, found.get("message", "")


def pod(name: str, image: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def test_plugins_do_what_they_are_told(configuration: Path) -> None:
    plugins = "--enable-admission-plugins=EventRateLimit,ImagePolicyWebhook"
    with Server(None, plugins, f"--admission-control-config-file={configuration}") as server:
        server.wait_until_ready()
        pods, events = f"{NAMESPACE}/pods", f"{NAMESPACE}/events"
        assert post(server, pods, pod("a", "good")) == (201, "")
        denied = "image policy webhook backend denied one or more images: it is bad"
        assert post(server, pods, pod("b", "bad")) == (403, f'pods "b" is forbidden: {denied}')
        code, text = post(server, pods, pod("c", "good", hostNetwork=True))
        assert (code, text.partition(": host")[0]) == (
            403,
            'pods "c" is forbidden: violates PodSecurity "baseline:latest"',
        )
        event = {"metadata": {"generateName": "e"}, "involvedObject": {"namespace": "default"}}
        answers = [post(server, events, event) for _ in range(20)]
        assert answers[0] == (201, "")
        assert (429, "Too many requests: limit reached on type Namespace for key default") in answers


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (("--admission-control-config-file=/absent",), "unable to read admission control configuration from"),
        (("--enable-admission-plugins=EventRateLimit",), "limits: Invalid value: null: must not be empty"),
    ],
)
def test_a_server_does_not_start_with_what_it_cannot_use(flags: tuple[str, ...], text: str) -> None:
    with pytest.raises(NotStarted) as failed:
        Server(None, *flags)
    assert failed.value.code == 2
    assert "failed to apply admission: " in failed.value.text
    assert text in failed.value.text
    assert "Traceback" not in failed.value.text
