"""Only one priority class is everybody's, and those of the system stay."""

from __future__ import annotations

import json
from pathlib import Path

from support import in_process

_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


async def test_one_priority_class_is_everybodys(tmp_path: Path) -> None:
    made = {"metadata": {"name": "a"}, "value": 5, "globalDefault": True}
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", _CLASSES, made)).status == 201
        for name in ("a", "b"):  # that it is there already is told later
            answer = await server.call("POST", _CLASSES, {**made, "metadata": {"name": name}})
            told = json.loads(answer.body)["message"]
            assert answer.status == 403
            assert told.endswith(": PriorityClass a is already marked as default. Only one default can exist")
        changed = {"globalDefault": True, "description": "d"}
        answer = await server.call("PATCH", f"{_CLASSES}/a", changed, "application/merge-patch+json")
        assert answer.status == 200


async def test_the_classes_of_the_system_are_not_deleted(tmp_path: Path) -> None:
    path = f"{_CLASSES}/system-node-critical"
    async with in_process.running(tmp_path) as server:
        for options in ({}, {"preconditions": {"uid": "x"}}, {"dryRun": ["All"]}):
            answer = await server.call("DELETE", path, options)
            told = json.loads(answer.body)
            assert (answer.status, told["details"]["kind"]) == (403, "priorityclasses")
            assert told["message"].endswith("this is a system priority class and cannot be deleted")
        assert (await server.call("DELETE", path, {"propagationPolicy": "X"})).status == 422
        assert (await server.call("GET", path)).status == 200
