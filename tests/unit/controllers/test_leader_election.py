"""Of several servers one leads: who it is, when another takes over, and what becomes of the one before."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.controllers.leaderelection import NAME, NAMESPACE, LeaderElection, Settings
from quarterdeck.controllers.optional.context import Dependencies
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from support import virtual_time
from support.control import World

DURATION_S = Settings().lease_duration_s


class CutOff:
    """Writes as `UNADMITTED` does, or not at all."""

    def __init__(self) -> None:
        self.is_cut = False

    async def create(self, *arguments: Any) -> Any:
        return await self._pass(UNADMITTED.create(*arguments))

    async def update(self, *arguments: Any) -> Any:
        return await self._pass(UNADMITTED.update(*arguments))

    async def _pass(self, writing: Coroutine[Any, Any, Any]) -> Any:
        if self.is_cut:
            writing.close()
            raise errors.ServiceUnavailable("the store is unavailable", {})
        return await writing


class Candidate:
    """`spans`: from when to when it led."""

    def __init__(self, leases: Scope, name: str) -> None:
        self.spans: list[list[float]] = []
        self.identity = CutOff()
        self.election = LeaderElection(leases, Settings(), self._begin, self._end)
        self.election.identity = self.identity  # type: ignore[assignment]  # it writes, and that is all
        self.election.holder = name

    def _begin(self) -> None:
        self.spans.append([asyncio.get_running_loop().time()])

    async def _end(self) -> None:
        self.spans[-1].append(asyncio.get_running_loop().time())

    def kill(self) -> None:
        """As the end of the process: nothing is given up."""
        assert self.election._task is not None
        self.election._task.cancel()
        self.election.is_leading = False


async def begin(*names: str) -> tuple[Scope, list[Candidate]]:
    world = await World().start()
    leases = world.builtin["coordination.k8s.io", "v1", "leases"][""]
    made = [Candidate(leases, name) for name in names]
    for candidate in made:
        candidate.election.start()
        await asyncio.sleep(1)
    return leases, made


def spec_of(leases: Scope) -> dict[str, Any]:
    spec: dict[str, Any] = json.load(leases.store.get(NAMESPACE, NAME).data)["spec"]
    return spec


def now_s() -> float:
    return asyncio.get_running_loop().time()


def test_the_first_leads_as_long_as_it_lives() -> None:
    async def run() -> None:
        leases, (one, other) = await begin("one", "other")
        await asyncio.sleep(300)
        assert (len(one.spans), one.election.is_leading, other.spans) == (1, True, [])
        spec = spec_of(leases)
        assert (spec["holderIdentity"], spec["leaseDurationSeconds"], spec["leaseTransitions"]) == ("one", 15, 0)
        await one.election.stop()
        await other.election.stop()

    virtual_time.run(run())


def test_another_takes_over_when_the_lease_of_a_killed_one_runs_out() -> None:
    async def run() -> None:
        leases, (one, other) = await begin("one", "other")
        await asyncio.sleep(5)
        renewed_s = other.election._seen_s
        one.kill()
        killed_s = now_s()
        await asyncio.sleep(DURATION_S + 1)
        (span,) = other.spans
        assert renewed_s + DURATION_S <= span[0] <= killed_s + DURATION_S
        assert spec_of(leases)["leaseTransitions"] == 1
        await other.election.stop()

    virtual_time.run(run())


def test_another_takes_over_at_once_from_one_that_stops() -> None:
    async def run() -> None:
        leases, (one, other) = await begin("one", "other")
        acquired = spec_of(leases)["acquireTime"]
        await asyncio.sleep(5)
        await one.election.stop()
        stopped_s = now_s()
        await asyncio.sleep(1)
        assert other.spans[0][0] - stopped_s < 0.1
        assert one.spans[0][1] <= other.spans[0][0]
        assert spec_of(leases)["holderIdentity"] == "other"
        assert spec_of(leases)["acquireTime"] != acquired
        await other.election.stop()
        assert spec_of(leases)["holderIdentity"] == ""

    virtual_time.run(run())


def test_one_that_cannot_renew_stops_before_another_begins() -> None:
    async def run() -> None:
        _, (one, other) = await begin("one", "other")
        await asyncio.sleep(5)
        one.identity.is_cut = True
        await asyncio.sleep(30)
        assert not one.election.is_leading
        assert one.spans[0][1] + 4 <= other.spans[0][0]
        one.identity.is_cut = False
        await asyncio.sleep(30)
        assert len(one.spans) == 1, "the other one leads"
        other.kill()
        await asyncio.sleep(30)
        assert len(one.spans) == 2, "it leads again"
        await one.election.stop()

    virtual_time.run(run())


@pytest.mark.parametrize("renewed", ["2001-01-01T00:00:00.000000Z", "2101-01-01T00:00:00.000000Z"])
def test_the_clock_of_who_holds_the_lease_does_not_matter(renewed: str) -> None:
    """A kube-controller-manager, say."""

    async def run() -> None:
        world = await World().start()
        leases = world.builtin["coordination.k8s.io", "v1", "leases"][""]
        spec = {"holderIdentity": "manager", "leaseDurationSeconds": 15, "renewTime": renewed, "acquireTime": renewed}
        metadata = {"name": NAME, "namespace": NAMESPACE}
        await world.create(
            leases, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
        )
        candidate = Candidate(leases, "one")
        candidate.election.start()
        begin_s = now_s()
        await asyncio.sleep(DURATION_S + 1)
        assert candidate.spans[0][0] - begin_s == pytest.approx(DURATION_S, abs=0.1)
        await candidate.election.stop()

    virtual_time.run(run())


async def test_controllers_that_are_held_back_look_at_everything_when_they_lead_again() -> None:
    world = await World().start()
    managed = world.controllers.managed
    await managed.retire()
    await world.create(world.namespaces[""], {"metadata": {"name": "held"}})
    await world.delete(world.namespaces[""], "", "held")
    assert managed.namespace.controller.depth == 0
    managed.namespace.controller.resume()
    managed.follow_namespaces()
    assert managed.namespace.controller.depth > 0
    listeners = list(world.namespaces[""].store.cache.listeners)
    managed.follow_namespaces()
    assert world.namespaces[""].store.cache.listeners == listeners
    await managed.stop()


@pytest.mark.parametrize(
    ("wanted", "is_candidate"),
    [
        ("*", True),
        ("resourcequota-controller", True),
        ("-namespace-controller,*", True),
        ("-garbage-collector-controller,-namespace-controller,-clusterrole-aggregation-controller,*", False),
        ("-namespace-controller", False),
        ("disruption-controller", False),
    ],
)
async def test_a_server_without_such_controllers_leaves_the_lease_to_others(wanted: str, is_candidate: bool) -> None:
    world = await World().start()
    world.controllers.choose(wanted.split(","), Dependencies())
    assert world.controllers.managed.runs_any is is_candidate
