"""What the server alone sets in metadata is taken from whatever is posted, stored or not, before anybody sees it.

Source: apiserver/pkg/endpoints/handlers/create.go (WipeObjectMetaSystemFields).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import in_process

SENT = {
    "name": "a",
    "uid": "u",
    "selfLink": "/x",
    "creationTimestamp": "2024-01-01T00:00:00Z",
    "deletionTimestamp": "2024-01-01T00:00:00Z",
    "deletionGracePeriodSeconds": 3,
}
REVIEWS = {
    "/apis/authentication.k8s.io/v1/tokenreviews": {"token": "t"},
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": {"namespace": "default"},
}


async def post(server: in_process.InProcess, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answer = await server.call("POST", path, body)
    assert isinstance(answer.body, bytes)
    return answer.status, json.loads(answer.body)


@pytest.mark.parametrize("path", REVIEWS)
async def test_reviews_do_not_answer_it(tmp_path: Path, path: str) -> None:
    async with in_process.running(tmp_path) as server:
        status, found = await post(server, path, {"metadata": SENT, "spec": REVIEWS[path]})
        assert status == 201
        assert SENT.keys() & found["metadata"].keys() <= {"name"}


async def test_what_is_not_stored_keeps_the_version_that_was_sent(tmp_path: Path) -> None:
    metadata = {"resourceVersion": '"5', "labels": {"a": "b"}}
    account = "/api/v1/namespaces/default/serviceaccounts"
    async with in_process.running(tmp_path) as server:
        await post(server, account, {"metadata": {"name": "a"}})
        for path, spec in (
            ("/apis/authentication.k8s.io/v1/tokenreviews", {"token": "t"}),
            (f"{account}/a/token", {"audiences": ["a"]}),
        ):
            status, found = await post(server, path, {"metadata": metadata, "spec": spec})
            assert (status, metadata.items() <= found["metadata"].items()) == (201, True)
            assert next(iter(found["metadata"])) == "resourceVersion"


@pytest.mark.parametrize("kind", ["selfsubjectaccessreviews", "subjectaccessreviews"])
async def test_access_reviews_refuse_what_is_left(tmp_path: Path, kind: str) -> None:
    spec = {"user": "u", "nonResourceAttributes": {"path": "/", "verb": "get"}}
    async with in_process.running(tmp_path) as server:
        path = f"/apis/authorization.k8s.io/v1/{kind}"
        status, found = await post(server, path, {"metadata": SENT, "spec": spec})
        assert status == 422
        assert '{"name":"a"' in found["message"]
        assert not any(f'"{name}":' in found["message"] for name in SENT if name != "name")
