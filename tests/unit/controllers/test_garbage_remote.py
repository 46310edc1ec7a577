"""What the garbage collector does where owners or dependents are at another server, which may be away, hang or lie."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from quarterdeck.controllers.garbage import circuitbreaker, collector, following, reflector
from quarterdeck.controllers.remoteobjects import RemoteKind
from support.garbage import World
from support.remote_objects import FLUNDERS, RemoteStore, refer
from support.waiting import until


@pytest.fixture(autouse=True)
def _short_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((circuitbreaker, "REST"), (reflector, "RETRY")):
        monkeypatch.setattr(module, f"{name}_FIRST_S", 0.01)
        monkeypatch.setattr(module, f"{name}_MAX_S", 0.02)
    monkeypatch.setattr(collector, "SETTLING_LOOK_S", 0.01)


@pytest.fixture
def remote(runner: asyncio.Runner) -> RemoteStore:
    async def make() -> RemoteStore:
        return RemoteStore()

    return runner.run(make())


@pytest.fixture
def world(runner: asyncio.Runner, remote: RemoteStore) -> Iterator[World]:
    made = runner.run(World().start())
    yield made
    runner.run(made.stop())


async def follow(world: World, remote: RemoteStore, *kinds: RemoteKind) -> None:
    world.garbage.follow_remote(remote, kinds or (FLUNDERS,), is_whole=True)
    if not remote.is_away and remote.may_answer.is_set():
        await until(lambda: remote.is_followed)


async def settle(world: World, remote: RemoteStore) -> None:
    """All that the other server has told is taken in, and done."""

    def is_done() -> bool:
        return remote.is_delivered and all(queue.is_idle for queue in world.garbage.collector.queues())

    for _ in range(3):
        await until(is_done)
        await asyncio.sleep(0)


def names(remote: RemoteStore) -> list[str]:
    return sorted(name for _, name in remote.objects)


async def test_nothing_is_asked_or_run_without_a_resource_elsewhere(world: World) -> None:
    owner = await world.create("owner")
    await world.create("dependent", refer(owner))
    await world.delete("owner", "Background")
    await world.settle()
    assert world.owners() == {}
    assert {queue.name for queue in world.garbage.collector.queues() if queue.is_running} == {"garbage", "orphaning"}
    assert not [task for task in asyncio.all_tasks() if "reflector" in task.get_name()]


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
async def test_dependents_elsewhere_go_with_a_local_owner(world: World, remote: RemoteStore, policy: str) -> None:
    await follow(world, remote)
    owner, kept = await world.create("owner"), await world.create("kept")
    remote.create("dependent", refer(owner, blocks=True))
    remote.create("shared", refer(owner, blocks=True), refer(kept))
    await settle(world, remote)
    await world.delete("owner", policy)
    await until(lambda: names(remote) == ["shared"] and world.metadata("owner") is None)
    await settle(world, remote)
    assert [each["name"] for each in remote.objects["ns", "shared"]["ownerReferences"]] == ["kept"]


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
async def test_local_dependents_go_with_an_owner_elsewhere(world: World, remote: RemoteStore, policy: str) -> None:
    owner = remote.create("owner")
    await follow(world, remote)
    await world.create("dependent", refer(owner, blocks=True))
    await settle(world, remote)
    assert world.owners() == {"dependent": ["owner"]}
    remote.remove("owner", policy)
    await until(lambda: world.owners() == {} and names(remote) == [])


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
async def test_a_chain_of_owners_through_both_servers_goes(world: World, remote: RemoteStore, policy: str) -> None:
    await follow(world, remote)
    first = await world.create("first")
    second = remote.create("second", refer(first, blocks=True))
    third = await world.create("third", refer(second, blocks=True))
    remote.create("fourth", refer(third, blocks=True))
    await settle(world, remote)
    await world.delete("first", policy)
    await until(lambda: world.owners() == {} and names(remote) == [])


async def begin_foreground(world: World, remote: RemoteStore) -> None:
    """An owner here waits for a dependent elsewhere, which something holds."""
    await follow(world, remote)
    owner = await world.create("owner")
    remote.create("dependent", refer(owner, blocks=True), hold=True)
    await settle(world, remote)
    await world.delete("owner", "Foreground")
    await until(lambda: remote.objects["ns", "dependent"].get("deletionTimestamp"))


async def test_foreground_waits_for_a_dependent_elsewhere(world: World, remote: RemoteStore) -> None:
    await begin_foreground(world, remote)
    await settle(world, remote)
    assert world.metadata("owner") is not None
    remote.release("dependent")
    await until(lambda: world.metadata("owner") is None and names(remote) == [])


async def test_orphans_stay_at_both_servers(world: World, remote: RemoteStore) -> None:
    await follow(world, remote)
    here, there = await world.create("here"), remote.create("there")
    remote.create("a", refer(here), refer(there))
    await world.create("b", refer(here), refer(there))
    await settle(world, remote)
    await world.delete("here", "Orphan")
    remote.remove("there", "Orphan")
    await until(lambda: world.metadata("here") is None and "there" not in names(remote))
    await settle(world, remote)
    assert world.owners() == {"b": []}
    assert "ownerReferences" not in remote.objects["ns", "a"]


async def test_an_owner_that_never_was_elsewhere_keeps_nothing(world: World, remote: RemoteStore) -> None:
    await follow(world, remote)
    owner = remote.create("owner")
    await world.create("mistaken", refer(owner, uid="another"))
    await world.create("absent", refer(owner, name="nobody", uid="nobody"))
    await world.create("right", refer(owner))
    await until(lambda: world.owners() == {"right": ["owner"]})


async def test_an_owner_of_a_kind_that_becomes_known_is_asked_for(world: World, remote: RemoteStore) -> None:
    owner = remote.create("owner")
    await world.create("dependent", refer(owner))
    await world.create("lonely", refer(owner, uid="gone"))
    await world.settle()
    assert set(world.owners()) == {"dependent", "lonely"}
    await follow(world, remote)
    await until(lambda: set(world.owners()) == {"dependent"})


async def test_an_owner_at_a_server_that_is_away_is_not_taken_for_gone(world: World, remote: RemoteStore) -> None:
    owner, gone = remote.create("owner"), remote.create("gone")
    remote.is_away = True
    await follow(world, remote)
    await world.create("dependent", refer(owner))
    await world.create("lonely", refer(gone))
    remote.remove("gone")
    asked = len(remote.calls)
    await until(lambda: len(remote.calls) > asked + 5)
    assert set(world.owners()) == {"dependent", "lonely"}
    remote.is_away = False
    await until(lambda: set(world.owners()) == {"dependent"})


async def test_what_happens_while_a_server_is_away_is_made_up_for(world: World, remote: RemoteStore) -> None:
    await follow(world, remote)
    stays, goes, here = remote.create("stays"), remote.create("goes"), await world.create("here")
    await world.create("first", refer(stays))
    await world.create("second", refer(goes))
    remote.create("third", refer(here))
    await settle(world, remote)
    remote.is_away = True
    remote.forget_history()
    await world.delete("here", "Background")
    remote.remove("goes")
    await world.create("another", refer(stays))
    await asyncio.sleep(0.1)
    assert world.owners() == {"first": ["stays"], "second": ["goes"], "another": ["stays"]}
    remote.is_away = False
    await until(lambda: set(world.owners()) == {"first", "another"} and names(remote) == ["stays"])


async def test_a_dependent_that_went_unseen_blocks_nobody(world: World, remote: RemoteStore) -> None:
    await begin_foreground(world, remote)
    remote.is_away = True
    remote.release("dependent")
    remote.forget_history()
    await asyncio.sleep(0.05)
    assert world.metadata("owner") is not None
    remote.is_away = False
    await until(lambda: world.metadata("owner") is None)


async def test_a_list_that_shows_nothing_is_no_word_about_an_owner(world: World, remote: RemoteStore) -> None:
    """As of a server that has begun to listen before it has read its store."""
    await follow(world, remote)
    owner = remote.create("owner")
    await world.create("dependent", refer(owner))
    await settle(world, remote)
    remote.lists_nothing = True
    remote.forget_history()
    listed = len(remote.calls)
    await until(lambda: ("get", "owner") in remote.calls[listed:])
    await settle(world, remote)
    assert world.owners() == {"dependent": ["owner"]}


async def test_a_server_that_hangs_holds_up_no_local_object(world: World, remote: RemoteStore) -> None:
    await follow(world, remote)
    owner = remote.create("owner")
    await settle(world, remote)
    remote.may_answer.clear()
    for number in range(100):
        await world.create(f"waiting-{number}", refer(owner, uid="another"))
    here = await world.create("here")
    for number in range(50):
        await world.create(f"own-{number}", refer(here, blocks=True))
    await world.delete("here", "Foreground")
    await until(lambda: len(world.owners()) == 100)
    assert remote.most_under_way <= circuitbreaker.TURNS_MAX
    remote.may_answer.set()
    await until(lambda: world.owners() == {})


async def test_a_server_that_does_not_answer_is_left_alone(
    world: World, remote: RemoteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuitbreaker, "REST_FIRST_S", 3600.0)
    monkeypatch.setattr(circuitbreaker, "REST_MAX_S", 3600.0)
    await follow(world, remote)
    owner = remote.create("owner")
    await settle(world, remote)
    remote.calls.clear()
    remote.may_answer.clear()
    for number in range(200):
        await world.create(f"waiting-{number}", refer(owner, uid="another"))
    await until(lambda: remote.calls)
    await asyncio.sleep(0.2)
    assert len(remote.calls) <= circuitbreaker.TURNS_MAX


async def test_uids_of_local_objects_are_not_anothers(world: World, remote: RemoteStore) -> None:
    await follow(world, remote)
    owner = await world.create("owner")
    dependent = await world.create("dependent", refer(owner))
    lie = remote.create("lie", refer(owner))
    for uid in (owner["metadata"]["uid"], dependent["metadata"]["uid"]):
        remote.objects["ns", "lie"] = {**lie["metadata"], "uid": uid, "resourceVersion": "1"}
        remote._tell("ADDED", remote.objects["ns", "lie"])
        await settle(world, remote)
        remote.remove("lie")
        await settle(world, remote)
    assert world.owners() == {"owner": [], "dependent": ["owner"]}
    await world.delete("owner", "Background")
    await until(lambda: world.owners() == {})


async def test_what_is_final_waits_for_the_first_list(
    world: World, remote: RemoteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await world.create("owner")
    remote.create("dependent", refer(owner))
    remote.is_away = True
    await follow(world, remote)
    await world.delete("owner", "Orphan")
    await asyncio.sleep(0.1)
    assert world.metadata("owner") is not None
    remote.is_away = False
    await until(lambda: world.metadata("owner") is None)
    await settle(world, remote)
    assert names(remote) == ["dependent"] and "ownerReferences" not in remote.objects["ns", "dependent"]


async def test_what_is_final_waits_no_longer_than_a_while(
    world: World, remote: RemoteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SETTLING_S", 0.05)
    remote.is_away = True
    await follow(world, remote)
    await world.create("owner")
    await world.delete("owner", "Orphan")
    await until(lambda: world.metadata("owner") is None)


async def test_objects_of_a_resource_that_is_followed_no_more_are_not_gone(world: World, remote: RemoteStore) -> None:
    await follow(world, remote)
    owner, here = remote.create("owner"), await world.create("here")
    await world.create("dependent", refer(owner))
    remote.create("there", refer(here))
    await settle(world, remote)
    world.garbage.follow_remote(remote, (), is_whole=True)
    await until(lambda: not remote.is_followed)
    remote.remove("owner")
    await world.delete("here", "Background")
    await world.create("another", refer(owner, uid="gone"))
    await world.settle()
    assert set(world.owners()) == {"dependent", "another"} and names(remote) == ["there"]
    assert [node.name for node in world.garbage.collector.graph.nodes.values()] == ["dependent", "another"]
    await follow(world, remote)
    await until(lambda: world.owners() == {} and names(remote) == [])


async def test_a_version_that_is_not_followed_leads_to_owners_too(world: World, remote: RemoteStore) -> None:
    old = FLUNDERS._replace(service="v1beta1.wardle.example.com", version="v1beta1", is_followed=False)
    await follow(world, remote, FLUNDERS, old)
    owner = remote.create("owner")
    reference = refer(owner, apiVersion=old.api_version)
    await world.create("dependent", reference)
    await world.create("lonely", {**reference, "uid": "gone"})
    await until(lambda: set(world.owners()) == {"dependent"})
    remote.remove("owner")
    await until(lambda: world.owners() == {})


async def test_who_does_not_lead_collects_nothing_until_it_does(world: World, remote: RemoteStore) -> None:
    await follow(world, remote)
    owner, here = remote.create("owner"), await world.create("here")
    await world.create("dependent", refer(owner))
    remote.create("there", refer(here))
    await settle(world, remote)
    await world.garbage.collector.hold()
    remote.remove("owner")
    await world.delete("here", "Background")
    await asyncio.sleep(0.05)
    assert set(world.owners()) == {"dependent"} and names(remote) == ["there"]
    world.garbage.collector.resume()
    world.garbage.collector.start()
    await until(lambda: world.owners() == {} and names(remote) == [])


async def test_an_event_tells_of_an_owner_elsewhere_in_another_namespace(world: World, remote: RemoteStore) -> None:
    for name in ("ns", "other"):
        await world.create(name, kind="Namespace")
    await follow(world, remote)
    owner = remote.create("owner", namespace="other")
    await settle(world, remote)
    await world.create("dependent", refer(owner))
    await until(lambda: world.owners() == {})
    (event,) = world.events()
    assert event["reason"] == "OwnerRefInvalidNamespace"
