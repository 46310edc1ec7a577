"""Watches are told the furthest behind first, a bounded number, and are forgotten when they end."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from quarterdeck.livepage import watches
from quarterdeck.livepage.watches import Watches


class FakeWatch:
    def __init__(self, behind: int) -> None:
        self.watcher = SimpleNamespace(is_live=True, taken=10, lag=behind, lag_bytes=behind * 100)
        self.is_paused = behind > 0
        self.on_end: Any = None


def request(query: str = "", agent: str = "kubectl") -> Any:
    return SimpleNamespace(
        query=query,
        headers={"user-agent": agent, "accept": "application/json"},
        scope=SimpleNamespace(resource=SimpleNamespace(group="", version="v1", name="pods")),
        info=SimpleNamespace(address=SimpleNamespace(namespace="sea", name="")),
        user=SimpleNamespace(name="jane"),
        connection=SimpleNamespace(remote_address="127.0.0.1"),
        received_s=0.0,
    )


def tell(noted: Watches) -> dict[str, Any]:
    return asyncio.run(noted.tell())


def test_a_watch_is_told_with_who_has_it_and_where_it_stands() -> None:
    noted, watch = Watches(), FakeWatch(3)
    noted.note(request("labelSelector=a%3Db&fieldSelector=metadata.name%3Dx"), watch)
    (told,) = tell(noted)["watches"]
    assert told.pop("seconds") > 0
    assert told == {
        "user": "jane",
        "userAgent": "kubectl",
        "address": "127.0.0.1",
        "group": "",
        "version": "v1",
        "resource": "pods",
        "namespace": "sea",
        "name": "",
        "labelSelector": "a=b",
        "fieldSelector": "metadata.name=x",
        "accept": "application/json",
        "state": "live",
        "sent": 10,
        "behind": 3,
        "behindBytes": 300,
        "isPaused": True,
    }


def test_one_that_has_not_begun_has_nothing_to_get() -> None:
    noted, watch = Watches(), FakeWatch(0)
    watch.watcher = None  # type: ignore[assignment]
    noted.note(request(), watch)
    (told,) = tell(noted)["watches"]
    assert (told["state"], told["sent"], told["behind"], told["behindBytes"]) == ("beginning", 0, 0, 0)


def test_one_that_ends_is_forgotten() -> None:
    noted, watch = Watches(), FakeWatch(0)
    noted.note(request(), watch)
    watch.on_end()
    watch.on_end()
    assert tell(noted) == {"count": 0, "watches": []}


def test_of_many_the_furthest_behind_are_told() -> None:
    noted = Watches()
    for behind in range(3000):
        noted.note(request(), FakeWatch((behind * 7) % 3000))
    told = tell(noted)
    assert told["count"] == 3000
    assert [each["behind"] for each in told["watches"]] == list(range(2999, 1999, -1))


def test_long_texts_of_clients_are_cut() -> None:
    noted = Watches()
    noted.note(request(f"labelSelector={'a' * 100_000}", agent="b" * 100_000), FakeWatch(0))
    (told,) = tell(noted)["watches"]
    assert {len(told[name]) for name in ("labelSelector", "userAgent")} == {watches._TEXT_CHARS_MAX}
