"""Logical clusters in one process: what each holds is its own, whatever becomes of it."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.controllers.leaderelection import Settings as ElectionSettings
from quarterdeck.metrics.registry import Registry
from quarterdeck.server.clusters import registry, wiring
from quarterdeck.server.clusters.cluster import Cluster
from quarterdeck.server.config import Config, LogicalClusters
from quarterdeck.server.gcschedule import LostCycles
from quarterdeck.server.place import Place
from quarterdeck.server.storing import Stored
from quarterdeck.storage.etcd3.settings import Settings as EtcdSettings
from quarterdeck.storage.memory import MemoryStorage, new_state
from quarterdeck.transport.messages import LazyBody, Response, Stream
from support import definitions, in_process
from support.waiting import PATIENCE_S, until
from support.watch_client import RecordingWriter

MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
GROUP = "clusters.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"


class Server:
    """`self("a", "GET", path)` asks the cluster a, `self("", …)` the process's own server."""

    def __init__(self, process: in_process.InProcess) -> None:
        self.process = process

    async def __call__(
        self,
        cluster: str,
        method: str,
        path: str,
        body: Any = None,
        content_type: str = "application/json",
        **headers: str,
    ) -> tuple[int, Any]:
        base = f"/clusters/{cluster}" if cluster else ""
        answer = await self.process.call(method, base + path, body, content_type, **headers)
        return answer.status, read(answer)

    async def make(self, *names: str, query: str = "") -> None:
        for name in names:
            status, answer = await self("", "PUT", f"/clusters/{name}{query}")
            assert status == 201, answer

    async def watch(self, cluster: str, path: str, revision: str = "") -> RecordingWriter:
        answer = await self.process.call("GET", f"/clusters/{cluster}{path}?watch=true&resourceVersion={revision}")
        assert isinstance(answer, Stream), read(answer)
        writer = RecordingWriter()
        answer.opened(writer)
        return writer

    async def names(self, cluster: str, path: str) -> list[str]:
        status, listed = await self(cluster, "GET", path)
        assert status == 200, listed
        return [each["metadata"]["name"] for each in listed["items"]]


def read(answer: Response) -> Any:
    body = answer.body
    if isinstance(answer, Stream):
        return "a stream"
    data = body if isinstance(body, bytes) else b"".join(body if isinstance(body, LazyBody) else list(body))
    try:
        return json.loads(data)
    except ValueError:
        return data.decode()


def events(writer: RecordingWriter) -> list[Any]:
    return [json.loads(line) for line in b"".join(writer.data).splitlines() if line.strip()]


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": data}


@asynccontextmanager
async def serving(folder: Path, limits: LogicalClusters | None = None) -> AsyncIterator[Server]:
    async with (
        in_process.running(folder, is_ephemeral=True, logical_clusters=limits or LogicalClusters()) as process,
        asyncio.timeout(PATIENCE_S),
    ):
        yield Server(process)


def run(
    folder: Path, check: Callable[[Server], Coroutine[Any, Any, None]], limits: LogicalClusters | None = None
) -> None:
    async def begin() -> None:
        async with serving(folder, limits) as server:
            await check(server)

    asyncio.run(begin())


def test_each_has_objects_definitions_and_revisions_of_its_own(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a", "b")
        for cluster in ("a", "b", ""):
            assert sorted(await server.names(cluster, "/api/v1/namespaces"))[0] == "default"
            assert (await server(cluster, "POST", MAPS, config_map("m", of=cluster)))[0] == 201
        assert {(await server(each, "GET", f"{MAPS}/m"))[1]["data"]["of"] for each in ("a", "b", "")} == {"a", "b", ""}
        assert (await server("a", "POST", definitions.PATH, definitions.of_things(GROUP)))[0] == 201
        while (await server("a", "GET", THINGS))[0] != 200:
            await asyncio.sleep(0.005)
        for cluster in ("b", ""):
            assert (await server(cluster, "GET", THINGS))[0] == 404
            assert GROUP not in [each["name"] for each in (await server(cluster, "GET", "/apis"))[1]["groups"]]
            assert f"apis/{GROUP}/v1" not in (await server(cluster, "GET", "/openapi/v3"))[1]["paths"]
        told = (await server("a", "GET", "/openapi/v3"))[1]["paths"][f"apis/{GROUP}/v1"]["serverRelativeURL"]
        assert told.startswith(f"/clusters/a/openapi/v3/apis/{GROUP}/v1?hash=")
        uids = {
            (await server(each, "GET", "/api/v1/namespaces/kube-system"))[1]["metadata"]["uid"]
            for each in ("a", "b", "")
        }
        assert len(uids) == 3
        revisions = [(await server(each, "GET", MAPS))[1]["metadata"]["resourceVersion"] for each in ("a", "b")]
        assert revisions[0] > revisions[1]

    run(tmp_path, check)


def test_a_token_of_one_is_nobody_in_another_on_the_same_connection_too(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a", "b")
        account = "/api/v1/namespaces/default/serviceaccounts"
        assert (await server("a", "POST", account, {"metadata": {"name": "s"}}))[0] == 201
        status, asked = await server("a", "POST", f"{account}/s/token", {"spec": {}})
        assert status == 201
        token = {"authorization": f"Bearer {asked['status']['token']}"}
        await server.make("c", query="?from=a")
        review = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        for _ in range(2):
            status, told = await server("a", "POST", review, {}, **token)
            assert (status, told["status"]["userInfo"]["username"]) == (201, "system:serviceaccount:default:s")
            for other in ("b", "c", ""):
                assert (await server(other, "POST", review, {}, **token))[0] == 401

    run(tmp_path, check)


def test_roles_of_one_give_nothing_in_another(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a", "b")
        binding = {
            "metadata": {"name": "all"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}],
        }
        bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
        assert (await server("a", "POST", bindings, binding))[0] == 201
        for cluster, status in (("a", 200), ("b", 403), ("", 403), ("a", 200)):
            assert (await server(cluster, "GET", MAPS, impersonate_user="jane"))[0] == status
        for path in ("/clusters", "/clusters/a", "/clusters/none", "/clusters/none/api"):
            assert (await server("", "GET", path, impersonate_user="jane"))[0] == 403

    run(tmp_path, check)


def test_a_fork_holds_the_same_and_goes_its_own_way(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a")
        await server("a", "POST", definitions.PATH, definitions.of_things(GROUP))
        while (await server("a", "GET", THINGS))[0] != 200:
            await asyncio.sleep(0.005)
        thing = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "t"}}
        made = (await server("a", "POST", THINGS, thing))[1]
        await server.make("b", query="?from=a&awake=true")
        assert (await server("b", "GET", f"{THINGS}/t"))[1] == made
        assert (await server("b", "DELETE", f"{THINGS}/t"))[0] == 200
        assert (await server("a", "POST", THINGS, {**thing, "metadata": {"name": "u"}}))[0] == 201
        assert await server.names("a", THINGS) == ["t", "u"]
        assert await server.names("b", THINGS) == []

    run(tmp_path, check)


def test_who_goes_on_from_a_revision_of_a_restored_cluster_is_told_to_list_again(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a")
        kept = (await server("a", "POST", MAPS, config_map("kept")))[1]
        assert (await server("", "PUT", "/clustersnapshots/s?of=a"))[0] == 201
        watch = await server.watch("a", MAPS)
        later = (await server("a", "POST", MAPS, config_map("lost")))[1]["metadata"]["resourceVersion"]
        assert (await server("", "POST", "/clusters/a?restore=s"))[0] == 200
        assert watch.is_ended
        assert [each["object"]["metadata"]["name"] for each in events(watch)][-1] == "lost"
        for revision in (kept["metadata"]["resourceVersion"], later):
            again = await server.watch("a", MAPS, revision)
            (told,) = events(again)
            assert (told["type"], told["object"]["code"], told["object"]["reason"]) == ("ERROR", 410, "Expired")
            status, _ = await server("a", "GET", f"{MAPS}?resourceVersion={revision}&resourceVersionMatch=Exact")
            assert status == 410
        listed = (await server("a", "GET", MAPS))[1]
        assert [each["metadata"] for each in listed["items"]] == [kept["metadata"]]
        assert int(listed["metadata"]["resourceVersion"]) > int(later)
        watch = await server.watch("a", MAPS, listed["metadata"]["resourceVersion"])
        made = (await server("a", "POST", MAPS, config_map("lost", again="yes")))[1]
        assert int(made["metadata"]["resourceVersion"]) > int(later)
        await asyncio.sleep(0)
        assert [each["object"]["metadata"]["name"] for each in events(watch)] == ["lost"]

    run(tmp_path, check)


def test_a_write_of_a_discarded_time_is_a_conflict(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a")
        await server("a", "POST", MAPS, config_map("m", a="1"))
        await server("", "PUT", "/clustersnapshots/s?of=a")
        ahead = (await server("a", "PATCH", f"{MAPS}/m", {"data": {"a": "2"}}, MERGE))[1]
        await server("", "POST", "/clusters/a?restore=s")
        assert (await server("a", "PUT", f"{MAPS}/m", ahead))[0] == 409
        changed = (await server("a", "PATCH", f"{MAPS}/m", {"data": {"a": "3"}}, MERGE))[1]
        assert int(changed["metadata"]["resourceVersion"]) > int(ahead["metadata"]["resourceVersion"])

    run(tmp_path, check)


def test_clusters_beyond_those_awake_rest_and_come_back_as_they_were(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        names = [f"c{number}" for number in range(6)]
        await server.make(*names)
        for name in names:
            assert (await server(name, "POST", MAPS, config_map(name)))[0] == 201
            assert (await server(name, "DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterroles/edit"))[0] == 200
        awake = [each["name"] for each in (await server("", "GET", "/clusters"))[1]["items"] if each["awake"]]
        assert len(awake) <= 2
        assert names[-1] in awake
        for name in names:
            assert await server.names(name, MAPS) == [name]
            status, _ = await server(name, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/edit")
            assert status == 404, "what was deleted is not made again, as no server has been started"

    run(tmp_path, check, LogicalClusters(awake_max=2))


def test_a_cluster_whose_work_was_done_wakes_without_work_and_without_workers(tmp_path: Path) -> None:
    """What it holds has been looked at by the server before, of the template or of its own."""

    async def check(server: Server) -> None:
        await server.make("warm", query="?awake=true")
        await server.make("a")
        tasks, before = len(asyncio.all_tasks()), await revision_of(server, "a")
        awake = cluster_of(server, "a").server
        assert awake is not None
        await settled(awake)
        # Those that look at what time has done to leases and tokens have one key each.
        assert sum(queue.adds for queue in awake.controllers.queues()) <= 3
        assert len(asyncio.all_tasks()) - tasks <= 4
        assert await revision_of(server, "a") == before
        assert (await server("a", "POST", MAPS, config_map("m")))[0] == 201
        await settled(awake)
        await server.make("b", query="?from=a")
        assert await revision_of(server, "b") == await revision_of(server, "a")
        forked = cluster_of(server, "b").server
        assert forked is not None
        await settled(forked)
        assert sum(queue.adds for queue in forked.controllers.queues()) <= 3

    run(tmp_path, check)


def test_what_was_left_undone_is_done_by_the_next_server(tmp_path: Path) -> None:
    """An aggregated role whose rules were not there yet when the cluster was forked."""

    async def check(server: Server) -> None:
        await server.make("a")
        roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
        label = {"of": "all"}
        whole = {"metadata": {"name": "all"}, "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": label}]}}
        rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
        assert (await server("a", "POST", roles, whole))[0] == 201
        assert (await server("a", "POST", roles, {"metadata": {"name": "part", "labels": label}, "rules": rules}))[
            0
        ] == 201
        await server.make("b", query="?from=a")
        async with asyncio.timeout(PATIENCE_S):
            while (await server("b", "GET", f"{roles}/all"))[1].get("rules") != rules:
                await asyncio.sleep(0.005)

    run(tmp_path, check)


def test_resources_that_nobody_has_used_are_as_those_that_were(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a")
        first = (await server("a", "POST", MAPS, config_map("owner")))[1]["metadata"]
        assert (await server("a", "POST", MAPS, config_map("other")))[0] == 201
        templates = "/api/v1/namespaces/default/podtemplates"
        container = {"name": "c", "image": "i"}
        watch = await server.watch("a", templates, first["resourceVersion"])
        assert not watch.is_ended, "nothing of it has changed since that revision"
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": first["uid"]}
        made = {
            "metadata": {"name": "dependent", "ownerReferences": [owner]},
            "template": {"spec": {"containers": [container]}},
        }
        status, told = await server("a", "POST", templates, made)
        assert status == 201, told
        assert (await server("a", "DELETE", f"{MAPS}/owner"))[0] == 200
        async with asyncio.timeout(PATIENCE_S):
            while (await server("a", "GET", f"{templates}/dependent"))[0] != 404:
                await asyncio.sleep(0.005)
        await asyncio.sleep(0)
        assert [each["type"] for each in events(watch)] == ["ADDED", "DELETED"]
        status, text = await server("a", "GET", "/metrics")
        assert status == 200
        assert 'resource="csidrivers"' in text

    run(tmp_path, check)


async def revision_of(server: Server, cluster: str) -> str:
    found: str = (await server(cluster, "GET", MAPS))[1]["metadata"]["resourceVersion"]
    return found


def cluster_of(server: Server, name: str) -> Cluster:
    (clusters,) = [each for each in server.process.server.file_watches if isinstance(each, registry.Clusters)]
    return clusters.require(name)


async def settled(server: Any) -> None:
    await until(lambda: server.is_idle and server.is_settled)


def test_a_watched_cluster_never_rests(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a", "b")
        watch = await server.watch("a", MAPS)
        status, told = await server("b", "GET", MAPS)
        assert (status, told["reason"]) == (429, "TooManyRequests")
        assert not watch.is_ended
        assert (await server("", "DELETE", "/clusters/a"))[0] == 200
        assert watch.is_ended
        assert (await server("b", "GET", MAPS))[0] == 200

    run(tmp_path, check, LogicalClusters(awake_max=1))


def test_bounds_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(server: Server) -> None:
        await server.make("a", "b")
        status, told = await server("", "PUT", "/clusters/c")
        assert (status, told["reason"]) == (403, "Forbidden")
        assert told["message"].endswith("there are 2 already, and no more may be made")
        assert (await server("", "PUT", "/clustersnapshots/s?of=a"))[0] == 201
        assert (await server("", "PUT", "/clustersnapshots/t?of=a"))[0] == 403
        assert (await server("", "PUT", "/clustersnapshots/s?of=b"))[0] == 201
        assert (await server("", "DELETE", "/clusters/a"))[0] == 200
        monkeypatch.setattr(registry, "_read_memory_mib", lambda: 2e6)
        status, told = await server("", "PUT", "/clusters/c")
        assert (status, told["reason"]) == (503, "ServiceUnavailable")
        assert (await server("b", "GET", MAPS))[0] == 503

    run(tmp_path, check, LogicalClusters(clusters_max=2, snapshots_max=1, memory_max_mib=1_000_000))


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("PUT", "/clusters/a", 409),
        ("PUT", "/clusters/Upper", 400),
        ("PUT", "/clusters/b?from=none", 404),
        ("PUT", "/clusters/b?form=a", 400),
        ("PUT", "/clusters/b?from=a&snapshot=s", 400),
        ("PUT", "/clusters/b?snapshot=none", 404),
        ("POST", "/clusters/a?restore=none", 404),
        ("POST", "/clusters/a", 400),
        ("POST", "/clusters/none?restore=none", 404),
        ("PATCH", "/clusters/a", 405),
        ("POST", "/clusters", 405),
        ("GET", "/clusters/none", 404),
        ("DELETE", "/clusters/none", 404),
        ("GET", "/clusters/none/api/v1/namespaces", 404),
        ("PUT", "/clustersnapshots/s", 400),
        ("PUT", "/clustersnapshots/s?of=none", 404),
        ("DELETE", "/clustersnapshots/none", 404),
        ("GET", "/clustersnapshots/a", 405),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, method: str, address: str, status: int) -> None:
    async def check(server: Server) -> None:
        await server.make("a")
        answered, told = await server("", method, address)
        assert answered == status, told
        assert [each["name"] for each in (await server("", "GET", "/clusters"))[1]["items"]] == ["a"]

    run(tmp_path, check)


def test_a_deleted_cluster_is_gone_and_its_name_is_free(tmp_path: Path) -> None:
    async def check(server: Server) -> None:
        await server.make("a")
        await server("a", "POST", MAPS, config_map("m"))
        assert (await server("", "DELETE", "/clusters/a"))[0] == 200
        assert (await server("a", "GET", MAPS))[0] == 404
        await server.make("a")
        assert await server.names("a", MAPS) == []

    run(tmp_path, check)


def test_without_the_option_there_are_none(tmp_path: Path) -> None:
    async def check() -> None:
        async with in_process.running(tmp_path, is_ephemeral=True) as process:
            for address in ("/clusters", "/clusters/a", "/clusters/a/api", "/clustersnapshots"):
                assert (await process.call("GET", address)).status == 404

    asyncio.run(check())


def test_random_traffic_in_fifty_clusters_leaves_no_trace_in_others(tmp_path: Path) -> None:
    """Each writes objects that carry its name; whatever any of them tells may name no other."""
    choose = random.Random(50)
    names = [f"cluster-{number:02}" for number in range(50)]
    held: dict[str, dict[str, str]] = {name: {} for name in names}
    told: dict[str, list[tuple[str, str]]] = {name: [] for name in names}

    async def write(server: Server, cluster: str, number: int) -> None:
        known = held[cluster]
        name, mark = f"m{choose.randrange(5)}", f"{cluster}/{number}"
        if name not in known:
            assert (await server(cluster, "POST", MAPS, config_map(name, mark=mark)))[0] == 201
            known[name] = mark
            told[cluster].append(("ADDED", mark))
        elif choose.random() < 0.5:
            answer = await server(cluster, "PATCH", f"{MAPS}/{name}", {"data": {"mark": mark}}, MERGE)
            assert answer[0] == 200, answer
            known[name] = mark
            told[cluster].append(("MODIFIED", mark))
        else:
            assert (await server(cluster, "DELETE", f"{MAPS}/{name}"))[0] == 200
            told[cluster].append(("DELETED", known.pop(name)))

    async def check_reads(server: Server, cluster: str) -> None:
        status, page = await server(cluster, "GET", f"{MAPS}?limit=1")
        assert status == 200
        found = page["items"]
        while token := page["metadata"].get("continue"):
            status, page = await server(cluster, "GET", f"{MAPS}?limit=1&continue={token}")
            assert status == 200
            found += page["items"]
        assert {each["metadata"]["name"]: each["data"]["mark"] for each in found} == held[cluster]
        for path in ("/metrics", f"{MAPS}/none", "/api", "/apis"):
            _, text = await server(cluster, "GET", path)
            assert not [other for other in names if other != cluster and other in json.dumps(text)]

    async def check(server: Server) -> None:
        await server.make(*names)
        watches = {name: await server.watch(name, MAPS) for name in names}
        for number in range(300):
            await asyncio.gather(*(write(server, name, number) for name in choose.sample(names, 3)))
            if number % 6 == 0:
                await check_reads(server, choose.choice(names))
        await until(lambda: all(len(events(watch)) >= len(told[name]) for name, watch in watches.items()))
        for name, watch in watches.items():
            assert [(each["type"], each["object"]["data"]["mark"]) for each in events(watch)] == told[name]
        for name in names[:5]:
            count = len(await server.names(name, "/api/v1/configmaps"))
            text = (await server(name, "GET", "/metrics"))[1]
            assert f'apiserver_storage_objects{{resource="configmaps"}} {count}\n' in text

    run(tmp_path, check)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_nothing_holds_the_server_of_a_cluster_that_has_ended_or_rests(tmp_path: Path, is_deleted: bool) -> None:
    async def check(server: Server) -> None:
        await server.make("a", "b")
        watch = await server.watch("a", MAPS)
        await server("a", "POST", MAPS, config_map("m"))
        await server("b", "GET", MAPS)
        built = cluster_of(server, "a").server
        assert built is not None
        held = [weakref.ref(each) for each in (built, built.controllers)]
        del built
        if is_deleted:
            await server("", "DELETE", "/clusters/a")
        else:
            await cluster_of(server, "a").rest()
        assert watch.is_ended
        del watch
        for _ in range(10):
            await asyncio.sleep(0.01)
            gc.collect()
        assert [reference() for reference in held] == [None] * len(held)

    run(tmp_path, check)


def test_what_servers_on_one_etcd_need_is_nothing_for_a_cluster(tmp_path: Path) -> None:
    """It would wait for its own lease before any of kube-controller-manager's controllers ran."""
    built: list[Config] = []

    async def assemble(config: Config, place: Place) -> Any:
        built.append(config)
        return SimpleNamespace(application=None, file_watches=[], lost=LostCycles(), published=None)

    async def check() -> None:
        etcd = EtcdSettings(("http://127.0.0.1:2379",))
        config = Config(data_dir=tmp_path, etcd=etcd, election=ElectionSettings(15, 10.0, 2.0))
        storage = MemoryStorage()
        place = Place(Stored(storage, storage), Registry())
        server = await wiring.build(config, LogicalClusters(), place, assemble)
        cluster = await server.application._clusters._build(Cluster("a", new_state(), None), storage)  # type: ignore[arg-type]
        assert cluster is not None

    asyncio.run(check())
    own, of_cluster = built
    assert own.etcd is not None
    assert own.election is not None
    assert (of_cluster.etcd, of_cluster.election, of_cluster.audit) == (None, None, None)
