"""Recordings replayed against a server that keeps everything in etcd: it answers as one with a file of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import areas
import recordings

from golden_rates import Target, replay_again, replay_all, serving
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.store import EtcdStorage
from support import etcd

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(3600)]

AREAS = ("delete", "list", "namespace", "watch")


@pytest.fixture
def target() -> Iterator[Target]:
    with etcd.cluster() as cluster:
        asyncio.run(_use(cluster))
        with serving("--storage-backend=etcd3", "--etcd-servers", *cluster.urls) as made:
            yield made


async def _use(cluster: etcd.Cluster) -> None:
    """As in any etcd that has been there for a while, the first revisions are gone."""
    store = await EtcdStorage.open(Settings(cluster.urls, compaction_interval_s=0))
    await store.delete("/registry/first", await store.create("/registry/first", b"x"))
    await store.compact(await store.current_revision())
    await store.close()


@pytest.mark.parametrize("wanted", [AREAS, pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"])
def test_a_server_over_etcd_answers_as_recorded(target: Target, wanted: tuple[str, ...]) -> None:
    found = [each for each in recordings.find(list(wanted)) if not each.is_random and not areas.takes_long(each)]
    known = recordings.known_differences()
    different = [(each, texts) for each, texts in replay_all(target, found) if each.full_name not in known]
    problems = [
        f"{each.full_name}: {text}"
        for each, texts in replay_again(target, different)
        for found in texts
        for text in found
    ]
    assert not problems, "\n".join(problems)
