"""The recordings of custom resources, replayed through a server that hands their groups on to another one: what is
proxied is answered as if it were served."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import recordings

from golden_rates import Target
from support.chain import TOKEN, Chain
from support.golden import webhook
from support.golden.client import Answer, Client
from support.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

AREAS = ("crud", "list", "patch", "watch")
_FLAGS = ("--service-cluster-ip-range=10.0.0.0/16", "--controllers=*,-clusterrole-aggregation-controller")
# Of what the outer server answers itself: the documents of a version, which it does not have.
_ADDRESS = re.compile(r"/apis/([^/]+\.golden\.dev)/(v[^/?]*)/.")


class ChainedClient:
    """Requests for objects of the recordings' own groups go to the outer server, all others to the inner one."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._inner, self._outer = (
            Client(host, port, TOKEN, context) for host, port, context in map(chain.address, (chain.inner, chain.outer))
        )
        self._handed_on: set[tuple[str, str]] = set()
        self._handing_on = threading.Lock()
        self.passed_count = 0

    def __call__(
        self, method: str, path: str, body: Any = None, headers: dict[str, str | None] | None = None
    ) -> Answer:
        found = _ADDRESS.match(path)
        if found is None or not self._is_handed_on(found[1], found[2]):
            return self._inner(method, path, body, headers)
        self.passed_count += 1
        return self._outer(method, path, body, headers)

    def _is_handed_on(self, group: str, version: str) -> bool:
        """From the first request on that finds the version served by the inner server."""
        with self._handing_on:
            if (group, version) in self._handed_on:
                return True
            if self._inner("GET", f"/apis/{group}/{version}").code != 200:
                return False
            self._chain.hand_on(group, version)
            wait_for(lambda: self._outer("GET", f"/apis/{group}/{version}").code == 200)
            self._handed_on.add((group, version))
            return True


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    chain = Chain(tmp_path_factory.mktemp("chain"), *_FLAGS)
    try:
        with webhook.serving() as hook:
            yield Target(ChainedClient(chain), hook)  # type: ignore[arg-type]
    finally:
        chain.stop()


def test_objects_behind_another_server_are_answered_as_recorded(target: Target) -> None:
    wanted = [each for each in recordings.find(list(AREAS)) if not each.is_alone]
    with ThreadPoolExecutor(8) as pool:
        found = dict(zip([each.full_name for each in wanted], pool.map(target.replay, wanted), strict=True))
    again = [each for each in wanted if any(found[each.full_name])]
    found |= {each.full_name: target.replay(each) for each in again}  # with nothing beside it
    problems = {name: [text for texts in each for text in texts][:3] for name, each in found.items() if any(each)}
    assert not problems
    assert target.client.passed_count > 300
