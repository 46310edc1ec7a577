"""Deletes signing requests that have served their time: long decided, long undecided, or of certificates that ended.

Source: pkg/controller/certificates/cleaner/cleaner.go.
"""

from __future__ import annotations

import base64
from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.controllers.optional.context import ControllerContext, read
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.strategy import Object

INTERVAL_S: Final = 3600.0
DECIDED_S: Final = 3600.0
PENDING_S: Final = 24 * 3600.0
_ALL: Final = "requests"


class CSRCleaner:
    def __init__(self, context: ControllerContext) -> None:
        self._requests = context.scope("certificates.k8s.io", "certificatesigningrequests")
        self._clock = context.time()
        self._identity = context.identity_of("certificate-controller")
        self.controller = Controller("csr_cleaner", self.sync, clock=context.clock)

    def take_up(self) -> None:
        self.controller.add(_ALL)

    async def sync(self, key: str) -> None:
        try:
            for entry in list(self._requests.store.cache.state.all()):
                if is_done(read(entry), self._clock.wall_s()):
                    with suppress(errors.NotFound):
                        await self._identity.delete(self._requests, "", entry.name, Options())
        finally:
            self.controller.add_after(key, INTERVAL_S)


def is_done(request: Object, now_s: float) -> bool:
    """Whether a request may go at `now_s`, in seconds since 1970."""
    status = request.get("status") or {}
    conditions = status.get("conditions") or ()
    certificate = status.get("certificate")
    if not conditions:
        return _age_s(request["metadata"].get("creationTimestamp"), now_s) > PENDING_S
    if certificate and _has_ended(certificate, now_s):
        return True
    return any(_is_long_decided(each, bool(certificate), now_s) for each in conditions)


def _is_long_decided(condition: dict[str, Any], is_issued: bool, now_s: float) -> bool:
    kind = condition.get("type")
    counts = kind in ("Denied", "Failed") or (kind == "Approved" and is_issued)
    return counts and _age_s(condition.get("lastUpdateTime"), now_s) > DECIDED_S


def _age_s(time: str | None, now_s: float) -> float:
    """0 for what has no time."""
    time_s = parse_rfc3339(time or "")
    return 0.0 if time_s is None else now_s - time_s


def _has_ended(certificate: str, now_s: float) -> bool:
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificate(base64.b64decode(certificate))
    except ValueError:
        return False
    return found.not_valid_after_utc.timestamp() < now_s
