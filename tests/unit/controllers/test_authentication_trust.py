"""Servers behind APIServices find out whom to believe."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.authenticationtrust import NAME, PERIOD_S, Trusted, combine
from quarterdeck.registry.scope import Scope
from support.certificates import Certificate
from support.control import World

CLIENTS = Certificate("clients", is_authority=True).pem
PROXIES = Certificate("proxies", is_authority=True).pem
OTHERS = Certificate("others", is_authority=True).pem
ENDED = Certificate("ended", is_authority=True, days=(-3, -2)).pem
LISTS = {
    "requestheader-username-headers": ("X-Remote-User",),
    "requestheader-uid-headers": (),
    "requestheader-group-headers": ("X-Remote-Group",),
    "requestheader-extra-headers-prefix": ("X-Remote-Extra-",),
    "requestheader-allowed-names": ("front-proxy-client",),
}
TRUSTED = Trusted(CLIENTS, PROXIES, LISTS)


def config_maps(world: World) -> Scope:
    return world.builtin["", "v1", "configmaps"][""]


def data(world: World) -> dict[str, Any] | None:
    entry = config_maps(world).store.cache.get("kube-system", NAME)
    return None if entry is None else json_codec.load(entry.data)["data"]


async def start(trusted: Trusted | None) -> World:
    world = await World().start()
    if trusted is not None:
        world.controllers.trust.trusted = lambda: trusted
    world.controllers.take_up_when_ready()
    await world.settle()
    return world


async def test_it_tells_of_clients_and_proxies() -> None:
    found = data(await start(TRUSTED))
    assert found == {
        "client-ca-file": CLIENTS.decode(),
        "requestheader-client-ca-file": PROXIES.decode(),
        **{name: json.dumps(value, separators=(",", ":")) for name, value in LISTS.items()},
    }


async def test_nothing_is_told_where_nothing_was_given() -> None:
    assert data(await start(None)) is None


async def test_it_comes_back_and_follows_files() -> None:
    world = await start(TRUSTED)
    await world.delete(config_maps(world), "kube-system", NAME)
    await world.settle()
    assert data(world) == combine({}, TRUSTED)
    world.controllers.trust.trusted = lambda: TRUSTED._replace(clients=OTHERS)
    await world.settle(PERIOD_S)
    found = data(world)
    assert found is not None
    assert found["client-ca-file"] == CLIENTS.decode() + OTHERS.decode()


async def test_what_is_known_is_written_once() -> None:
    world = await start(TRUSTED)
    written = config_maps(world).store.cache.get("kube-system", NAME)
    await world.settle(3 * PERIOD_S)
    assert config_maps(world).store.cache.get("kube-system", NAME) is written


def test_what_others_have_published_stays() -> None:
    theirs = combine({}, Trusted(OTHERS, OTHERS, LISTS | {"requestheader-allowed-names": ("other",)}))
    found = combine(theirs, TRUSTED)
    assert found["client-ca-file"] == OTHERS.decode() + CLIENTS.decode()
    assert json.loads(found["requestheader-allowed-names"]) == ["other", "front-proxy-client"]
    assert combine(found, TRUSTED) == found


def test_certificates_that_have_ended_go() -> None:
    assert combine({"client-ca-file": ENDED.decode()}, TRUSTED)["client-ca-file"] == CLIENTS.decode()


def test_proxies_fields_are_not_told_without_their_authority() -> None:
    assert combine({}, Trusted(CLIENTS, b"", {})) == {"client-ca-file": CLIENTS.decode()}


@pytest.mark.parametrize("wrong", [{"requestheader-group-headers": "{}"}, {"client-ca-file": "no certificate"}])
def test_what_cannot_be_read_is_left_alone(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        combine(wrong, TRUSTED)
