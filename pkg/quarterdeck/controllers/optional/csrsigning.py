"""Issues the certificates of approved signing requests, for the signers that Kubernetes itself has.

A request that its signer does not take is marked as failed.
Source: pkg/controller/certificates/{certificate_controller,certificate_controller_utils}.go, signer/signer.go.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional import issuing
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow_names
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.strategy import Object

DURATION_S: Final = 365 * 24 * 3600
DURATION_MIN_S: Final = 600


class CSRSigningController:
    def __init__(self, context: ControllerContext) -> None:
        self._requests = context.scope("certificates.k8s.io", "certificatesigningrequests")
        self._status = context.scope("certificates.k8s.io", "certificatesigningrequests", "status")
        self._identity = context.identity_of("certificate-controller")
        assert context.dependencies.load_authority is not None
        self._load_authority = context.dependencies.load_authority
        self._wall_s = context.dependencies.tls_wall_s
        self.controller = Controller("certificate", self.sync, clock=context.clock, retry_first_s=issuing.RETRY_FIRST_S)

    def take_up(self) -> None:
        follow_names(self._requests, self.controller)

    async def sync(self, name: str) -> None:
        found = find(self._requests, "", name)
        if found is None or found["spec"]["signerName"] not in issuing.SIGNERS or not _is_waiting(found):
            return
        spec = found["spec"]
        request = base64.b64decode(spec["request"])
        try:
            issuing.check(spec["signerName"], request, spec.get("usages") or [])
        except issuing.NotTaken as error:
            await self._change(name, _fail(str(error)))
            return
        duration_s = max(DURATION_MIN_S, min(spec.get("expirationSeconds") or DURATION_S, DURATION_S))
        authority = self._load_authority()
        certificate = issuing.issue(request, spec.get("usages") or [], duration_s, self._wall_s(), authority)
        await self._change(name, _give(base64.b64encode(certificate).decode()))

    async def _change(self, name: str, change: Callable[[Object], Object]) -> None:
        with suppress(errors.NotFound):
            await ownwrites.update(self._identity, self._status, "", name, change, MANAGER)


def _is_waiting(request: Object) -> bool:
    status = request.get("status") or {}
    true = {each["type"] for each in status.get("conditions") or () if each.get("status", "True") == "True"}
    return "Approved" in true and not true & {"Denied", "Failed"} and not status.get("certificate")


def _give(certificate: str) -> Callable[[Object], Object]:
    def change(live: Object) -> Object:
        return {**live, "status": {**live["status"], "certificate": certificate}} if _is_waiting(live) else live

    return change


def _fail(message: str) -> Callable[[Object], Object]:
    def change(live: Object) -> Object:
        status: dict[str, Any] = live["status"]
        now = clock.now()
        condition = {
            "type": "Failed",
            "status": "True",
            "reason": "SignerValidationFailure",
            "message": message,
            "lastUpdateTime": now,
            "lastTransitionTime": now,
        }
        return {**live, "status": {**status, "conditions": [*(status.get("conditions") or ()), condition]}}

    return change
