"""A whole server without sockets notes what it is asked for; roles made of that allow it again, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import in_process
from support.in_process import InProcess
from support.waiting import PATIENCE_S

PATH = "/quarterdeck/v1/coverage"
MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
ROLES = "/apis/rbac.authorization.k8s.io/v1"
JANE = {"authorization": "Bearer t"}
SELECTED = f"{MAPS}?fieldSelector=metadata.name%3Done"


@pytest.fixture
def server(runner: asyncio.Runner, tmp_path: Path) -> Iterator[InProcess]:
    running = in_process.running(tmp_path, users="t,jane,jane\n", has_coverage=True)
    yield runner.run(running.__aenter__())
    runner.run(running.__aexit__(None, None, None))


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


async def read(server: InProcess, path: str) -> Any:
    answer = await server.call("GET", path)
    assert answer.status == 200
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)


# Method, address, body, content type; in an order in which each is answered well. A nameless list covers one by name.
RUN: list[tuple[str, str, Any, str]] = [
    ("POST", MAPS, config_map("one"), in_process.JSON),
    ("GET", f"{MAPS}/one", None, in_process.JSON),
    ("PATCH", f"{MAPS}/one", {"data": {"a": "b"}}, MERGE),
    ("PATCH", f"{MAPS}/two?fieldManager=me", config_map("two"), "application/apply-patch+yaml"),
    ("GET", SELECTED, None, in_process.JSON),
    ("GET", "/api/v1/secrets", None, in_process.JSON),
    ("GET", "/api/v1/namespaces/kube-system/secrets", None, in_process.JSON),
    ("GET", "/api/v1/namespaces/default", None, in_process.JSON),
    ("GET", "/metrics", None, in_process.JSON),
    ("DELETE", f"{MAPS}/one", None, in_process.JSON),
    ("DELETE", f"{MAPS}/two", None, in_process.JSON),
]
OTHERS: list[tuple[str, str, Any, str]] = [
    ("GET", f"{MAPS}/three", None, in_process.JSON),
    ("GET", MAPS, None, in_process.JSON),
    ("DELETE", MAPS, None, in_process.JSON),
    ("PUT", f"{MAPS}/one", config_map("one"), in_process.JSON),
    ("PATCH", f"{MAPS}/three", {"data": {}}, MERGE),
    ("POST", "/api/v1/namespaces/kube-system/configmaps", config_map("one"), in_process.JSON),
    ("GET", "/api/v1/namespaces/kube-system/secrets/one", None, in_process.JSON),
    ("GET", "/api/v1/namespaces/kube-system", None, in_process.JSON),
    ("GET", "/api/v1/namespaces", None, in_process.JSON),
    ("GET", "/logs", None, in_process.JSON),
    ("GET", PATH, None, in_process.JSON),
]


async def play(server: InProcess, run: list[tuple[str, str, Any, str]], **headers: str) -> list[int]:
    answers = [await server.call(method, path, body, kind, **headers) for method, path, body, kind in run]
    return [answer.status for answer in answers]


async def test_roles_allow_the_same_run_and_nothing_else(server: InProcess) -> None:
    wanted = await play(server, RUN, User_Agent="boats/1")
    assert max(wanted) < 300
    assert set(await play(server, RUN, **JANE)) == {403}
    made = await read(server, f"{PATH}/roles?userAgents=boats*&subject=jane")
    assert [each["kind"] for each in made["items"]] == ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]
    for each in made["items"]:
        place = each["metadata"].get("namespace")
        path = f"{ROLES}/namespaces/{place}/{each['kind'].lower()}s" if place else f"{ROLES}/{each['kind'].lower()}s"
        assert (await server.call("POST", path, each)).status == 201
    async with asyncio.timeout(PATIENCE_S):
        while (await server.call("GET", SELECTED, **JANE)).status == 403:
            await asyncio.sleep(0.005)
    assert await play(server, RUN, **JANE) == wanted
    assert set(await play(server, OTHERS, **JANE)) == {403}


async def test_the_report(server: InProcess) -> None:
    await play(server, RUN, User_Agent="boats/1")
    await server.call("GET", f"{MAPS}/one", User_Agent="kubectl/1")
    (caller,) = (await read(server, f"{PATH}?userAgents=boats*"))["callers"]
    assert (caller["user"], caller["userAgent"]) == ("admin", "boats/1")
    of_maps = [each for each in caller["requests"] if each.get("resource") == "configmaps"]
    common = {"group": "", "resource": "configmaps", "namespace": "default"}
    assert of_maps == [
        # What an apply has made counts as its creation, by name; the other was named in its body alone.
        {"verb": "create", **common, "names": ["two"], "count": 2},
        {"verb": "delete", **common, "names": ["one", "two"], "count": 2},
        {"verb": "get", **common, "names": ["one"], "count": 1},
        {"verb": "list", **common, "names": ["one"], "count": 1},
        {"verb": "patch", **common, "names": ["one", "two"], "count": 2},
    ]
    assert {"verb": "get", "path": "/metrics", "count": 1} in caller["requests"]


async def test_who_acts_as_somebody_else_asks_as_that_one(server: InProcess) -> None:
    await server.call("GET", "/version", Impersonate_User="jane")
    assert [each["user"] for each in (await read(server, PATH))["callers"]] == ["jane"]


async def test_reset_and_yaml(server: InProcess) -> None:
    await server.call("GET", MAPS)
    answer = await server.call("GET", f"{PATH}/roles?format=yaml&subject=jane")
    assert isinstance(answer.body, bytes)
    assert [each["kind"] for each in yaml.safe_load_all(answer.body)] == ["Role", "RoleBinding"]
    assert (await server.call("DELETE", PATH)).status == 200
    told = await read(server, PATH)
    assert (told["callers"], told["leftOut"]) == ([], 0)
    assert (await server.call("POST", PATH, {})).status == 405


async def test_nothing_of_it_is_there_unless_asked_for(runner: asyncio.Runner, tmp_path: Path) -> None:
    (tmp_path / "off").mkdir()
    async with in_process.running(tmp_path / "off") as server:
        assert (await server.call("GET", PATH)).status == 404
        assert server.server._cacher._listeners == []
