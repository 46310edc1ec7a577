"""CertificateApproval, CertificateSigning, ClusterTrustBundleAttest and CertificateSubjectRestriction: who may approve
and sign for a signer and publish its trust anchors, and what nobody can ask a signer of the API server's clients for.

Source: plugin/pkg/admission/certificates/{approval,signing,ctbattest,subjectrestriction,util.go}.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.admission import collected
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


class ClusterTrustBundleAttest:
    """Nobody needs leave to change what the garbage collector changes, or nothing at all."""

    def __init__(self, may: MayAsSigner) -> None:
        self._may = may

    def validate(self, attributes: Attributes) -> None:
        obj, old = attributes.obj, attributes.old
        if attributes.operation not in (CREATE, UPDATE) or obj is None:
            return
        signer = (obj.get("spec") or {}).get("signerName") or ""
        if not signer or (attributes.operation == UPDATE and old is not None and collected.changes_alone(obj, old)):
            return
        if not _may_as_signer(attributes.user, self._may, "attest", signer):
            raise forbidden(attributes, f"user not permitted to attest for signerName {gofmt.quote(signer)}")


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
    if not _may_as_signer(attributes.user, may, verb, signer):
        text = f"user not permitted to {verb} requests with signerName {gofmt.quote(signer)}"
        raise forbidden(attributes, text)


def _may_as_signer(user: User, may: MayAsSigner, verb: str, signer: str) -> bool:
    """As the signer itself, or as all of its domain."""
    domain = signer.partition("/")[0]
    return may(user, verb, signer) or may(user, verb, f"{domain}/*")
