"""A fresh server has a local APIService for each version that it serves of its own, stored or not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from quarterdeck.apis.priorities import PRIORITIES
from support.in_process import running

_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"


def test_each_version_has_one_of_its_own_priority(tmp_path: Path) -> None:
    async def check() -> None:
        async with running(tmp_path) as server:
            await server.until_served("/readyz")  # by then they are registered
            items = json.loads(bytes((await server.call("GET", _SERVICES)).body))["items"]
            found = {
                (spec.get("group", ""), spec["version"]): (spec["groupPriorityMinimum"], spec["versionPriority"])
                for spec in (item["spec"] for item in items)
            }
            assert found == PRIORITIES

    asyncio.run(check())
