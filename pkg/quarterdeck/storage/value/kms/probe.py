"""Whether a plugin is well, and the seed that values are written with while it is.

The plugin's Status names its key. Another one than the seed was encrypted with means a new seed, encrypted by the new
key. While the plugin fails the seed stays good for writing for 3 minutes; reading is never bounded.

Source: apiserver/pkg/server/options/encryptionconfig/config.go (kmsv2PluginProbe, primeAndProbeKMSv2).
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from quarterdeck.apimachinery.time import ZERO
from quarterdeck.metrics.digests import digest
from quarterdeck.storage.value import aes
from quarterdeck.storage.value.kms import messages
from quarterdeck.storage.value.kms.messages import Source, Status
from quarterdeck.storage.value.kms.observer import Observer
from quarterdeck.storage.value.transformer import TransformError

POSITIVE_INTERVAL_S: Final = 60.0
NEGATIVE_INTERVAL_S: Final = 10.0
WRITE_LIFE_S: Final = 180.0
_POSITIVE_TTL_S: Final = 20.0
_NEGATIVE_TTL_S: Final = 3.0
_VERSIONS: Final = ("v2", "v2beta1")
_LOG: Final = logging.getLogger(__name__)


class Plugin(Protocol):
    async def status(self) -> Status: ...

    async def encrypt(self, uid: str, plain: bytes) -> Source: ...

    async def decrypt(self, uid: str, source: Source) -> bytes: ...


@dataclass(frozen=True, slots=True)
class State:
    """What values are written with, until `expires_s` (Unix time)."""

    transformer: aes.ExtendedGCM
    source: Source
    expires_s: float

    def check_writable(self, now_s: float) -> None:
        """Raises TransformError."""
        if now_s > self.expires_s:
            raise TransformError(
                f'encryptedDEKSource with keyID hash "{hash_of(self.source.key_id)}" expired at '
                f"{_format(self.expires_s)} (current time is {_format(now_s)})"
            )


class Probe:
    """`healed` is awaited after the plugin was found well that was not before."""

    def __init__(self, name: str, plugin: Plugin, observer: Observer, now_s: Callable[[], float] = time.time) -> None:
        self.name = name
        self.healed: Callable[[], Awaitable[object]] | None = None
        self._plugin = plugin
        self._observer = observer
        self._now_s = now_s
        self._state: State | None = None
        self._version = ""
        self._error: TransformError | None = TransformError("the plugin has not been asked yet")
        self._fresh_until_s = 0.0
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None

    def state(self) -> State:
        """Raises TransformError where the plugin has never been well."""
        if self._state is None:
            raise TransformError("got unexpected nil transformer")
        return self._state

    def writable_state(self) -> State:
        """Raises TransformError where there is none, or it has expired."""
        state = self.state()
        state.check_writable(self._now_s())
        return state

    @property
    def error(self) -> str | None:
        """What the last check found wrong."""
        return None if self._error is None else str(self._error)

    async def check(self) -> None:
        """Ask the plugin, unless it has been asked just now. Raises TransformError where it is not well."""
        async with self._lock:
            if self._now_s() >= self._fresh_until_s:
                was_ill = self._error is not None
                self._error = await self._ask()
                life_s = _POSITIVE_TTL_S if self._error is None else _NEGATIVE_TTL_S
                self._fresh_until_s = self._now_s() + life_s
                if was_ill and self._error is None and self.healed is not None:
                    await self.healed()
            if self._error is not None:
                raise TransformError(str(self._error), self._error.code)

    async def _ask(self) -> TransformError | None:
        try:
            status = await self._plugin.status()
        except TransformError as error:
            text = "failed to perform status section of the healthz check for KMS Provider"
            return TransformError(f"{text} {self.name}, error: {error}", error.code)
        problems = [text for text in (self._judge(status), await self._use_key(status.key_id)) if text]
        if not problems:
            return None
        texts = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
        return TransformError(f"kmsv2 Provider {self.name} is not healthy, error: {texts}")

    def _judge(self, status: Status) -> str:
        problems = []
        if status.healthz != "ok":
            problems.append(f"got unexpected healthz status: {status.healthz}")
        if status.version not in _VERSIONS:
            problems.append(f"expected KMSv2 API version v2, got {status.version}")
        else:
            self._version = self._version or status.version
            if self._version != status.version:
                problems.append(
                    "KMSv2 API version should not change after the initial status response version "
                    f"{self._version}, got {status.version}"
                )
        return ", ".join(problems)

    async def _use_key(self, key_id: str) -> str:
        """The plugin's key: the seed stays where it is the same, and there is a new one where it is not."""
        if problem := messages.check_key_id(key_id):
            self._observer.key_refused(self.name, problem[0])
            return f'got invalid KMSv2 KeyID hash "{hash_of(key_id)}": {problem[1]}'
        self._observer.key_told(self.name, key_id)
        expires_s = self._now_s() + WRITE_LIFE_S
        state = self._state
        if state is not None and state.source.key_id == key_id:
            self._state = replace(state, expires_s=expires_s)
            return ""
        uid = str(uuid.uuid4())
        seed = os.urandom(aes.SEED_BYTES)
        found = ""
        try:
            source = await self._plugin.encrypt(uid, seed)
            found = source.key_id
            source.check()
            if found == key_id:
                self._state = State(aes.ExtendedGCM(seed), source, expires_s)
                return ""
            problem_text = "<nil>"
        except TransformError as error:
            problem_text = str(error) if found else f"failed to encrypt DEK, error: {error}"
        had = state.source.key_id if state is not None else ""
        until = _format(state.expires_s) if state is not None else ZERO
        state_error = "<nil>" if state is not None else "got unexpected nil transformer"
        return (
            f'failed to rotate DEK uid="{uid}", useSeed=true, errState={state_error}, errGen={problem_text}, '
            f'statusKeyIDHash="{hash_of(key_id)}", encryptKeyIDHash="{hash_of(found)}", '
            f'stateKeyIDHash="{hash_of(had)}", expirationTimestamp={until}'
        )

    # - again and again

    def refresh(self) -> None:
        """Ask the plugin beside what goes on, unless it has been asked just now."""
        if self._now_s() >= self._fresh_until_s and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._check_quietly(), name=f"KMS provider {self.name}")

    async def _check_quietly(self) -> None:
        try:
            await self.check()
        except TransformError as error:
            _LOG.error("KMS provider %s is not well: %s", self.name, error)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"KMS provider {self.name}")

    async def stop(self) -> None:
        tasks = [task for task in (self._task, self._asking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(POSITIVE_INTERVAL_S if self._error is None else NEGATIVE_INTERVAL_S)
            await self._check_quietly()


def hash_of(key_id: str) -> str:
    return digest(key_id.encode())


def _format(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
