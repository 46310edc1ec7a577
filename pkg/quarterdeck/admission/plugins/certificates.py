"""CertificateApproval, CertificateSigning and CertificateSubjectRestriction: who may approve and sign for a signer, and
what nobody can ask a signer of the API server's clients for.

Source: plugin/pkg/admission/certificates/{approval,signing,subjectrestriction,util.go}.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import certificaterequest, gofmt
from quarterdeck.apimachinery.user import SYSTEM_MASTERS, User

_CLIENT_SIGNER: Final = "kubernetes.io/kube-apiserver-client"

# Whether a user may do (a verb) something as a signer (by its name).
MayAsSigner = Callable[[User, str, str], bool]


class CertificateApproval:
    def __init__(self, may: MayAsSigner) -> None:
        self._may = may

    def validate(self, attributes: Attributes) -> None:
        if attributes.operation == UPDATE and attributes.subresource == "approval":
            _check(attributes, self._may, "approve")


class CertificateSigning:
    def __init__(self, may: MayAsSigner) -> None:
        self._may = may

    def validate(self, attributes: Attributes) -> None:
        if attributes.operation != UPDATE or attributes.subresource != "status":
            return
        assert attributes.obj is not None
        assert attributes.old is not None
        new, old = (each.get("status") or {} for each in (attributes.obj, attributes.old))
        if any(new.get(name) != old.get(name) for name in ("certificate", "conditions")):
            _check(attributes, self._may, "sign")


class CertificateSubjectRestriction:
    def validate(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if attributes.operation != CREATE or attributes.subresource or obj is None:
            return
        spec = obj["spec"]
        if spec.get("signerName") != _CLIENT_SIGNER:
            return
        if SYSTEM_MASTERS in certificaterequest.organizations(spec.get("request") or ""):
            text = f"use of {_CLIENT_SIGNER} signer with {SYSTEM_MASTERS} group is not allowed"
            raise forbidden(attributes, text)


def _check(attributes: Attributes, may: MayAsSigner, verb: str) -> None:
    """The old object's signer counts: a new one is not taken anyway."""
    assert attributes.old is not None
    signer = (attributes.old.get("spec") or {}).get("signerName") or ""
    domain = signer.partition("/")[0]
    if not (may(attributes.user, verb, signer) or may(attributes.user, verb, f"{domain}/*")):
        text = f"user not permitted to {verb} requests with signerName {gofmt.quote(signer)}"
        raise forbidden(attributes, text)
