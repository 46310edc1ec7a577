"""What the modes come to in a whole server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from quarterdeck.authorization.configuration import AuthorizerConfiguration
from quarterdeck.server.config import ConfigError
from support import access
from support.access import headers_of
from support.in_process import running

MAPS = "/api/v1/namespaces/default/configmaps"


def modes(*types: str) -> tuple[AuthorizerConfiguration, ...]:
    return tuple(AuthorizerConfiguration(each, each.lower()) for each in types)


@pytest.mark.parametrize(
    ("types", "code", "anonymous", "reason"),
    [
        (("AlwaysAllow",), 200, 401, ""),
        (("RBAC", "AlwaysAllow"), 200, 401, ""),
        (("AlwaysDeny",), 403, 403, ": Everything is forbidden."),
        (("AlwaysDeny", "AlwaysAllow"), 200, 401, ""),
        (("Node",), 403, 403, ""),
    ],
)
def test_who_may_come_in(tmp_path: Path, types: tuple[str, ...], code: int, anonymous: int, reason: str) -> None:
    async def run() -> None:
        async with running(tmp_path, access.tokens_of({"bob": []}), authorizers=modes(*types)) as server:
            answer = await server.call("GET", MAPS, **headers_of("bob"))
            assert answer.status == code
            if code == 403:
                message = json.loads(access.body_of(answer))["message"]
                assert message.endswith(f'in the namespace "default"{reason}')
            assert (await server.call("GET", "/version", authorization="")).status == anonymous
            assert (await server.call("GET", MAPS)).status == 200, "the administrator"

    asyncio.run(run())


def test_policies_of_a_file_decide(tmp_path: Path) -> None:
    policies = tmp_path / "policies"
    policies.write_text(json.dumps({"user": "bob", "namespace": "default", "readonly": True}))

    async def run() -> None:
        tokens = access.tokens_of({"bob": [], "eve": []})
        settings = {"authorizers": modes("ABAC"), "authorization_policy_file": str(policies)}
        async with running(tmp_path, tokens, **settings) as server:
            assert (await server.call("GET", MAPS, **headers_of("bob"))).status == 200
            answer = await server.call("GET", MAPS, **headers_of("eve"))
            assert answer.status == 403
            assert json.loads(access.body_of(answer))["message"].endswith(": No policy matched.")
            assert (await server.call("DELETE", f"{MAPS}/a", **headers_of("bob"))).status == 403

    asyncio.run(run())


def test_a_start_without_the_policies_fails(tmp_path: Path) -> None:
    async def run() -> None:
        async with running(tmp_path, authorizers=modes("ABAC"), authorization_policy_file="/absent"):
            pass

    with pytest.raises(ConfigError, match="open /absent: no such file or directory"):
        asyncio.run(run())
