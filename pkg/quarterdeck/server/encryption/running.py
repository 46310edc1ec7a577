"""Encryption while the server runs: its KMS providers, its health, and the configuration taken up anew.

The file is looked at every few seconds; what changed is loaded, its plugins are asked, and only when they are well do
values go through the new transformers. What cannot be used is told, counted and tried again, later each time; the old
configuration stays.

Source: apiserver/pkg/server/options/encryptionconfig/controller/controller.go (which looks once a minute), config.go
(DynamicTransformers).
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from quarterdeck.controllers.identitylease import build_name
from quarterdeck.metrics.digests import digest
from quarterdeck.metrics.registry import Registry
from quarterdeck.server.config import ConfigError
from quarterdeck.server.encryption import build as building
from quarterdeck.server.encryption.build import Built
from quarterdeck.server.encryption.configuration import ConfigurationError, read_file
from quarterdeck.server.encryption.metrics import EncryptionMetrics
from quarterdeck.storage.value.resources import Transformers, find
from quarterdeck.storage.value.transformer import TransformError

PERIOD_S: Final = 2.0
# What could not be read is tried again as often.
RETRY_S: Final = 10.0
START_WAIT_S: float = 60.0
_FAILED_PERIOD_S_MAX: Final = 60.0
_HEALTH_S_MIN: Final = 10.0
_HEALTH_PERIOD_S: Final = 0.1
# What a start writes where it is missing.
_OWN: Final = (
    ("", "namespaces"),
    ("", "services"),
    ("", "endpoints"),
    ("discovery.k8s.io", "endpointslices"),
    ("networking.k8s.io", "servicecidrs"),
    ("networking.k8s.io", "ipaddresses"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "roles"),
    ("rbac.authorization.k8s.io", "rolebindings"),
    ("scheduling.k8s.io", "priorityclasses"),
    ("flowcontrol.apiserver.k8s.io", "flowschemas"),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"),
    ("apiregistration.k8s.io", "apiservices"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
)
_LOG: Final = logging.getLogger(__name__)

Retry = Callable[[], Awaitable[int]]


class Prepared(NamedTuple):
    """A configuration that has been read. `reloads`: the file is taken up again when it changes."""

    path: Path
    metrics: EncryptionMetrics
    built: Built
    reloads: bool


def prepare(path: Path, registry: Registry, *, reloads: bool) -> Prepared:
    """Read the file before anything else is begun. Raises ConfigError."""
    metrics = EncryptionMetrics(registry, build_name(socket.gethostname()))
    try:
        built = building.build(building.load(path, reloads=reloads), metrics)
    except ConfigurationError as error:
        raise ConfigError(str(error)) from error
    metrics.use(built.digest)
    return Prepared(path, metrics, built, reloads)


class Transforming(Protocol):
    """What values go through on their way to the store and from it."""

    def set_transformers(self, transformers: Transformers) -> None: ...


class Encryption:
    """`transforming` has the transformers of `prepared`, and gets those that come after them. `retry` reads again what
    could not be decrypted."""

    def __init__(self, transforming: Transforming, prepared: Prepared) -> None:
        self._path, self._metrics, self._built, self._reloads = prepared
        self._transforming = transforming
        self.retry: Retry | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._closing: set[asyncio.Task[None]] = set()

    async def prime(self) -> None:
        """Ask each plugin once. One that is not there is no reason not to start."""
        for probe in self._built.probes:
            try:
                await probe.check()
            except TransformError as error:
                _LOG.error("KMS provider %s is not well: %s", probe.name, error)

    async def wait_until_writable(self) -> None:
        """Wait for plugins without which the server cannot write what it begins with. Raises ConfigError after a while.

        Differs from upstream: there the server answers 500 meanwhile."""
        deadline_s = asyncio.get_running_loop().time() + START_WAIT_S
        while (problem := self._find_unwritable()) is not None:
            if asyncio.get_running_loop().time() >= deadline_s:
                raise ConfigError(f"what the server has to write cannot be encrypted: {self.check() or problem}")
            await asyncio.sleep(1)
            await self.prime()

    def _find_unwritable(self) -> TransformError | None:
        for group, resource in _OWN:
            try:
                find(self._built.transformers, group, resource).seal(b"{}", b"")
            except TransformError as error:
                return error
        return None

    def transformers(self) -> Transformers:
        """Those of now."""
        return self._built.transformers

    def start(self) -> None:
        self._begin(self._built)
        self._tasks.append(asyncio.create_task(self._retry_again_and_again(), name="unreadable values"))
        if self._reloads:
            self._tasks.append(asyncio.create_task(self._watch(), name="encryption configuration"))

    async def stop(self) -> None:
        tasks = [*self._tasks, *self._closing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await _end(self._built)

    @property
    def has_check(self) -> bool:
        """Whether the health endpoints have the check."""
        return self._reloads or bool(self._built.probes)

    def check(self) -> str | None:
        """A health check: what the last look at the plugins found wrong. An old look is followed by a new one."""
        for probe in self._built.probes:
            probe.refresh()
        problems = [
            f"kms-provider-{number}: {probe.error}"
            for number, probe in enumerate(self._built.probes)
            if probe.error is not None
        ]
        if not problems:
            return None
        return problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"

    def _begin(self, built: Built) -> None:
        for probe in built.probes:
            probe.healed = self._retry
            probe.start()

    async def _retry(self) -> int:
        return await self.retry() if self.retry is not None else 0

    async def _retry_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(RETRY_S)
            await self._retry()

    # - the file

    async def _watch(self) -> None:
        period_s = PERIOD_S
        while True:
            await asyncio.sleep(period_s)
            period_s = PERIOD_S if await self.reload() else min(2 * period_s, _FAILED_PERIOD_S_MAX)

    async def reload(self) -> bool:
        """Take the file up if it has changed; False where it cannot be used."""
        try:
            if digest(read_file(self._path)) == self._built.digest:
                return True
            configuration = building.load(self._path, reloads=True)
            if configuration.digest == self._built.digest:
                return True
            built = building.build(configuration, self._metrics)
        except ConfigurationError as error:
            self._fail(error)
            return False
        try:
            await _wait_until_well(built)
        except TransformError as error:
            built.close()
            self._fail(error)
            return False
        old, self._built = self._built, built
        self._metrics.use(built.digest)
        self._metrics.reloaded(is_done=True)
        self._transforming.set_transformers(built.transformers)
        self._begin(built)
        closing = asyncio.create_task(_end_later(old), name="old encryption configuration")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        _LOG.info("%s changed and was taken up", self._path)
        await self._retry()
        return True

    def _fail(self, error: Exception) -> None:
        self._metrics.reloaded(is_done=False)
        _LOG.error("error processing encryption config file %s: %s", self._path, error)


async def _wait_until_well(built: Built) -> None:
    """Raises TransformError where a plugin is not well for as long as asking all of them twice may take."""
    deadline_s = asyncio.get_running_loop().time() + max(_HEALTH_S_MIN, 2 * built.timeouts_s)
    for probe in built.probes:
        while True:
            try:
                await probe.check()
                break
            except TransformError as error:
                if asyncio.get_running_loop().time() >= deadline_s:
                    raise TransformError(f"health check for new transformers failed: {error}") from error
            await asyncio.sleep(_HEALTH_PERIOD_S)


async def _end(built: Built) -> None:
    for probe in built.probes:
        await probe.stop()
    built.close()


async def _end_later(built: Built) -> None:
    """Once nobody asks the old plugins any more."""
    await asyncio.sleep(2 * built.timeouts_s)
    await _end(built)
