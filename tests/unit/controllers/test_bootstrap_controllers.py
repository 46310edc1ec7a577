"""Bootstrap tokens sign what nodes that join read, and go when they have ended."""

from __future__ import annotations

import base64

from quarterdeck.apimachinery.time import format_rfc3339
from quarterdeck.controllers import names
from quarterdeck.controllers.optional import bootstrapsigner
from quarterdeck.registry.strategy import Object
from support.control import World
from support.optional_controllers import add, find, kept, start


async def add_token(world: World, identifier: str, namespace: str = "kube-system", **more: str) -> None:
    data = {"token-id": identifier, "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true", **more}
    metadata = {"name": f"bootstrap-token-{identifier}", "namespace": namespace}
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    kind = "bootstrap.kubernetes.io/token"
    await add(world, "secrets", apiVersion="v1", kind="Secret", metadata=metadata, type=kind, data=encoded)
    await world.settle()


async def add_cluster_info(world: World, **data: str) -> None:
    metadata = {"name": "cluster-info", "namespace": "kube-public"}
    await add(world, "configmaps", apiVersion="v1", kind="ConfigMap", metadata=metadata, data=data)
    await world.settle()


def told(world: World) -> dict[str, str]:
    found: dict[str, str] = kept(world, "configmaps", "kube-public", "cluster-info")["data"]
    return found


def test_a_signature_is_the_one_that_kubeadm_checks() -> None:
    head = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9"
    assert bootstrapsigner.sign("", "joshua", "my voice is my passcode") == (
        f"{head}..7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk"
    )


async def test_cluster_info_is_signed_by_every_token_that_may() -> None:
    world = await start(names.BOOTSTRAP_SIGNER)
    await add_token(world, "aaaaaa")
    await add_cluster_info(world, kubeconfig="config", other="kept", **{"jws-kubeconfig-gone00": "old"})
    signed = bootstrapsigner.sign("config", "aaaaaa", "0123456789abcdef")
    assert told(world) == {"kubeconfig": "config", "other": "kept", "jws-kubeconfig-aaaaaa": signed}
    await add_token(world, "bbbbbb")
    await add_token(world, "cccccc", **{"usage-bootstrap-signing": "no"})
    await add_token(world, "dddddd", expiration="2000-01-01T00:00:00Z")
    await add_token(world, "eeeeee", "default")
    assert sorted(told(world)) == ["jws-kubeconfig-aaaaaa", "jws-kubeconfig-bbbbbb", "kubeconfig", "other"]
    await world.delete(world.builtin["", "v1", "secrets"][""], "kube-system", "bootstrap-token-aaaaaa")

    def move(obj: Object) -> None:
        obj["data"]["kubeconfig"] = "another"

    await world.change(world.builtin["", "v1", "configmaps"][""], "kube-public", "cluster-info", move)
    await world.settle()
    signed = bootstrapsigner.sign("another", "bbbbbb", "0123456789abcdef")
    assert told(world) == {"kubeconfig": "another", "other": "kept", "jws-kubeconfig-bbbbbb": signed}


async def test_without_a_kubeconfig_nothing_is_signed() -> None:
    world = await start(names.BOOTSTRAP_SIGNER)
    await add_token(world, "aaaaaa")
    await add_cluster_info(world, other="x")
    assert told(world) == {"other": "x"}


async def test_tokens_go_when_they_have_ended() -> None:
    world = await start(names.TOKEN_CLEANER)
    await add_token(world, "aaaaaa", expiration=format_rfc3339(world.clock.wall_s() + 100))
    await add_token(world, "bbbbbb")
    await add_token(world, "cccccc", expiration="never")
    await add_token(world, "dddddd", "default", expiration="2000-01-01T00:00:00Z")

    def left() -> list[str]:
        where = {"d": "default"}
        ids = ("aaaaaa", "bbbbbb", "cccccc", "dddddd")
        return [
            each[0]
            for each in ids
            if find(world, "secrets", where.get(each[0], "kube-system"), f"bootstrap-token-{each}")
        ]

    assert left() == ["a", "b", "d"]
    await world.settle(99)
    assert left() == ["a", "b", "d"]
    await world.settle(2)
    assert left() == ["b", "d"]
