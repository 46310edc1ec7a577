"""What admission adds to a create: nothing to ask, a policy, ten policies, a validating webhook over TLS, in one run.

    python -m bench.macro.admission [--requests 2000] [--connections 8] [--rounds 3]

Figures are microseconds of the server's CPU for a create (a dry run, so that no disk is measured), and what each kind
of admission adds to one without any. With one connection the server falls asleep after each request, and what is
added costs up to three times as much: its code is not in the processor's caches any more. The webhook answers in a
process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import multiprocessing
import multiprocessing.connection
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

import load
from verbs import BASE, DEFINITION, build_object

from support import definitions
from support.golden.client import Client
from support.server import Server
from support.tls_server import TLSServer, as_json

POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
GROUP = DEFINITION["spec"]["group"]
RULE = {"operations": ["CREATE"], "apiGroups": [GROUP], "apiVersions": ["*"], "resources": ["*"]}


def answer_reviews(pipe: multiprocessing.connection.Connection) -> None:
    """A process that allows everything but the object that is looked for."""

    def answer(method: str, path: str, headers: dict[str, str], body: bytes) -> Any:
        review = json.loads(body)
        request = review["request"]
        allowed = request["name"] != "looked-for"
        return as_json({**review, "request": None, "response": {"uid": request["uid"], "allowed": allowed}})

    with tempfile.TemporaryDirectory() as folder:
        server = TLSServer(Path(folder), answer)
        pipe.send((server.url, base64.b64encode(server.authority.pem).decode()))
        pipe.recv()
        server.close()


def ask(client: Client, code: int, method: str, path: str, body: Any = None) -> None:
    answer = client(method, path, body)
    assert answer.code == code, answer.text


def add_policies(client: Client, count: int) -> None:
    for number in range(count):
        name = f"policy-{number}"
        spec = {
            "matchConstraints": {"resourceRules": [RULE]},
            "validations": [{"expression": "object.metadata.name != 'looked-for' && object.spec.replicas < 1000"}],
        }
        ask(client, 201, "POST", POLICIES, {"metadata": {"name": name}, "spec": spec})
        bound = {"policyName": name, "validationActions": ["Deny"]}
        ask(client, 201, "POST", BINDINGS, {"metadata": {"name": name}, "spec": bound})


def remove_policies(client: Client) -> None:
    ask(client, 200, "DELETE", BINDINGS)
    ask(client, 200, "DELETE", POLICIES)


def add_webhook(client: Client, url: str, bundle: str) -> None:
    webhook = {
        "name": "w.example.com",
        "clientConfig": {"url": url, "caBundle": bundle},
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    ask(client, 201, "POST", WEBHOOKS, {"metadata": {"name": "w"}, "webhooks": [webhook]})


def wait_until(client: Client, *, refused: bool) -> None:
    """Until admission is as it was configured last."""
    while (client("POST", f"{BASE}?dryRun=All", build_object("looked-for")).code >= 400) is not refused:
        pass


def measure(server: Server, requests: int, connections: int) -> float:
    """Microseconds of CPU for a create."""
    body = json.dumps(build_object("o"))
    head = f"POST {BASE}?dryRun=All HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
    sent = load.run(server.plain_port, server.process_id, lambda _: request, requests=requests, connections=connections)
    counted = asyncio.run(sent)
    assert not counted.failures
    return counted.cpu_us


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    pipe, theirs = multiprocessing.Pipe()
    hook = multiprocessing.Process(target=answer_reviews, args=(theirs,), daemon=True)
    hook.start()
    url, bundle = pipe.recv()
    with Server() as server:
        client = Client("127.0.0.1", server.plain_port)
        definitions.install(client, DEFINITION)
        kinds: dict[str, tuple[Callable[[], None], Callable[[], Any]]] = {
            "a policy": (lambda: add_policies(client, 1), lambda: remove_policies(client)),
            "ten policies": (lambda: add_policies(client, 10), lambda: remove_policies(client)),
            "a webhook": (
                lambda: add_webhook(client, url, bundle),
                lambda: ask(client, 200, "DELETE", f"{WEBHOOKS}/w"),
            ),
        }
        measure(server, given.requests, given.connections)
        for _ in range(given.rounds):
            alone = measure(server, given.requests, given.connections)
            print(f"nothing to ask  {alone:7.1f} us")
            for name, (begin, end) in kinds.items():
                begin()
                wait_until(client, refused=True)
                found = measure(server, given.requests, given.connections)
                print(f"{name:15} {found:7.1f} us  adds {found - alone:6.1f}", flush=True)
                end()
                wait_until(client, refused=False)
    pipe.send("stop")
    hook.join()


if __name__ == "__main__":
    main()
