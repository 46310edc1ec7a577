"""Files that are replaced are taken up; what cannot be used is not."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from quarterdeck.controllers import authenticationtrust
from quarterdeck.server.reload import FileWatch
from support.certificates import Certificate
from support.in_process import running
from support.waiting import PATIENCE_S, until


def test_a_change_is_taken_up_once(tmp_path: Path) -> None:
    path = tmp_path / "ca.crt"
    path.write_text("a")
    calls: list[str] = []
    watch = FileWatch([path], lambda: calls.append(path.read_text()))
    watch.check()
    assert calls == []
    path.write_text("bb")
    watch.check()
    watch.check()
    assert calls == ["bb"]
    other = tmp_path / "new"
    other.write_text("cc")
    other.rename(path)
    watch.check()
    assert calls == ["bb", "cc"]


def test_what_cannot_be_used_is_told_and_tried_again_after_the_next_change(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "ca.crt"
    path.write_text("good")
    taken: list[str] = []

    def reload() -> None:
        text = path.read_text()
        if text.startswith("bad"):
            raise ValueError("no certificate found")
        taken.append(text)

    watch = FileWatch([path], reload)
    path.unlink()
    with caplog.at_level(logging.WARNING):
        watch.check()
        path.write_text("bad one")
        watch.check()
    assert len(caplog.records) == 2
    assert "the old content stays: no certificate found" in caplog.text
    path.write_text("good again")
    watch.check()
    assert taken == ["good again"]


async def test_authorities_are_published_when_their_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authenticationtrust, "PERIOD_S", 1e6)
    first, second = (Certificate(name, is_authority=True) for name in ("first", "second"))
    file = tmp_path / "clients.pem"
    file.write_bytes(first.pem)
    async with running(tmp_path, client_ca_file=file) as server:
        server.server.on_ready()

        async def published() -> list[bool]:
            answer = await server.call("GET", "/api/v1/namespaces/kube-system/configmaps/" + authenticationtrust.NAME)
            text = answer.body.decode() if answer.status == 200 else ""
            return [json.dumps(each.pem.decode())[1:-1] in text for each in (first, second)]

        async def wait_for(wanted: list[bool]) -> None:
            async with asyncio.timeout(PATIENCE_S):
                while await published() != wanted:
                    await asyncio.sleep(0.01)

        await wait_for([True, False])
        queue = server.server.controllers.trust.controller
        await until(lambda: not queue.depth and not queue.unfinished_s())  # it has seen what it has made
        file.write_bytes(second.pem)
        for watch in server.server.file_watches:
            if isinstance(watch, FileWatch):
                watch.check()
        await wait_for([True, True])  # what was published stays
