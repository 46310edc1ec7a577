"""Answers that come before anything is done: of paths that cannot be read, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import in_process


@pytest.mark.parametrize("token", ["", "Bearer nobody's", f"Bearer {in_process.TOKEN}"])
@pytest.mark.parametrize("path", ["/api/v1/proxy", "/apis/apps/v1/watch"])
async def test_a_path_that_only_begins_is_told_before_anybody_asks_who_sends_it(
    tmp_path: Path, path: str, token: str
) -> None:
    async with in_process.running(tmp_path) as server:
        answer = await server.call("GET", path, authorization=token)
    assert answer.status == 500
    assert isinstance(answer.body, bytes)
    assert b"unable to determine kind and namespace from url" in answer.body


@pytest.mark.parametrize(
    ("agent", "query", "is_indented"), [("curl/8", "", True), ("curl/8", "?pretty=0", False), ("x", "?pretty=1", True)]
)
async def test_a_refusal_is_indented_for_people_as_other_answers_are(
    tmp_path: Path, agent: str, query: str, is_indented: bool
) -> None:
    async with in_process.running(tmp_path) as server:
        refused = await server.call("GET", f"/api/v1/pods{query}", user_agent=agent, impersonate_user="bob")
        missing = await server.call("GET", f"/api/v1/namespaces/x{query}", user_agent=agent)
    for answer, code in ((refused, 403), (missing, 404)):
        assert isinstance(answer.body, bytes)
        assert json.loads(answer.body)["code"] == code
        assert (b'\n  "status": "Failure"' in answer.body) is is_indented
