"""What is told of features, rules of custom resources, reads that wait, watches that list, and impersonation."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from quarterdeck.transport.messages import Stream
from support import definitions, in_process
from support.metrics_text import sort_labels

THINGS = "/apis/example.com/v1/namespaces/default/things"


async def figures(server: in_process.InProcess, *names: str) -> dict[str, float]:
    """The series of these families, as they are written."""
    answer = await server.call("GET", "/metrics")
    text = (answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)).decode()
    lines = [line.rpartition(" ") for line in text.splitlines() if line.startswith(names)]
    return {series: float(value) for series, _, value in lines}


def served(folder: Path, steps, **changed) -> None:
    async def run() -> None:
        async with in_process.running(folder, **changed) as server:
            await steps(server)

    asyncio.run(run())


def test_features_are_told_by_stage(tmp_path: Path) -> None:
    async def steps(server: in_process.InProcess) -> None:
        found = await figures(server, "kubernetes_feature_enabled")
        shown = {name: found[f'kubernetes_feature_enabled{{name="{name}",stage="{stage}"}}'] for name, stage in WANTED}
        assert shown == {"WatchList": 1, "AnyVolumeDataSource": 1, "PodsAPI": 1, "KMSv1": 0, "GangScheduling": 0}

    WANTED = [("WatchList", "BETA"), ("AnyVolumeDataSource", ""), ("PodsAPI", "ALPHA"), ("KMSv1", "DEPRECATED")]
    WANTED.append(("GangScheduling", "ALPHA"))
    served(tmp_path, steps, flags={"feature-gates": "[PodsAPI=true]"})


def test_rules_are_timed(tmp_path: Path) -> None:
    async def steps(server: in_process.InProcess) -> None:
        rule = {"rule": "self.size < 3"}
        spec = {"type": "object", "properties": {"size": {"type": "integer"}}, "x-kubernetes-validations": [rule]}
        version = definitions.version({"type": "object", "properties": {"spec": spec}})
        await server.define(definitions.of_things("example.com", version))
        for size, status in ((1, 201), (2, 201), (3, 422)):
            body = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": f"w{size}"}}
            answer = await server.call("POST", THINGS, {**body, "spec": {"size": size}})
            assert answer.status == status, answer.body
        found = await figures(server, "apiserver_cel_")
        assert found["apiserver_cel_compilation_duration_seconds_count"] == 1
        assert found["apiserver_cel_evaluation_duration_seconds_count"] == 3
        assert 0 < found["apiserver_cel_evaluation_duration_seconds_sum"] < 60

    served(tmp_path, steps)


def test_reads_that_have_to_be_new_are_told(tmp_path: Path) -> None:
    labels = 'group="",resource="configmaps"'
    reads, waits = "apiserver_watch_cache_consistent_read_total", "apiserver_watch_cache_read_wait_seconds"

    async def steps(server: in_process.InProcess) -> None:
        address = "/api/v1/configmaps"
        before = await figures(server, reads, waits)
        for query in ("", "?resourceVersion=1", "?resourceVersion=0"):
            assert (await server.call("GET", address + query)).status == 200
        after = await figures(server, reads, waits, "apiserver_watch_cache_initializations_total")
        series = sort_labels(f'{reads}{{{labels},success="true",fallback="false"}}')
        assert after[series] - before.get(series, 0) == 1
        series = f"{waits}_count{{{labels}}}"
        assert after[series] - before.get(series, 0) == 2
        assert after[f"apiserver_watch_cache_initializations_total{{{labels}}}"] == 1

    served(tmp_path, steps)


def test_addresses_and_ports_of_services_are_told(tmp_path: Path) -> None:
    addresses, ports = "kube_apiserver_clusterip_allocator_", "kube_apiserver_nodeport_allocator_"

    async def steps(server: in_process.InProcess) -> None:
        before = await figures(server, addresses, ports)
        asked = {"clusterIP": "10.0.0.77", "type": "NodePort", "ports": [{"port": 80, "nodePort": 30123}]}
        specs = [asked, asked, {"ports": [{"port": 80}], "type": "NodePort"}]
        for number, spec in enumerate(specs):
            body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"s{number}"}, "spec": spec}
            answer = await server.call("POST", "/api/v1/namespaces/default/services", body)
            assert answer.status == (422 if number == 1 else 201), answer.body
            tried = await server.call("POST", "/api/v1/namespaces/default/services?dryRun=All", body)
            assert tried.status in (201, 409, 422), tried.body
        after = await figures(server, addresses, ports)
        grown = {series: after[series] - before.get(series, 0) for series in after}
        cidr = 'cidr="10.0.0.0/24"'
        assert {series: count for series, count in grown.items() if count} == {
            f"{addresses}allocated_ips{{{cidr}}}": 2,
            f"{addresses}available_ips{{{cidr}}}": -2,
            f'{addresses}allocation_total{{{cidr},scope="static"}}': 1,
            f'{addresses}allocation_total{{{cidr},scope="dynamic"}}': 1,
            f'{addresses}allocation_errors_total{{{cidr},scope="static"}}': 1,
            f"{ports}allocated_ports": 2,
            f"{ports}available_ports": -2,
            f'{ports}allocation_total{{scope="static"}}': 1,
            f'{ports}allocation_total{{scope="dynamic"}}': 1,
        }

    served(tmp_path, steps)


class Written:
    """What a watch has sent."""

    is_paused = False

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    write_chunks = write

    def direct(self) -> tuple[int, None, None]:
        return -1, None, None

    def end(self) -> None:
        pass


def test_watches_are_told_that_list(tmp_path: Path) -> None:
    name = "apiserver_watch_list_duration_seconds_count"

    async def steps(server: in_process.InProcess) -> None:
        asked = "/api/v1/namespaces?watch=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
        for more in ("", "&allowWatchBookmarks=true"):
            stream = await server.call("GET", asked + more)
            assert isinstance(stream, Stream)
            writer = Written()
            stream.opened(writer)
            assert b'"ADDED"' in writer.data
            stream.closed()
        shown = f'{name}{{group="",resource="namespaces",scope="cluster",version="v1"}}'
        assert await figures(server, name) == {shown: 1}

    served(tmp_path, steps)


def test_impersonation_is_told_by_the_way_that_was_allowed(tmp_path: Path) -> None:
    async def steps(server: in_process.InProcess) -> None:
        for user in ("bob", "system:node:n", "system:serviceaccount:default:default"):
            answer = await server.call("GET", "/version", impersonate_user=user)
            assert answer.status == 200, answer.body
        found = await figures(server, "apiserver_impersonation_")
        attempts = {series: count for series, count in found.items() if series.startswith(ATTEMPTS)}
        assert attempts == {
            f'{ATTEMPTS}{{decision="allowed",mode="user-info"}}': 1,
            f'{ATTEMPTS}{{decision="allowed",mode="arbitrary-node"}}': 1,
            f'{ATTEMPTS}{{decision="allowed",mode="serviceaccount"}}': 1,
        }
        timed = [
            series for series in found if re.match("apiserver_impersonation_attempts_duration_seconds_count", series)
        ]
        assert len(timed) == 3
        checks = "apiserver_impersonation_authorization_attempts"
        assert found[f'{checks}_total{{decision="allowed",mode="user-info"}}'] == 2  # for the request, and for the name
        assert found[f'{checks}_duration_seconds_count{{decision="allowed",mode="user-info"}}'] == 2

    ATTEMPTS = "apiserver_impersonation_attempts_total"
    served(tmp_path, steps)


def test_pod_security_is_told_before_there_are_pods(tmp_path: Path) -> None:
    async def steps(server: in_process.InProcess) -> None:
        found = await figures(server, "pod_security_")
        operations = [f'request_operation="{operation}"' for operation in ("create", "update")]
        of_pods = 'decision="allow",mode="enforce",policy_level="privileged",policy_version="latest"'
        evaluations = [
            f'pod_security_evaluations_total{{{of_pods},{each},resource="pod",subresource=""}}' for each in operations
        ]
        exemptions = [
            f'pod_security_exemptions_total{{{each},resource="{resource}",subresource=""}}'
            for each in operations
            for resource in ("pod", "controller")
        ]
        assert found == dict.fromkeys([*evaluations, *exemptions], 0)

    served(tmp_path, steps)
