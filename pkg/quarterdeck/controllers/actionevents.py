"""Events with an action, as client-go's newer recorder writes them: in events.k8s.io, by a controller of the server.

An event is an aid and nothing more: one that cannot be stored is none, and what was told is not told again.
Source: client-go/tools/events/event_recorder.go (makeEvent).
"""

from __future__ import annotations

import logging
import platform
from typing import Final

from quarterdeck.apimachinery import clock, errors
from quarterdeck.apimachinery.time import format_micro
from quarterdeck.controllers import ownwrites
from quarterdeck.registry.identity import UNADMITTED
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object

_REMEMBERED_MAX: Final = 4096
_LOG: Final = logging.getLogger(__name__)


class ActionEvents:
    """`events` is the scope of events.k8s.io; `component` who reports."""

    def __init__(self, events: Scope, component: str) -> None:
        self.identity = UNADMITTED
        self._events = events
        self._component = component
        self._told: dict[tuple[str, str, str], None] = {}

    async def warn(self, regarding: Object, reason: str, action: str, note: str) -> None:
        """Of a stored object, which tells its kind."""
        metadata = regarding["metadata"]
        key = (metadata.get("uid", ""), reason, note)
        if key in self._told:
            return
        self._told[key] = None
        if len(self._told) > _REMEMBERED_MAX:
            del self._told[next(iter(self._told))]
        reference = {"apiVersion": regarding["apiVersion"], "kind": regarding["kind"]}
        reference |= {name: metadata[name] for name in ("namespace", "name", "uid") if metadata.get(name)}
        event = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {
                "name": f"{metadata['name']}.{clock.unique_ns():x}",
                "namespace": metadata.get("namespace") or "default",
            },
            "eventTime": format_micro(clock.wall_s()),
            "reportingController": self._component,
            "reportingInstance": f"{self._component}-{platform.node()}"[:128],
            "action": action,
            "reason": reason,
            "regarding": reference,
            "note": note,
            "type": "Warning",
        }
        try:
            await ownwrites.create(self.identity, self._events, event)
        except errors.APIStatus as error:
            _LOG.warning("event %s of %s is lost: %s", reason, metadata["name"], error)
