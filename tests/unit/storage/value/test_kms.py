"""KMS v2: envelopes in upstream's format, and seeds that follow the plugin's key."""

from __future__ import annotations

import base64

import pytest

from quarterdeck.storage.value.kms import messages, probe
from quarterdeck.storage.value.kms.envelope import Envelope
from quarterdeck.storage.value.kms.messages import Source, Status
from quarterdeck.storage.value.kms.probe import Probe
from quarterdeck.storage.value.transformer import DecryptedValue, KeyWanted, TransformError
from support.encryption_vectors import CONTEXT, PLAIN, STORED

PREFIX = b"k8s:enc:kms:v2:vault:"
SEALED = b"sealed:"


class FakePlugin:
    def __init__(self) -> None:
        self.told = Status("v2", "ok", "kek-1")
        self.encrypts_with = ""
        self.decrypted = 0
        self.failure: TransformError | None = None

    async def status(self) -> Status:
        if self.failure is not None:
            raise self.failure
        return self.told

    async def encrypt(self, uid: str, plain: bytes) -> Source:
        return Source(SEALED + plain, self.encrypts_with or self.told.key_id)

    async def decrypt(self, uid: str, source: Source) -> bytes:
        if self.failure is not None:
            raise self.failure
        self.decrypted += 1
        return source.ciphertext.removeprefix(SEALED)


class Silent:
    """Nobody counts."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


class Provider:
    def __init__(self) -> None:
        self.plugin = FakePlugin()
        self.now_s = 1_800_000_000.0
        observer = Silent()
        self.probe = Probe("vault", self.plugin, observer, lambda: self.now_s)  # type: ignore[arg-type]
        self.envelope = Envelope(self.plugin, self.probe, observer)  # type: ignore[arg-type]

    async def look(self) -> None:
        self.now_s += 30
        await self.probe.check()

    async def open(self, data: bytes) -> DecryptedValue:
        try:
            return self.envelope.open(data, CONTEXT)
        except KeyWanted as wanted:
            await wanted.fetch()
            return self.envelope.open(data, CONTEXT)


def stored(name: str) -> bytes:
    return base64.b64decode(STORED[name]).removeprefix(PREFIX)


async def test_envelopes_of_others_are_read() -> None:
    provider = Provider()
    await provider.look()
    assert await provider.open(stored("kms")) == DecryptedValue(PLAIN, False)
    assert await provider.open(stored("kms")) == DecryptedValue(PLAIN, False)
    assert provider.plugin.decrypted == 1
    # A key instead of a seed, as kube-apiserver 1.28 and older wrote: to be written again.
    assert await provider.open(stored("kms_key")) == DecryptedValue(PLAIN, True)


async def test_envelopes_look_like_those_of_others() -> None:
    provider = Provider()
    await provider.look()
    sealed = provider.envelope.seal(PLAIN, CONTEXT)
    data, source = messages.decode_object(sealed)
    theirs, _ = messages.decode_object(stored("kms"))
    assert len(data) == len(theirs)
    assert (source.key_id, source.type, source.ciphertext[: len(SEALED)]) == ("kek-1", messages.HKDF_SEED, SEALED)
    assert sealed.endswith(b"\x28\x01")
    assert provider.envelope.open(sealed, CONTEXT) == DecryptedValue(PLAIN, False)
    assert provider.plugin.decrypted == 0
    with pytest.raises(TransformError, match="authentication failed"):
        provider.envelope.open(sealed, b"/registry/secrets/default/other")


async def test_a_new_key_of_the_plugin_means_a_new_seed() -> None:
    provider = Provider()
    await provider.look()
    first = provider.envelope.seal(PLAIN, CONTEXT)
    seed = messages.decode_object(first)[1].ciphertext
    await provider.look()
    assert messages.decode_object(provider.envelope.seal(PLAIN, CONTEXT))[1].ciphertext == seed
    provider.plugin.told = Status("v2", "ok", "kek-2")
    await provider.look()
    second = messages.decode_object(provider.envelope.seal(PLAIN, CONTEXT))[1]
    assert second.key_id == "kek-2" and second.ciphertext != seed
    assert provider.envelope.open(first, CONTEXT) == DecryptedValue(PLAIN, True)


async def test_while_the_plugin_fails_writing_ends_after_three_minutes_and_reading_goes_on() -> None:
    provider = Provider()
    await provider.look()
    sealed = provider.envelope.seal(PLAIN, CONTEXT)
    provider.plugin.failure = TransformError("rpc error: code = Unavailable desc = gone", "Unavailable")
    with pytest.raises(TransformError, match="failed to perform status section of the healthz check for KMS Provider"):
        await provider.look()
    assert provider.envelope.seal(PLAIN, CONTEXT)
    provider.now_s += probe.WRITE_LIFE_S
    with pytest.raises(TransformError, match=r"^encryptedDEKSource with keyID hash \"sha256:.* expired at 2027-"):
        provider.envelope.seal(PLAIN, CONTEXT)
    assert provider.envelope.open(sealed, CONTEXT).data == PLAIN
    healed: list[int] = []

    async def note() -> None:
        healed.append(1)

    provider.probe.healed = note
    provider.plugin.failure = None
    await provider.look()
    assert provider.envelope.seal(PLAIN, CONTEXT) and healed


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (Status("v2", "ill", "kek-1"), "got unexpected healthz status: ill"),
        (Status("v3", "ok", "kek-1"), "expected KMSv2 API version v2, got v3"),
        (Status("v2", "ok", ""), 'got invalid KMSv2 KeyID hash "": keyID is empty'),
        (Status("v2", "ok", "k" * 1025), "keyID is 1025 bytes, which exceeds the max size of 1024"),
    ],
)
async def test_plugins_that_are_not_well(told: Status, text: str) -> None:
    provider = Provider()
    provider.plugin.told = told
    with pytest.raises(TransformError, match=r"^kmsv2 Provider vault is not healthy, error: ") as caught:
        await provider.look()
    assert text in str(caught.value)
    assert provider.probe.error == str(caught.value)


async def test_a_plugin_that_encrypts_by_another_key_than_it_names() -> None:
    provider = Provider()
    provider.plugin.encrypts_with = "kek-0"
    with pytest.raises(TransformError, match="failed to rotate DEK uid="):
        await provider.look()
    with pytest.raises(TransformError, match=r"^got unexpected nil transformer$"):
        provider.envelope.seal(PLAIN, CONTEXT)


async def test_what_the_plugin_cannot_decrypt_is_not_asked_for_at_once_again() -> None:
    provider = Provider()
    await provider.look()
    provider.plugin.failure = TransformError("rpc error: code = Internal desc = no", "Internal")
    for _ in range(2):
        with pytest.raises(
            TransformError, match=r"^failed to decrypt DEK, error: rpc error: code = Internal desc = no$"
        ):
            await provider.open(stored("kms"))
        provider.plugin.failure = TransformError("asked again")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (b"\x0a", "proto: cannot parse invalid wire-format data"),
        (b"\x0a\x05abc", "proto: cannot parse invalid wire-format data"),
        (b"", "encrypted data is empty"),
        (b"\x0a\x01x", "failed to validate encrypted DEK source: encrypted DEK source is empty"),
        (b"\x0a\x01x\x1a\x01x", "failed to validate key id: keyID is empty"),
        (b"\x0a\x01x\x28\x07", "unknown encryptedDEKSourceType: 7"),
        (
            b"\x0a\x01x\x12\x01k\x1a\x01x\x22\x03\x0a\x01a",
            'failed to validate annotations: annotations: Invalid value: "a": should be a domain with at least two '
            "segments separated by dots",
        ),
    ],
)
async def test_what_is_no_envelope(message: bytes, text: str) -> None:
    with pytest.raises(TransformError) as caught:
        messages.decode_object(message)
    assert str(caught.value) == text
