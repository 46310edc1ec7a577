"""What admission adds to a create: a policy, ten policies, a validating webhook over TLS, in one run.

    python -m bench.macro.admission [--requests 400] [--connections 8] [--rounds 40]

Four kinds that are alike are created in turn, a few hundred at a time: one that nothing concerns, and one for each kind
of admission. Figures are microseconds of the server's CPU for a create (a dry run, so that no disk is measured): the
median of the rounds, and the median and the quartiles of what is added to the kind without admission in the same round,
since a machine's pace changes within seconds. The webhook answers in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import multiprocessing
import multiprocessing.connection
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

import load
from verbs import DEFINITION, build_object

from support import definitions
from support.golden.client import Client
from support.server import Server
from support.tls_server import TLSServer, as_json

POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
NOTHING, POLICY, TEN, WEBHOOK = "frees", "ones", "tens", "hooks"  # kinds' plurals, since policies are found by resource
TITLES = {NOTHING: "nothing to ask", POLICY: "a policy", TEN: "ten policies", WEBHOOK: "a webhook"}


def define(plural: str) -> dict[str, Any]:
    """The definition of a kind that is named after `plural`, in the group of that name."""
    spec = DEFINITION["spec"]
    names = {"plural": plural, "singular": plural[:-1], "kind": plural[:-1].capitalize()}
    group = f"{plural}.example.com"
    return {**DEFINITION, "metadata": {"name": f"{plural}.{group}"}, "spec": {**spec, "group": group, "names": names}}


def collection(plural: str) -> str:
    return f"/apis/{plural}.example.com/v1/namespaces/default/{plural}?dryRun=All"


def build(plural: str, name: str) -> dict[str, Any]:
    more = {"apiVersion": f"{plural}.example.com/v1", "kind": plural[:-1].capitalize()}
    return {**build_object(name), **more}


def rule(plural: str) -> dict[str, Any]:
    return {"operations": ["CREATE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": [plural]}


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


def add_policies(client: Client, plural: str, count: int) -> None:
    for number in range(count):
        name = f"{plural}-{number}"
        spec = {
            "matchConstraints": {"resourceRules": [rule(plural)]},
            "validations": [{"expression": "object.metadata.name != 'looked-for' && object.spec.replicas < 1000"}],
        }
        ask(client, 201, "POST", POLICIES, {"metadata": {"name": name}, "spec": spec})
        bound = {"policyName": name, "validationActions": ["Deny"]}
        ask(client, 201, "POST", BINDINGS, {"metadata": {"name": name}, "spec": bound})


def add_webhook(client: Client, url: str, bundle: str) -> None:
    webhook = {
        "name": "w.example.com",
        "clientConfig": {"url": url, "caBundle": bundle},
        "rules": [rule(WEBHOOK)],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    ask(client, 201, "POST", WEBHOOKS, {"metadata": {"name": "w"}, "webhooks": [webhook]})


def wait_until_refused(client: Client, plural: str) -> None:
    """Until the kind's admission is as it was configured."""
    while client("POST", collection(plural), build(plural, "looked-for")).code < 400:
        pass


def measure(server: Server, plural: str, requests: int, connections: int) -> float:
    """Microseconds of CPU for a create."""
    body = json.dumps(build(plural, "o"))
    head = f"POST {collection(plural)} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
    sent = load.run(server.plain_port, server.process_id, lambda _: request, requests=requests, connections=connections)
    counted = asyncio.run(sent)
    assert not counted.failures
    return counted.cpu_us


def tell(found: dict[str, list[float]]) -> None:
    for plural, title in TITLES.items():
        line = f"{title:15} {statistics.median(found[plural]):7.1f} us"
        if plural != NOTHING:
            added = [one - alone for one, alone in zip(found[plural], found[NOTHING], strict=True)]
            low, middle, high = statistics.quantiles(added, n=4)
            line += f"  adds {middle:6.1f} (quartiles {low:.1f} to {high:.1f})"
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    pipe, theirs = multiprocessing.Pipe()
    hook = multiprocessing.Process(target=answer_reviews, args=(theirs,), daemon=True)
    hook.start()
    url, bundle = pipe.recv()
    found: dict[str, list[float]] = {plural: [] for plural in TITLES}
    with Server() as server:
        client = Client("127.0.0.1", server.plain_port)
        for plural in TITLES:
            definitions.install(client, define(plural))
        add_policies(client, POLICY, 1)
        add_policies(client, TEN, 10)
        add_webhook(client, url, bundle)
        for plural in TITLES:
            if plural != NOTHING:
                wait_until_refused(client, plural)
            measure(server, plural, given.requests, given.connections)
        for _ in range(given.rounds):
            for plural, each in found.items():
                each.append(measure(server, plural, given.requests, given.connections))
    tell(found)
    pipe.send("stop")
    hook.join()


if __name__ == "__main__":
    main()
