"""Every built-in kind through the typed clients of others: created, read, patched, watched, deleted."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import re
from collections.abc import Iterator

import lightkube
import pytest
from kubernetes_asyncio import client as asyncio_client
from kubernetes_asyncio import config as asyncio_config
from kubernetes_asyncio import watch as asyncio_watch
from lightkube.types import PatchType

from support import least_objects
from support.kubectl import Kubectl
from support.server import Server

pytestmark = pytest.mark.e2e

KINDS = sorted(least_objects.read())
# What upstream calls created and never stores.
NOT_STORED = {
    "Binding",
    "LocalSubjectAccessReview",
    "SelfSubjectAccessReview",
    "SelfSubjectReview",
    "SelfSubjectRulesReview",
    "SubjectAccessReview",
    "TokenReview",
}
# The client names a class for their answers that it does not have.
UNREADABLE = {("resource.k8s.io/v1", "ResourceClaim")}
PATCH = {"metadata": {"labels": {"patched": "yes"}}}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def served(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], bool]:
    """(apiVersion, kind) of what can be created → whether it stands in a namespace."""
    kubectl = Kubectl(server.kubeconfig, tmp_path_factory.mktemp("home"))
    found = {}
    groups = json.loads(kubectl("get", "--raw", "/apis"))["groups"]
    paths = ["/api/v1", *(f"/apis/{version['groupVersion']}" for group in groups for version in group["versions"])]
    for path in paths:
        answer = json.loads(kubectl("get", "--raw", path))
        for resource in answer["resources"]:
            if "/" not in resource["name"] and "create" in resource["verbs"]:
                found[answer["groupVersion"], resource["kind"]] = resource["namespaced"]
    return found


def test_every_kind_that_can_be_created_is_tested(served: dict[tuple[str, str], bool]) -> None:
    assert {place for place in served if place[1] not in NOT_STORED} == set(KINDS)


@pytest.mark.parametrize(("api_version", "kind"), KINDS)
def test_lightkube(server: Server, api_version: str, kind: str) -> None:
    group, _, version = api_version.rpartition("/")
    module = re.sub(r"\W", "_", group.removesuffix(".k8s.io") or "core")
    resource = getattr(importlib.import_module(f"lightkube.resources.{module}_{version}"), kind)
    client = lightkube.Client(config=lightkube.KubeConfig.from_file(str(server.kubeconfig)), trust_env=False)
    wanted = least_objects.read()[api_version, kind]
    name = wanted["metadata"]["name"]
    made = client.create(resource.from_dict(copy.deepcopy(wanted)))
    assert client.get(resource, name).metadata.uid == made.metadata.uid
    watch = client.watch(resource, resource_version=made.metadata.resourceVersion)
    patched = client.patch(resource, name, PATCH, patch_type=PatchType.MERGE)
    assert patched.metadata.labels["patched"] == "yes"
    seen = next(obj for _, obj in watch if (obj.metadata.labels or {}).get("patched"))
    assert seen.metadata.uid == made.metadata.uid
    assert name in [each.metadata.name for each in client.list(resource)]
    client.delete(resource, name)


@pytest.mark.parametrize(("api_version", "kind"), [place for place in KINDS if place not in UNREADABLE])
def test_the_official_client(server: Server, served: dict[tuple[str, str], bool], api_version: str, kind: str) -> None:
    asyncio.run(_use_official_client(server, api_version, kind, namespaced=served[api_version, kind]))


async def _use_official_client(server: Server, api_version: str, kind: str, *, namespaced: bool) -> None:
    group, _, version = api_version.rpartition("/")
    words = (group.removesuffix(".k8s.io") or "core").split(".")
    api_name = "".join(word.capitalize() for word in [*words, version]) + "Api"
    noun = ("namespaced_" if namespaced else "") + _snake(kind)
    # Other names than before: some objects take their time to go.
    wanted = json.loads(json.dumps(least_objects.read()[api_version, kind]).replace("least", "typed"))
    name = wanted["metadata"]["name"]
    place = {"namespace": "default"} if namespaced else {}
    await asyncio_config.load_kube_config(str(server.kubeconfig))
    async with asyncio_client.ApiClient() as connection:
        api = getattr(asyncio_client, api_name)(connection)
        made = await getattr(api, f"create_{noun}")(body=wanted, **place)
        read = await getattr(api, f"read_{noun}")(name, **place)
        assert read.metadata.uid == made.metadata.uid
        await getattr(api, f"patch_{noun}")(name, body=PATCH, **place)
        listing = getattr(api, f"list_{noun}")
        stream = asyncio_watch.Watch().stream(listing, resource_version=made.metadata.resource_version, **place)
        async with stream as events:
            async for event in events:
                seen = event["object"].metadata
                if seen.name == name and (seen.labels or {}).get("patched"):
                    break
        await getattr(api, f"delete_{noun}")(name, **place)


def _snake(kind: str) -> str:
    """The generator's own: CSIDriver → csi_driver, IPAddress → ip_address."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()
