"""What is done while a plugin is not there, and when the file changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.metrics.registry import Registry
from quarterdeck.server.config import ConfigError
from quarterdeck.server.encryption import running
from quarterdeck.server.encryption.running import Encryption
from quarterdeck.storage.value.storage import TransformedStorage
from support.memory_store import MemoryStore

HEAD = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
SECRETS = "/registry/core/secrets/default/a"


def kms(folder: Path) -> str:
    return f"{{kms: {{apiVersion: v2, name: vault, endpoint: 'unix://{folder}/none.sock', timeout: 50ms}}}}"


def begin(path: Path, resources: str, provider: str, *, reloads: bool = False) -> Encryption:
    path.write_text(f"{HEAD}- resources: [{resources}]\n  providers: [{provider}, {{identity: {{}}}}]\n")
    return begin_on(path, reloads=reloads)[0]


def begin_on(path: Path, *, reloads: bool) -> tuple[Encryption, TransformedStorage]:
    prepared = running.prepare(path, Registry(), reloads=reloads)
    storage = TransformedStorage(MemoryStore(), prepared.built.transformers)
    return Encryption(storage, prepared), storage


async def test_a_start_waits_for_plugins_that_its_own_objects_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("grpc", reason="grpcio is not installed")
    monkeypatch.setattr(running, "START_WAIT_S", 0.0)
    encryption = begin(tmp_path / "c.yaml", "'*.*'", kms(tmp_path))
    await encryption.prime()
    with pytest.raises(ConfigError, match="cannot be encrypted: kms-provider-0: failed to perform status section"):
        await encryption.wait_until_writable()
    assert encryption.has_check and encryption.check() is not None
    await encryption.stop()
    encryption = begin(tmp_path / "c.yaml", "secrets", kms(tmp_path))
    await encryption.prime()
    await encryption.wait_until_writable()
    await encryption.stop()


async def test_the_file_is_taken_up_when_it_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    first = "{aesgcm: {keys: [{name: a, secret: MDEyMzQ1Njc4OWFiY2RlZg==}]}}"
    begin(path, "secrets", first, reloads=True)  # writes the file
    encryption, storage = begin_on(path, reloads=True)
    storage.subscribe(lambda *_: None)
    retried: list[int] = []

    async def retry() -> int:
        retried.append(1)
        return 0

    encryption.retry = retry
    await storage.create(SECRETS, b"{}")
    assert await encryption.reload() and not retried
    path.write_text(path.read_text().replace("aesgcm", "aes"))
    assert not await encryption.reload()
    assert not await storage.is_stale(SECRETS)
    path.write_text(path.read_text().replace("aes:", "aesgcm:").replace("name: a", "name: b"))
    assert await encryption.reload() and retried
    assert await storage.is_stale(SECRETS)
    assert encryption.check() is None
    await encryption.stop()
