"""Secrets for tokens of service accounts are filled, and go with their account."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from quarterdeck.authentication.serviceaccounts import jws
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.controllers import names
from quarterdeck.registry.strategy import Object
from support.control import World
from support.optional_controllers import add, find, kept, start

NAME = "kubernetes.io/service-account.name"
UID = "kubernetes.io/service-account.uid"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(None, names.SERVICE_ACCOUNT_TOKEN)
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "sa.key").write_bytes(pem)
    world.keys = Keys(tmp_path / "sa.key", [], tmp_path / "own.key", lambda _path, _pem: None)
    world.keys.load()
    return world


async def add_account(world: World, name: str, *secrets: str) -> Object:
    metadata = {"name": name, "namespace": "default"}
    references = [{"name": each} for each in secrets]
    return await add(
        world, "serviceaccounts", apiVersion="v1", kind="ServiceAccount", metadata=metadata, secrets=references
    )


async def add_secret(world: World, name: str, account: str, **more: Any) -> None:
    annotations = {NAME: account, **more.pop("annotations", {})}
    metadata = {"name": name, "namespace": "default", "annotations": annotations}
    kind = "kubernetes.io/service-account-token"
    await add(world, "secrets", apiVersion="v1", kind="Secret", metadata=metadata, type=kind, **more)
    await world.settle()


async def test_a_secret_is_filled(world: World) -> None:
    await start(world=world)
    account = await add_account(world, "robot")
    await add_secret(world, "s", "robot", data={"mine": "eA=="})
    filled = kept(world, "secrets", "default", "s")
    assert filled["metadata"]["annotations"] == {NAME: "robot", UID: account["metadata"]["uid"]}
    data = {key: base64.b64decode(value).decode() for key, value in filled["data"].items()}
    token = jws.Token.parse(data.pop("token"))
    assert data == {"ca.crt": "root", "namespace": "default", "mine": "x"}
    assert token is not None
    assert world.keys is not None
    assert token.is_signed_by(world.keys.load().public)
    prefix = "kubernetes.io/serviceaccount/"
    assert token.claims == {
        "iss": "kubernetes/serviceaccount",
        "sub": "system:serviceaccount:default:robot",
        f"{prefix}namespace": "default",
        f"{prefix}secret.name": "s",
        f"{prefix}service-account.name": "robot",
        f"{prefix}service-account.uid": account["metadata"]["uid"],
    }


async def test_what_is_taken_out_of_a_secret_comes_back(world: World) -> None:
    await start(world=world)
    await add_account(world, "robot")
    await add_secret(world, "s", "robot")
    before = kept(world, "secrets", "default", "s")

    def spoil(obj: Object) -> None:
        obj["data"]["ca.crt"] = "b3RoZXI="
        del obj["data"]["namespace"]

    await world.change(world.builtin["", "v1", "secrets"][""], "default", "s", spoil)
    await world.settle()
    assert kept(world, "secrets", "default", "s")["data"] == before["data"], "the token stays too"


async def test_a_secret_goes_with_its_account(world: World) -> None:
    await start(world=world)
    await add_secret(world, "early", "robot")
    assert find(world, "secrets", "default", "early") is None, "there is no such account"
    await add_account(world, "robot")
    await add_account(world, "other")
    for name, account in (("one", "robot"), ("two", "robot"), ("three", "other")):
        await add_secret(world, name, account)
    await add_secret(world, "stranger", "robot", annotations={UID: "another"})
    assert find(world, "secrets", "default", "stranger") is None
    await world.delete(world.builtin["", "v1", "serviceaccounts"][""], "default", "robot")
    await add_account(world, "robot")
    await world.settle()
    left = [name for name in ("one", "two", "three") if find(world, "secrets", "default", name)]
    assert left == ["three"], "the account of the same name is another one"


async def test_no_secret_goes_while_the_store_of_accounts_has_more_to_tell(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where accounts are in another etcd than secrets."""
    await start(world=world)
    monkeypatch.setattr("quarterdeck.storage.cacher.shared.WAIT_S", 0.01)
    world.cacher.shared.is_alone = False

    async def ahead() -> int:
        return world.store.revision + 1

    with monkeypatch.context() as behind:
        behind.setattr(world.store, "current_revision", ahead)
        await add_secret(world, "early", "robot")
        assert find(world, "secrets", "default", "early") is not None
        await add_account(world, "robot")
    await add_secret(world, "lonely", "nobody")
    await world.settle(60)
    assert find(world, "secrets", "default", "early") is not None
    assert find(world, "secrets", "default", "lonely") is None


async def test_an_account_does_not_name_a_secret_that_is_gone(world: World) -> None:
    await start(world=world)
    await add_account(world, "robot", "s", "kept")
    await add_account(world, "alone", "t")
    await add_secret(world, "s", "robot")
    await add_secret(world, "t", "alone")
    for name in ("s", "t"):
        await world.delete(world.builtin["", "v1", "secrets"][""], "default", name)
    await world.settle()
    assert kept(world, "serviceaccounts", "default", "robot")["secrets"] == [{"name": "kept"}]
    assert "secrets" not in kept(world, "serviceaccounts", "default", "alone")


async def test_what_was_left_half_done_is_done_at_the_start(world: World) -> None:
    await world.start()
    await add_account(world, "robot")
    await add_secret(world, "s", "robot")
    await add_secret(world, "orphan", "nobody")
    assert "data" not in kept(world, "secrets", "default", "s")
    world.controllers.take_up_when_ready()
    await world.settle()
    assert "token" in kept(world, "secrets", "default", "s")["data"]
    assert find(world, "secrets", "default", "orphan") is None
