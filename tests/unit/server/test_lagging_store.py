"""A server whose watch cache is behind the store, since somebody else writes there: what its clients see, of a store
that is asked for its revision by tasks, and of one that tells it by calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.storage import interface, sqlite
from quarterdeck.storage.sqlite import SQLiteStorage
from quarterdeck.transport.messages import Parked, Response
from support import definitions, in_process
from support.waiting import PATIENCE_S, until

GROUP = "lagging.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MERGE = "application/merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class LaggingStorage:
    """The real store with a feed that can be held back. `seek` lets it go on where `is_hastened`. It `tells` its
    revision by a call: to those in `asking` when the test makes it, or at once where that is None."""

    lags = True

    def __init__(self, storage: SQLiteStorage, tells: bool) -> None:
        self._storage = storage
        self._held: list[tuple[Sequence[interface.Event], int]] = []
        self.is_held = False
        self.is_hastened = True
        self.tell_revision = self._tell if tells else None
        self.asking: list[interface.Told] | None = None

    def _tell(self, told: interface.Told) -> None:
        if self.asking is None:
            asyncio.get_running_loop().call_soon(told, self._storage.revision, None)
        else:
            self.asking.append(told)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def subscribe(self, sink: interface.Sink) -> None:
        self._sink = sink

        def receive(events: Sequence[interface.Event], revision: int) -> None:
            self._held.append((events, revision))
            if not self.is_held:
                self.release()

        self._storage.subscribe(receive)

    def release(self) -> None:
        held, self._held = self._held, []
        for events, revision in held:
            self._sink(events, revision)

    def seek(self, revision: int) -> bool:
        if self.is_hastened:
            self.release()
        return self.is_hastened


@pytest.fixture(params=[False, True], ids=["asked", "tells"])
def storages(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[LaggingStorage]:
    made: list[LaggingStorage] = []

    class Opener:
        @staticmethod
        async def open(*arguments: Any, **named: Any) -> LaggingStorage:
            made.append(LaggingStorage(await SQLiteStorage.open(*arguments, **named), request.param))
            return made[-1]

    monkeypatch.setattr(sqlite, "SQLiteStorage", Opener)
    return made


class World:
    """A server, and another that writes to its store: `thing` is newer there than in the server's cache."""

    def __init__(self, server: in_process.InProcess, storage: LaggingStorage) -> None:
        self._server = server
        self.storage = storage

    async def call(self, *arguments: Any, **headers: str) -> Response:
        """Where the answer comes by a call it is waited for so, as the transport does."""
        answered = self.park(*arguments, **headers)
        if isinstance(answered, list):
            await until(lambda: answered)
            return answered[0]
        return await answered

    def park(self, *arguments: Any, **headers: str) -> list[Response] | Awaitable[Response]:
        """The list gets the answer that is brought by a call."""
        answered = self._server.server.application(self._server.request(*arguments, **headers))
        answers: list[Response] = []
        if isinstance(answered, Parked):
            answered.begin(answers.append, lambda: pytest.fail("no answer"))
            return answers
        return _at_once(answered) if isinstance(answered, Response) else answered

    def key(self, name: str) -> str:
        return f"/registry/{GROUP}/things/default/{name}"

    async def write(self, name: str, spec: dict[str, Any]) -> str:
        """By the other server; the resourceVersion."""
        found = await self.storage.get(self.key(name))
        if found is None:
            template = await self.storage.get(self.key("a"))
            obj = json.loads(template.value)
            obj["metadata"]["name"] = name
            return str(await self.storage.create(self.key(name), json.dumps(obj | {"spec": spec}).encode()))
        value = json.dumps(json.loads(found.value) | {"spec": spec}).encode()
        return str(await self.storage.update(self.key(name), value, found.revision))


async def _at_once(answer: Response) -> Response:
    return answer


@asynccontextmanager
async def world(folder: Path, storages: list[LaggingStorage]) -> Any:
    async with in_process.running(folder) as server, asyncio.timeout(PATIENCE_S):
        await server.define(definitions.of_things(GROUP))
        body = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"n": 1}}
        assert (await server.call("POST", THINGS, body)).status == 201
        storages[0].is_held = True
        yield World(server, storages[0])
        storages[0].is_held = False
        storages[0].release()


def run(case: Any, folder: Path, storages: list[LaggingStorage]) -> None:
    async def inside() -> None:
        async with world(folder, storages) as made:
            await case(made)

    asyncio.run(inside())


@pytest.mark.parametrize("is_hastened", [True, False])
def test_a_get_shows_the_newest_state_unless_any_will_do(
    tmp_path: Path, storages: list[LaggingStorage], is_hastened: bool
) -> None:
    async def case(it: World) -> None:
        it.storage.is_hastened = is_hastened
        revision = await it.write("a", {"n": 2})
        await it.write("b", {"n": 3})
        assert json.loads((await it.call("GET", f"{THINGS}/a?resourceVersion=0")).body)["spec"] == {"n": 1}
        assert (await it.call("GET", f"{THINGS}/b?resourceVersion=0")).status == 404
        newest = json.loads((await it.call("GET", f"{THINGS}/a")).body)
        assert (newest["spec"], newest["metadata"]["resourceVersion"]) == ({"n": 2}, revision)
        assert (await it.call("GET", f"{THINGS}/b")).status == 200
        # of a feed that cannot be hastened the store was asked itself
        code = 200 if is_hastened else 404
        assert (await it.call("GET", f"{THINGS}/b?resourceVersion=0")).status == code

    run(case, tmp_path, storages)


def test_a_service_without_a_name_is_refused(tmp_path: Path, storages: list[LaggingStorage]) -> None:
    async def case(it: World) -> None:
        it.storage.is_held = False
        for spec in ({"ports": [{"port": 80}]}, {"ports": [{"port": 80}], "clusterIP": "None"}):
            body = {"apiVersion": "v1", "kind": "Service", "metadata": {"generateName": ""}, "spec": spec}
            refused = await it.call("POST", "/api/v1/namespaces/default/services", body)
            assert (refused.status, json.loads(refused.body)["reason"]) == (422, "Invalid")

    run(case, tmp_path, storages)


@pytest.mark.parametrize("is_hastened", [True, False])
def test_a_list_is_as_new_as_the_store(tmp_path: Path, storages: list[LaggingStorage], is_hastened: bool) -> None:
    async def case(it: World) -> None:
        it.storage.is_hastened = is_hastened
        await it.write("a", {"n": 2})
        revision = await it.write("b", {"n": 3})
        assert len(json.loads((await it.call("GET", f"{THINGS}?resourceVersion=0")).body)["items"]) == 1
        page = json.loads((await it.call("GET", f"{THINGS}?limit=1")).body)
        assert (page["items"][0]["spec"], page["metadata"]["resourceVersion"]) == ({"n": 2}, revision)
        assert page["metadata"]["remainingItemCount"] == 1
        newer = json.loads((await it.call("GET", f"{THINGS}?resourceVersion={revision}")).body)
        assert len(newer["items"]) == 2
        assert (await it.call("GET", f"{THINGS}/b?resourceVersion={revision}")).status == 200
        rest = json.loads((await it.call("GET", f"{THINGS}?limit=1&continue={page['metadata']['continue']}")).body)
        assert [item["spec"] for item in rest["items"]] == [{"n": 3}]

    run(case, tmp_path, storages)


def test_an_update_of_what_the_cache_does_not_show_yet(tmp_path: Path, storages: list[LaggingStorage]) -> None:
    async def case(it: World) -> None:
        revision = await it.write("a", {"n": 2})
        obj = json.loads((await it.call("GET", f"{THINGS}/a")).body)
        assert obj["metadata"]["resourceVersion"] == revision
        changed = await it.call("PUT", f"{THINGS}/a", obj | {"spec": {"n": 3}})
        assert changed.status == 200, "the client has seen what the server's cache has not"
        stale = await it.call("PUT", f"{THINGS}/a", obj | {"spec": {"n": 4}})
        assert stale.status == 409

    run(case, tmp_path, storages)


def test_a_change_that_is_none_to_the_stale_object_is_made(tmp_path: Path, storages: list[LaggingStorage]) -> None:
    async def case(it: World) -> None:
        await it.write("a", {"n": 2})
        patched = await it.call("PATCH", f"{THINGS}/a", {"spec": {"n": 1}}, MERGE)
        assert json.loads(patched.body)["spec"] == {"n": 1}
        found = await it.storage.get(it.key("a"))
        assert json.loads(found.value)["spec"] == {"n": 1}
        again = await it.call("PATCH", f"{THINGS}/a", {"spec": {"n": 1}}, MERGE)
        assert again.status == 200
        assert await it.storage.get(it.key("a")) == found, "nothing was to be changed"

    run(case, tmp_path, storages)


def test_objects_that_the_cache_does_not_show_yet_can_be_changed_and_deleted(
    tmp_path: Path, storages: list[LaggingStorage]
) -> None:
    async def case(it: World) -> None:
        await it.write("b", {"n": 1})
        patched = await it.call("PATCH", f"{THINGS}/b", {"spec": {"n": 2}}, MERGE)
        assert patched.status == 200
        options = {"preconditions": {"resourceVersion": json.loads(patched.body)["metadata"]["resourceVersion"]}}
        assert (await it.call("DELETE", f"{THINGS}/b", options)).status == 200
        assert (await it.call("DELETE", f"{THINGS}/b")).status == 404
        assert (await it.call("GET", f"{THINGS}/b")).status == 404

    run(case, tmp_path, storages)


@pytest.mark.parametrize("is_held", [True, False])
def test_who_takes_the_last_finalizer_is_answered_the_object(
    tmp_path: Path, storages: list[LaggingStorage], is_held: bool
) -> None:
    """At its old resourceVersion, which is no sign that nothing was written."""

    async def case(it: World) -> None:
        it.storage.is_held = is_held
        held = {"metadata": {"finalizers": ["example.com/hold"]}}
        assert (await it.call("PATCH", f"{THINGS}/a", held, MERGE)).status == 200
        assert (await it.call("DELETE", f"{THINGS}/a")).status == 200
        marked = json.loads((await it.call("GET", f"{THINGS}/a")).body)
        freed = await it.call("PATCH", f"{THINGS}/a", {"metadata": {"finalizers": []}}, MERGE)
        assert freed.status == 200
        assert json.loads(freed.body)["metadata"]["resourceVersion"] == marked["metadata"]["resourceVersion"]
        assert (await it.call("GET", f"{THINGS}/a")).status == 404

    run(case, tmp_path, storages)


@pytest.mark.parametrize("storages", [True], indirect=True)
def test_a_short_list_is_answered_by_the_call_that_tells(tmp_path: Path, storages: list[LaggingStorage]) -> None:
    async def case(it: World) -> None:
        it.storage.asking = []
        answers = [it.park("GET", f"{THINGS}{query}") for query in ("", "?limit=1", "/a")]
        assert answers == [[], [], []]
        for told in it.storage.asking:
            told(it.storage.revision, None)
        listed = [json.loads(answer.body) for (answer,) in answers[:2]]  # type: ignore[misc, union-attr]
        assert [[item["metadata"]["name"] for item in each["items"]] for each in listed] == [["a"], ["a"]]
        assert answers[2][0].status == 200  # type: ignore[index]
        it.storage.asking = None

    run(case, tmp_path, storages)


@pytest.mark.parametrize("storages", [True], indirect=True)
def test_a_list_that_takes_longer_goes_on_when_the_store_has_told(
    tmp_path: Path, storages: list[LaggingStorage]
) -> None:
    async def case(it: World) -> None:
        it.storage.asking = []
        table = it.park("GET", THINGS, accept=TABLE)
        revision = await it.write("b", {"n": 3})
        newer = it.park("GET", THINGS)  # the cache has to be brought up to it first
        first, second = it.storage.asking
        first(int(revision) - 1, None)
        second(int(revision), None)
        await until(lambda: table and newer)
        assert len(json.loads(table[0].body)["rows"]) in (1, 2)  # type: ignore[index]
        assert len(json.loads(newer[0].body)["items"]) == 2  # type: ignore[index]
        assert len(it.storage.asking) == 2, "nobody asks twice"
        it.storage.asking = None

    run(case, tmp_path, storages)


@pytest.mark.parametrize("storages", [True], indirect=True)
def test_a_list_of_a_store_that_cannot_tell_is_unavailable(tmp_path: Path, storages: list[LaggingStorage]) -> None:
    async def case(it: World) -> None:
        it.storage.asking = []
        answers = it.park("GET", THINGS)
        it.storage.asking[0](0, interface.Unavailable("away"))
        assert [answer.status for answer in answers] == [503]  # type: ignore[union-attr]
        it.storage.asking = None

    run(case, tmp_path, storages)
