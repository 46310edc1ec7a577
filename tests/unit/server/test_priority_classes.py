"""Only one priority class is everybody's."""

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
