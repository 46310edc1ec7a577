"""GET of one object as it was at a revision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quarterdeck.transport.messages import Response
from support import in_process
from support.in_process import InProcess

MAPS = "/api/v1/namespaces/default/configmaps"
EXACT = "resourceVersionMatch=Exact"


def read(answer: Response) -> Any:
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)


async def history(server: InProcess, path: str, obj: dict[str, Any]) -> list[dict[str, Any]]:
    """Created, changed, deleted, created again."""
    name = obj["metadata"]["name"]
    states = [read(await server.call("POST", path, obj))]
    label = {"metadata": {"labels": {"a": "b"}}}
    states.append(read(await server.call("PATCH", f"{path}/{name}", label, "application/merge-patch+json")))
    assert (await server.call("DELETE", f"{path}/{name}")).status == 200
    states.append(read(await server.call("POST", path, obj)))
    return states


async def test_each_state_is_shown_until_the_next_one(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        for path, obj in (
            (MAPS, {"metadata": {"name": "m"}, "data": {"k": "1"}}),
            ("/apis/rbac.authorization.k8s.io/v1/clusterroles", {"metadata": {"name": "m"}, "rules": []}),
        ):
            states = await history(server, path, obj)
            revisions = [int(each["metadata"]["resourceVersion"]) for each in states]
            for revision in range(revisions[0] - 1, revisions[2] + 1):
                answer = await server.call("GET", f"{path}/m?resourceVersion={revision}&{EXACT}")
                listed = await server.call("GET", f"{path}?resourceVersion={revision}&{EXACT}")
                assert listed.status == 200
                items = [each for each in read(listed)["items"] if each["metadata"]["name"] == "m"]
                if not items:
                    assert answer.status == 404
                    assert read(answer)["details"]["name"] == "m"
                    continue
                assert answer.status == 200
                shown = {name: value for name, value in read(answer).items() if name not in ("kind", "apiVersion")}
                assert shown == items[0]
            at_each = [f"{path}/m?resourceVersion={each}&{EXACT}" for each in revisions]
            assert [read(await server.call("GET", each)) for each in at_each] == states


async def test_other_forms_and_refusals(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        first, *_ = await history(server, MAPS, {"metadata": {"name": "m"}, "data": {"k": "1"}})
        at = f"{MAPS}/m?resourceVersion={first['metadata']['resourceVersion']}&{EXACT}"
        table = read(await server.call("GET", at, accept="application/json;as=Table;v=v1;g=meta.k8s.io"))
        assert table["rows"][0]["cells"][:2] == ["m", 1]
        protobuf = await server.call("GET", at, accept="application/vnd.kubernetes.protobuf")
        assert isinstance(protobuf.body, bytes)
        assert protobuf.body.startswith(b"k8s\x00")
        assert read(await server.call("GET", f"{MAPS}/m?{EXACT}"))["metadata"]["name"] == "m"
        assert (await server.call("GET", f"{MAPS}/m?resourceVersion=x&{EXACT}")).status == 500
        future = await server.call("GET", f"{MAPS}/m?resourceVersion=1000000&{EXACT}")
        listed = await server.call("GET", f"{MAPS}?resourceVersion=1000000&{EXACT}")
        assert read(future)["message"] == read(listed)["message"]
        assert future.status == listed.status
        assert (await server.call("GET", f"{MAPS}/a%25b?resourceVersion=1&{EXACT}")).status == 400


async def test_what_is_no_revision_is_quoted_as_go_does_it(tmp_path: Path) -> None:
    async with in_process.running(tmp_path) as server:
        for text, shown, reason in (
            ("x", '"x"', "invalid syntax"),
            ("%22a", r'"\"a"', "invalid syntax"),
            ("a%0Ab", r'"a\nb"', "invalid syntax"),
            ("-1", '"-1"', "invalid syntax"),
            (str(2**64), f'"{2**64}"', "value out of range"),
        ):
            answer = await server.call("GET", f"{MAPS}/m?resourceVersion={text}")
            problem = f"resourceVersion: Invalid value: {shown}: strconv.ParseUint: parsing {shown}: {reason}"
            assert (answer.status, read(answer)["message"]) == (500, problem)
