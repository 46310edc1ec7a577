"""Values that are encrypted in etcd: by what they are bound to, and what is told of those that cannot be read."""

from __future__ import annotations

import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3.sealing import SealedValues
from quarterdeck.storage.etcd3.values import KubernetesValues, SameValues
from quarterdeck.storage.value import aes
from quarterdeck.storage.value.resources import Transformers
from quarterdeck.storage.value.transformer import IDENTITY, Prefixed, PrefixTransformers

SECRET = "/registry/core/secrets/ns/a"
THERE = b"/other/secrets/ns/a"


def gcm(name: str) -> Prefixed:
    return Prefixed(f"k8s:enc:aesgcm:v1:{name}:".encode(), aes.GCM(name.encode().ljust(16)))


def secrets_by(*names: str, plain: bool = True) -> Transformers:
    rest = [Prefixed(b"", IDENTITY)] if plain else []
    return {("", "secrets"): PrefixTransformers("none fits", [*map(gcm, names), *rest])}


def test_a_value_is_sealed_behind_its_encoding_and_bound_to_its_key_in_etcd() -> None:
    values = SealedValues(KubernetesValues(lambda obj, default: b"restored", is_protobuf=True), secrets_by("k"))
    secret = b'{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"ns"}}'
    stored = values.seal(SECRET, THERE, secret)
    prefix, transformer = gcm("k")
    assert stored.startswith(prefix)
    assert transformer.open(stored[len(prefix) :], THERE).data.startswith(b"k8s\0")
    assert values.open(SECRET, THERE, stored) == b"restored"
    with pytest.raises(interface.Untransformable):
        values.open(SECRET, b"/other/secrets/ns/b", stored)


PORTS = "/registry/core/ranges/servicenodeports"


@pytest.mark.parametrize(
    ("resource", "key", "is_sealed"),
    [
        (("", "services"), "/registry/core/services/ns/a", True),
        (("", "services"), "/registry/core/configmaps/ns/a", False),
        (("", "services"), PORTS, False),
        (("", "ranges"), PORTS, False),
        (("", "*"), PORTS, False),
        (("*", "*"), "/registry/core/masterleases/10.0.0.1", False),
        (("*", "*"), "/registry/example.com/things/ns/a", True),
    ],
)
def test_resources_are_sealed_that_are_named(resource: tuple[str, str], key: str, is_sealed: bool) -> None:
    """The servers' own records are never sealed."""
    values = SealedValues(SameValues(), {resource: PrefixTransformers("none fits", [gcm("k")])})
    assert values.seal(key, b"there", b"x").startswith(gcm("k").prefix) is is_sealed


def test_what_another_key_has_written_is_stale() -> None:
    values = SealedValues(SameValues(), secrets_by("old"))
    stored = values.seal(SECRET, THERE, b"x")
    assert not values.is_stale(SECRET, THERE, stored)
    values.set_transformers(secrets_by("new", "old"))
    assert values.open(SECRET, THERE, stored) == b"x"
    assert values.is_stale(SECRET, THERE, stored)
    assert values.is_stale(SECRET, THERE, b"x")
    values.set_transformers(secrets_by("new", plain=False))
    assert values.is_stale(SECRET, THERE, stored)
    with pytest.raises(interface.Untransformable, match="none fits"):
        values.open(SECRET, THERE, stored)


def test_without_transformers_nothing_is_encrypted_nor_decrypted() -> None:
    values = SealedValues(SameValues(), {})
    assert values.is_identity
    assert values.seal(SECRET, THERE, b"x") == b"x"
    with pytest.raises(interface.Untransformable, match="identity transformer tried to read encrypted data"):
        values.open(SECRET, THERE, gcm("k").prefix + b"x")
