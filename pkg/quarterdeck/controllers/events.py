"""Events that controllers report of objects, as client-go's recorder writes them.

An event is an aid and nothing more: where its namespace is gone or going, or it cannot be stored, there is none.
Source: client-go/tools/record/event.go (makeEvent), events_cache.go (one event is not told again and again).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import clock, errors
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope

logger = logging.getLogger(__name__)

MANAGER: Final = "kube-controller-manager"
_REMEMBERED_MAX: Final = 4096  # upstream: maxLruCacheEntries
_DEFAULT_NAMESPACE: Final = "default"


class ObjectWarning(NamedTuple):
    """`involved`: apiVersion, kind, namespace, name and uid of the object; empty ones are left out."""

    component: str
    involved: Mapping[str, str]
    reason: str
    message: str


class EventRecorder:
    def __init__(self, events: Scope, namespaces: Scope) -> None:
        self.identity = UNADMITTED
        self._events = events
        self._namespaces = namespaces
        self._told: dict[tuple[str, str, str], None] = {}

    async def warn(self, warning: ObjectWarning) -> None:
        """Report a warning of an object, once for the same text."""
        involved = {name: text for name, text in warning.involved.items() if text}
        key = (involved.get("uid", ""), warning.reason, warning.message)
        namespace = involved.get("namespace") or _DEFAULT_NAMESPACE
        if key in self._told or not self._takes_events(namespace):
            return
        self._told[key] = None
        if len(self._told) > _REMEMBERED_MAX:
            del self._told[next(iter(self._told))]
        event = _build(warning, involved, namespace)
        scope = self._events
        scope.codec.normalize(event, report_unknown=False)
        scope.own(None, event, MANAGER)
        try:
            await self.identity.create(scope, event)
        except errors.APIStatus as error:
            logger.warning("event %s of %s/%s is lost: %s", warning.reason, namespace, involved.get("name"), error)

    def _takes_events(self, namespace: str) -> bool:
        entry = self._namespaces.store.cache.get("", namespace)
        return entry is not None and b'"deletionTimestamp":' not in entry.data


def _build(warning: ObjectWarning, involved: dict[str, str], namespace: str) -> dict[str, Any]:
    now = clock.now()
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{involved['name']}.{clock.unique_ns():x}", "namespace": namespace},
        "involvedObject": involved,
        "reason": warning.reason,
        "message": warning.message,
        "source": {"component": warning.component},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "type": "Warning",
        "reportingComponent": warning.component,
    }
