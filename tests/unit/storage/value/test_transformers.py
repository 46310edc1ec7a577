"""Values are written and read in upstream's formats, by the first provider and by all of them."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from quarterdeck.storage.value import aes
from quarterdeck.storage.value.secretbox import Secretbox
from quarterdeck.storage.value.transformer import (
    IDENTITY,
    DecryptedValue,
    Prefixed,
    PrefixTransformers,
    Transformer,
    TransformError,
)
from support.encryption_vectors import CONTEXT, PLAIN, STORED

KEY = bytes(range(32))
OTHER = bytes(32)
CIPHERS: dict[str, Callable[[bytes], Transformer]] = {"aesgcm": aes.GCM, "aescbc": aes.CBC, "secretbox": Secretbox}


def make(name: str, key: bytes) -> Transformer:
    if name == "secretbox":
        pytest.importorskip("nacl", reason="PyNaCl is not installed")
    return CIPHERS[name](key)


def key_of(name: str) -> bytes:
    return KEY[:16] if name == "aesgcm" else KEY


def provider(name: str, *keys: tuple[str, bytes]) -> Prefixed:
    chosen = [Prefixed(f"{key}:".encode(), make(name, secret)) for key, secret in keys]
    return Prefixed(f"k8s:enc:{name}:v1:".encode(), PrefixTransformers("no matching key was found", chosen))


def stored(name: str) -> bytes:
    return base64.b64decode(STORED[name])


@pytest.mark.parametrize("name", CIPHERS)
def test_values_of_others_are_read_and_ours_are_like_them(name: str) -> None:
    transformer = PrefixTransformers("none", [provider(name, ("key1", key_of(name)))])
    assert transformer.open(stored(name), CONTEXT) == DecryptedValue(PLAIN, False)
    sealed = transformer.seal(PLAIN, CONTEXT)
    assert len(sealed) == len(stored(name))
    assert sealed.startswith(f"k8s:enc:{name}:v1:key1:".encode())
    assert sealed != transformer.seal(PLAIN, CONTEXT)
    assert transformer.open(sealed, CONTEXT) == DecryptedValue(PLAIN, False)


@pytest.mark.parametrize("name", CIPHERS)
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 100_000])
def test_every_size_comes_back(name: str, size: int) -> None:
    transformer = make(name, key_of(name))
    value = bytes(index % 251 for index in range(size))
    assert transformer.open(transformer.seal(value, CONTEXT), CONTEXT).data == value


def test_what_another_provider_or_key_wrote_is_stale() -> None:
    both = provider("aesgcm", ("key2", OTHER), ("key1", KEY[:16]))
    assert PrefixTransformers("none", [both]).open(stored("aesgcm"), CONTEXT) == DecryptedValue(PLAIN, True)
    cbc = provider("aescbc", ("key1", KEY))
    in_turn = PrefixTransformers("none", [both, cbc, Prefixed(b"", IDENTITY)])
    assert in_turn.open(stored("aescbc"), CONTEXT) == DecryptedValue(PLAIN, True)
    assert in_turn.open(PLAIN, CONTEXT) == DecryptedValue(PLAIN, True)
    plain_first = PrefixTransformers("none", [Prefixed(b"", IDENTITY), both])
    assert plain_first.open(PLAIN, CONTEXT) == DecryptedValue(PLAIN, False)
    assert plain_first.open(stored("aesgcm"), CONTEXT) == DecryptedValue(PLAIN, True)
    assert plain_first.seal(PLAIN, CONTEXT) == PLAIN


def test_one_provider_twice_with_other_keys_is_tried_twice() -> None:
    both = [provider("aesgcm", ("key1", OTHER)), provider("aesgcm", ("key1", KEY[:16]))]
    assert PrefixTransformers("none", both).open(stored("aesgcm"), CONTEXT) == DecryptedValue(PLAIN, True)


@pytest.mark.parametrize(
    ("name", "key", "change", "text"),
    [
        ("aesgcm", OTHER, lambda data: data, "cipher: message authentication failed"),
        ("aesgcm", KEY[:16], lambda data: data[:-1] + bytes((data[-1] ^ 1,)), "cipher: message authentication failed"),
        ("aesgcm", KEY[:16], lambda data: data[:30], "the stored data was shorter than the required size"),
        ("aescbc", KEY, lambda data: data[:-1], "the stored data is not a multiple of the block size"),
        ("aescbc", KEY, lambda data: data[:39], "invalid PKCS7 data (empty or not padded)"),
        ("aescbc", KEY, lambda data: data[:30], "the stored data was shorter than the required size"),
        ("secretbox", OTHER, lambda data: data, "output array was not large enough for encryption"),
        ("secretbox", KEY, lambda data: data[:50], "the stored data was shorter than the required size"),
    ],
)
def test_what_cannot_be_read(name: str, key: bytes, change: Callable[[bytes], bytes], text: str) -> None:
    transformer = PrefixTransformers("none", [provider(name, ("key1", key))])
    with pytest.raises(TransformError) as caught:
        transformer.open(change(stored(name)), CONTEXT)
    assert str(caught.value) == text


def test_a_value_that_authenticates_cannot_be_moved() -> None:
    transformer = PrefixTransformers("none", [provider("aesgcm", ("key1", KEY[:16]))])
    with pytest.raises(TransformError, match="authentication failed"):
        transformer.open(stored("aesgcm"), CONTEXT + b"2")


def test_values_that_fit_no_provider() -> None:
    encrypted = PrefixTransformers("no matching prefix found", [provider("aescbc", ("key1", KEY))])
    for value in (stored("aesgcm"), PLAIN):
        with pytest.raises(TransformError, match=r"^no matching prefix found$"):
            encrypted.open(value, CONTEXT)
    with pytest.raises(TransformError, match=r"^no matching key was found$"):
        encrypted.open(b"k8s:enc:aescbc:v1:key9:" + bytes(32), CONTEXT)
    with pytest.raises(TransformError, match=r"^identity transformer tried to read encrypted data$"):
        IDENTITY.open(stored("aesgcm"), CONTEXT)
