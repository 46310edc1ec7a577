"""Logical clusters of a server of its own, by the API for tests and by kubectl."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.cmd.client import RequestError
from quarterdeck.testing import ControlPlane
from support import definitions
from support.kubectl import Kubectl

pytestmark = pytest.mark.e2e

GROUP = "logical.example.com"
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "description": "how it is wanted"}}}
DEFINITION = definitions.of_things(GROUP, definitions.version(SCHEMA))
THING = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {}}
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with ControlPlane() as started:
        yield started


def test_kubectl_works_in_a_cluster_as_in_any_server(plane: ControlPlane, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    manifest = tmp_path / "thing.json"
    manifest.write_text(json.dumps(THING))
    with plane.cluster("boats") as cluster:
        cluster.apply(DEFINITION)
        kubectl = Kubectl(cluster.kubeconfig, tmp_path / "home")
        assert f"/clusters/{cluster.name}" in kubectl("cluster-info")
        assert "thing.logical.example.com/one created" in kubectl("apply", "-f", str(manifest))
        assert "how it is wanted" in kubectl("explain", "things.spec")
        assert kubectl("get", "things", "-o", "name") == "thing.logical.example.com/one\n"
        assert cluster.call("GET", f"{THINGS}/one")[0] == 200
    assert plane.call("GET", f"{THINGS}/one")[0] == 404
    assert plane.call("GET", "/clusters/boats")[0] == 404


def test_forks_snapshots_and_what_was_restored(plane: ControlPlane) -> None:
    with plane.cluster() as first:
        first.apply(DEFINITION, THING)
        kept = first.snapshot()
        with plane.fork(first) as second, plane.cluster(snapshot=kept) as third:
            for cluster in (second, third):
                assert cluster.call("DELETE", f"{THINGS}/one")[0] == 200
            assert first.call("GET", f"{THINGS}/one")[0] == 200
            second.restore(kept)
            assert second.call("GET", f"{THINGS}/one")[1] == first.call("GET", f"{THINGS}/one")[1]
            assert third.call("GET", f"{THINGS}/one")[0] == 404
        with pytest.raises(RequestError, match="already exists"):
            plane.cluster(first.name)
        with pytest.raises(RequestError, match="not found"):
            first.restore("none")
    first.delete()


def test_threads_have_clusters_of_their_own(plane: ControlPlane) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        with plane.cluster() as cluster:
            cluster.call("POST", MAPS, {"metadata": {"name": f"m{number}"}})
            found = [each["metadata"]["name"] for each in cluster.call("GET", MAPS)[1]["items"]]
            if found != [f"m{number}"]:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_server_without_the_option_has_none() -> None:
    with (
        ControlPlane("--enable-logical-clusters=false") as plane,
        pytest.raises(RequestError, match=r"could not find|not found"),
    ):
        plane.cluster()
