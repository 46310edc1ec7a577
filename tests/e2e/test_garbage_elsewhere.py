"""Owners and dependents at two servers, of which the outer one hands a group on to the inner one and collects."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from support.chain import Chain
from support.control import build_definition
from support.waiting import wait_for

pytestmark = pytest.mark.e2e

GROUP = "chained.example.com"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/default/widgets"
MAPS = "/api/v1/namespaces/default/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
API_SERVICE = f"/apis/apiregistration.k8s.io/v1/apiservices/v1.{GROUP}"


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    """What the outer server owns the inner one does not know: it collects nothing."""
    made = Chain(tmp_path_factory.mktemp("chain"), inner_flags=("--controllers=*,-garbage-collector-controller",))
    try:
        assert made.call(made.inner, "POST", DEFINITIONS, build_definition("widgets", "Widget", group=GROUP))[0] == 201
        wait_for(lambda: made.call(made.inner, "GET", WIDGETS)[0] == 200)
        made.hand_on(GROUP, "v1")
        wait_for(lambda: made.through("GET", WIDGETS)[0] == 200)
        yield made
    finally:
        made.stop()


def create(chain: Chain, path: str, name: str, *owners: dict[str, Any], hold: bool = False) -> dict[str, Any]:
    references = [
        {
            "apiVersion": each["apiVersion"],
            "kind": each["kind"],
            "name": each["metadata"]["name"],
            "uid": each["metadata"]["uid"],
            "blockOwnerDeletion": True,
        }
        for each in owners
    ]
    api_version, kind = (f"{GROUP}/v1", "Widget") if path == WIDGETS else ("v1", "ConfigMap")
    metadata = {"name": name, "ownerReferences": references, "finalizers": ["example.com/hold"] if hold else []}
    status, made = chain.through("POST", path, {"apiVersion": api_version, "kind": kind, "metadata": metadata})
    assert status == 201, made
    return dict(made)


def delete(chain: Chain, path: str, name: str, policy: str) -> None:
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy}
    assert chain.through("DELETE", f"{path}/{name}", options)[0] in (200, 202)


def catch_up(chain: Chain, name: str) -> None:
    """What the inner server has told before is known once what it tells later has been acted on."""
    nobody = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nobody", "uid": "nobody"}}
    create(chain, WIDGETS, f"{name}-marker", nobody)
    wait_for(lambda: is_gone(chain, WIDGETS, f"{name}-marker"))


def is_gone(chain: Chain, path: str, name: str) -> bool:
    return bool(chain.through("GET", f"{path}/{name}")[0] == 404)


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
@pytest.mark.parametrize(("here", "there"), [(MAPS, WIDGETS), (WIDGETS, MAPS)], ids=["to-inner", "to-outer"])
def test_what_becomes_of_dependents_at_the_other_server(chain: Chain, here: str, there: str, policy: str) -> None:
    name = f"{policy.lower()}-{'outer' if here == MAPS else 'inner'}"
    owner = create(chain, here, name)
    create(chain, there, f"{name}-dependent", owner)
    last = create(chain, there, f"{name}-held", owner, hold=policy == "Foreground")
    catch_up(chain, name)
    delete(chain, here, name, policy)
    if policy == "Orphan":
        wait_for(lambda: is_gone(chain, here, name))
        for dependent in (f"{name}-dependent", f"{name}-held"):
            left = chain.through("GET", f"{there}/{dependent}")[1]
            assert "ownerReferences" not in left["metadata"], left
        return
    wait_for(lambda: is_gone(chain, there, f"{name}-dependent"))
    if policy == "Foreground":
        assert not is_gone(chain, here, name)
        patch = {"metadata": {"finalizers": None, "uid": last["metadata"]["uid"]}}
        assert chain.through("PATCH", f"{there}/{name}-held", patch, "application/merge-patch+json")[0] == 200
    wait_for(lambda: is_gone(chain, there, f"{name}-held") and is_gone(chain, here, name))


def test_a_server_that_hangs_holds_up_nothing_of_this_one(chain: Chain) -> None:
    nobody = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "nobody", "uid": "nobody"}}
    os.kill(chain.inner.process_id, signal.SIGSTOP)
    try:
        for number in range(40):
            create(chain, MAPS, f"hung-{number}", nobody)
        owner = create(chain, MAPS, "own-of-hung")
        for number in range(20):
            create(chain, MAPS, f"own-of-hung-{number}", owner)
        delete(chain, MAPS, "own-of-hung", "Foreground")
        wait_for(lambda: is_gone(chain, MAPS, "own-of-hung"))
        assert not is_gone(chain, MAPS, "hung-0")
    finally:
        os.kill(chain.inner.process_id, signal.SIGCONT)
    wait_for(lambda: all(is_gone(chain, MAPS, f"hung-{number}") for number in range(40)))


def test_a_server_that_is_away_loses_nothing_and_is_made_up_for(chain: Chain) -> None:
    inner_owner = create(chain, WIDGETS, "inner-owner")
    outer_owner = create(chain, MAPS, "outer-owner")
    create(chain, MAPS, "stays", inner_owner)
    create(chain, WIDGETS, "goes", outer_owner)
    create(chain, MAPS, "lonely", {**inner_owner, "metadata": {"name": "nobody", "uid": "nobody"}})
    wait_for(lambda: is_gone(chain, MAPS, "lonely"))
    chain.inner.kill()
    delete(chain, MAPS, "outer-owner", "Background")
    create(chain, MAPS, "late", inner_owner)
    create(chain, MAPS, "lonely", {**inner_owner, "metadata": {"name": "nobody", "uid": "nobody"}})
    # What this server has alone is collected meanwhile.
    own = create(chain, MAPS, "own")
    create(chain, MAPS, "own-dependent", own)
    delete(chain, MAPS, "own", "Foreground")
    wait_for(lambda: is_gone(chain, MAPS, "own") and is_gone(chain, MAPS, "own-dependent"))
    for name in ("stays", "late", "lonely"):
        assert not is_gone(chain, MAPS, name)
    chain.inner.start()
    wait_for(lambda: chain.through("GET", f"{WIDGETS}/goes")[0] == 404)
    wait_for(lambda: is_gone(chain, MAPS, "lonely"))
    for name in ("stays", "late"):
        assert not is_gone(chain, MAPS, name)
    assert not is_gone(chain, WIDGETS, "inner-owner")
