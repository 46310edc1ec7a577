"""Paths that only tell something."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.livepage.readpath import ReadPath
from quarterdeck.transport.messages import ConnectionInfo, Request, Response

PATH = "/quarterdeck/v1/things"


async def tell() -> dict[str, Any]:
    return {"count": 1}


def ask(method: str, path: str = PATH) -> Awaitable[Response] | None:
    return ReadPath(PATH, tell)(Request(method, path, "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=True)))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_it_is_told_as_json(method: str) -> None:
    async def answered() -> Response:
        answer = ask(method)
        assert answer is not None
        return await answer

    answer = asyncio.run(answered())
    assert isinstance(answer.body, bytes)
    assert (answer.status, json.loads(answer.body)) == (200, {"count": 1})


def test_other_paths_and_methods_are_not_its_own() -> None:
    assert ask("GET", f"{PATH}/more") is None
    with pytest.raises(errors.MethodNotAllowed):
        ask("DELETE")
