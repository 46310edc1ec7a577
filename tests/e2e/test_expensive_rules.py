"""Rules that run to their cost limits delay the request that they belong to and no other."""

from __future__ import annotations

import threading
import time

import pytest

from support import definitions
from support.golden.client import Client
from support.server import Server

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

GROUP = "slow.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
# Costs little for what it takes: the estimate allows it, and evaluating it takes seconds.
RULE = "self.all(x, self.all(y, cidr('10.0.0.0/8').containsIP('10.1.1.1') || x != y))"
LIST = {
    "type": "array",
    "maxItems": 450,
    "items": {"type": "string", "maxLength": 5},
    "x-kubernetes-validations": [{"rule": RULE}],
}
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"names": LIST}}}}


def test_others_are_answered_while_a_rule_runs_to_its_limit():
    answers = []

    def create(call):
        body = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Thing",
            "metadata": {"name": "a"},
            "spec": {"names": ["x"] * 450},
        }
        started = time.monotonic()
        answers.append((call("POST", BASE, body), time.monotonic() - started))

    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP, definitions.version(SCHEMA)))
        worker = threading.Thread(target=create, args=(Client("127.0.0.1", server.plain_port),))
        worker.start()
        waits = []
        while worker.is_alive():
            started = time.monotonic()
            assert call("GET", BASE).code == 200
            waits.append(time.monotonic() - started)
            time.sleep(0.005)
    (answer, took_s) = answers[0]
    assert answer.code == 422
    assert "call cost exceeds limit for rule" in answer.body.decode()
    # Far more than what a busy machine adds to a read.
    assert took_s > 0.3
    assert len(waits) > 5
    assert sorted(waits)[len(waits) // 2] < took_s / 5
    assert max(waits) < took_s / 2
