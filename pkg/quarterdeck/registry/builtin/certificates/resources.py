"""The resources of certificates.k8s.io. Requests are kept; who signs them is a controller of its own."""

from __future__ import annotations

from typing import Final

from quarterdeck.apis.resource import SUBRESOURCE_VERBS, GroupVersionKind, Subresource
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.strategy import Object

GROUP: Final = "certificates.k8s.io"
_KIND: Final = "CertificateSigningRequest"


def definitions() -> list[Definition]:
    approval = Subresource("approval", GroupVersionKind(GROUP, "v1", _KIND), SUBRESOURCE_VERBS)
    return [
        later(
            describe(
                GROUP,
                "certificatesigningrequests",
                "CertificateSigningRequest",
                namespaced=False,
                has_status=True,
                more=(approval,),
                short_names=("csr",),
            ),
            _load_certificate_signing_request,
            selectable=("spec.signerName",),
        )
    ]


def _select_fields(obj: Object) -> dict[str, str]:
    return {"spec.signerName": obj["spec"].get("signerName", "")}


def _load_certificate_signing_request() -> Behaviour:
    from quarterdeck.registry.builtin.certificates.strategy import (
        ApprovalStrategy,
        RequestStatusStrategy,
        RequestStrategy,
    )

    return Behaviour(
        RequestStrategy(),
        {"status": RequestStatusStrategy(), "approval": ApprovalStrategy()},
        select_fields=_select_fields,
    )
