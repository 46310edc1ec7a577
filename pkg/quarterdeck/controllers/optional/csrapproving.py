"""Approves the requests of nodes for client certificates, where who asks may: for the node that they are, or for one.

Source: pkg/controller/certificates/approver/sarapprove.go.
"""

from __future__ import annotations

import base64
from contextlib import suppress
from functools import partial
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors, questions
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional import issuing
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow_names
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.strategy import Object

_OWN: Final = "selfnodeclient"
_ANY: Final = "nodeclient"
_MESSAGES: Final = {
    _OWN: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    _ANY: "Auto approving kubelet client certificate after SubjectAccessReview.",
}


class NotApproved(Exception):
    """Who asks may not have it yet; the text is upstream's."""


class CSRApprovingController:
    def __init__(self, context: ControllerContext) -> None:
        self._requests = context.scope("certificates.k8s.io", "certificatesigningrequests")
        self._approval = context.scope("certificates.k8s.io", "certificatesigningrequests", "approval")
        self._identity = context.identity_of("certificate-controller")
        assert context.dependencies.allows is not None
        self._allows = context.dependencies.allows
        self.controller = Controller(
            "csrapproving", self.sync, clock=context.clock, retry_first_s=issuing.RETRY_FIRST_S
        )

    def take_up(self) -> None:
        follow_names(self._requests, self.controller)

    async def sync(self, name: str) -> None:
        """Raises NotApproved: rights may come later."""
        found = find(self._requests, "", name)
        if found is None or _is_decided(found):
            return
        wanted = _recognize(found)
        for subresource in wanted:
            if await self._may(found["spec"], subresource):
                with suppress(errors.NotFound):
                    change = partial(_approve, message=_MESSAGES[subresource])
                    await ownwrites.update(self._identity, self._approval, "", name, change, MANAGER)
                return
        if wanted:
            tried = " ".join(wanted)
            raise NotApproved(f'recognized csr "{name}" as [{tried}] but subject access review was not approved')

    async def _may(self, spec: Object, subresource: str) -> bool:
        extra = {name: tuple(values) for name, values in (spec.get("extra") or {}).items()}
        user = User(spec.get("username", ""), spec.get("uid", ""), tuple(spec.get("groups") or ()), extra)
        attributes = Attributes("create", "certificates.k8s.io", "*", "certificatesigningrequests", subresource)
        return await questions.settle(partial(self._allows, user, attributes))


def _is_decided(request: Object) -> bool:
    status = request.get("status") or {}
    return bool(status.get("certificate")) or any(
        each.get("type") in ("Approved", "Denied") for each in status.get("conditions") or ()
    )


def _recognize(request: Object) -> list[str]:
    """What of a request is looked for among the rights of who asks; nothing where it is not a node's."""
    spec = request["spec"]
    if spec["signerName"] != issuing.KUBELET_CLIENT:
        return []
    try:
        name = issuing.check(issuing.KUBELET_CLIENT, base64.b64decode(spec["request"]), spec.get("usages") or [])
    except issuing.NotTaken:
        return []
    return [_OWN, _ANY] if spec.get("username") == name else [_ANY]


def _approve(live: Object, message: str) -> Object:
    if _is_decided(live):
        return live
    status: dict[str, Any] = live.get("status") or {}
    now = clock.now()
    condition = {
        "type": "Approved",
        "status": "True",
        "reason": "AutoApproved",
        "message": message,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
    }
    return {**live, "status": {**status, "conditions": [*(status.get("conditions") or ()), condition]}}
