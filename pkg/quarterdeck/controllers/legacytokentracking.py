"""Keeps the ConfigMap with the day since which the uses of service accounts' old tokens (those of secrets) are noted.

Made when the first server starts; made again after somebody deleted it, but not more than once in half an hour; set
right if what it holds is no day.

Source: pkg/controlplane/controller/legacytokentracking/controller.go.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import format_rfc3339
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.workqueue import Clock, Controller, LoopClock
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change

NAMESPACE: Final = "kube-system"
NAME: Final = "kube-apiserver-legacy-service-account-token-tracking"
KEY: Final = "since"
CREATION_INTERVAL_S: Final = 30 * 60.0

_PATH: Final = f"{NAMESPACE}/{NAME}"
_DAY: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)


class LegacyTokenTrackingController:
    """`config_maps` is the scope of ConfigMaps."""

    def __init__(self, config_maps: Scope, clock: Clock | None = None) -> None:
        self.identity = UNADMITTED
        self._config_maps = config_maps
        self._clock: Clock = clock or LoopClock()
        self._next_creation_s = 0.0
        self.controller = Controller("legacy-token-tracking", self.sync, clock=clock)

    def take_up(self) -> None:
        self._config_maps.store.cache.listeners.append(self._on_config_map)
        self.controller.add(_PATH)

    def _on_config_map(self, change: Change) -> None:
        entry = change.entry or change.old
        if entry is not None and entry.path == _PATH:
            self.controller.add(_PATH)

    async def sync(self, _path: str) -> None:
        entry = self._config_maps.store.cache.get(NAMESPACE, NAME)
        if entry is None:
            await self._create()
        elif not is_day(_since(json_codec.load(entry.data))):
            with suppress(errors.NotFound, errors.Conflict):
                await ownwrites.update(self.identity, self._config_maps, NAMESPACE, NAME, self._correct)

    async def _create(self) -> None:
        now_s = self._clock.now_s()
        if now_s < self._next_creation_s:
            self.controller.add_after(_PATH, self._next_creation_s - now_s)
            return
        obj = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": NAME, "namespace": NAMESPACE},
            "data": {KEY: self._today()},
        }
        with suppress(errors.AlreadyExists):
            await ownwrites.create(self.identity, self._config_maps, obj)
        self._next_creation_s = now_s + CREATION_INTERVAL_S

    def _correct(self, live: Object) -> Object:
        if is_day(_since(live)):
            return live
        return {**live, "data": {**(live.get("data") or {}), KEY: self._today()}}

    def _today(self) -> str:
        return format_rfc3339(self._clock.wall_s())[:10]


def is_day(text: str) -> bool:
    """Whether Go's time.Parse reads it by the layout 2006-01-02."""
    match = _DAY.fullmatch(text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    try:
        date(year or 2000, month, day)  # the year 0 is a leap year too
    except ValueError:
        return False
    return True


def _since(config_map: Object) -> str:
    return str((config_map.get("data") or {}).get(KEY, ""))
