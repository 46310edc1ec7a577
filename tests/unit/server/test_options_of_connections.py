"""What connections to pods are asked with, before anybody looks for the pod."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import in_process
from unit.server.test_patches_of_policies import CORE, POD, add_policy, ask, put


async def test_commands_are_null_where_there_are_none(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        assert (await server.call("POST", f"{CORE}/pods", POD)).status == 201
        replaced, seen = put("/command", "['b']"), put("/container", "'seen'", "add")  # of what is not there: a refusal
        await add_policy(server, f"{replaced}, {seen}", operation="CONNECT")
        found = [(await ask(server, "GET", f"{CORE}/pods/p/exec{query}"))[1] for query in ("", "?command=a")]
    assert found == ["container seen is not valid for pod p"] * 2


@pytest.mark.parametrize(
    "path", ["exec?dryRun=", "attach?dryRun=All", "portforward?ports=x&dryRun=x", "proxy/a?dryRun=All"]
)
async def test_connections_know_no_dry_run(tmp_path: Path, path: str) -> None:
    async with in_process.running(tmp_path) as server:
        assert await ask(server, "GET", f"{CORE}/pods/absent/{path}") == (400, "dryRun is not supported")
        assert (await ask(server, "GET", f"{CORE}/pods/absent/log?dryRun=All"))[0] == 404
