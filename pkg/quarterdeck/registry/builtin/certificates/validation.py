"""What is wrong with a certificate request, whichever way it was written.

Source: pkg/apis/certificates/validation/validation.go, pkg/apis/core/validation (ValidateSignerName).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import certificaterequest, field, gofmt, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.strategy import Object

APPROVED: Final = "Approved"
DENIED: Final = "Denied"
FAILED: Final = "Failed"
_find_fault: Final = certificaterequest.find_fault_of_certificates
_LEGACY_SIGNER: Final = "kubernetes.io/legacy-unknown"
_SECONDS_MIN: Final = 600
_DOMAIN_BYTES_MAX: Final = 253
_SIGNER_BYTES_MAX: Final = 253 + 253 + 63 + 2
_TRUE: Final = ("True",)
_STATUSES: Final = ("False", "True", "Unknown")
_USAGES: Final = (
    *("any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment"),
    *("decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel"),
    *("ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime"),
    *("server auth", "signing", "timestamping"),
)


class Tolerated(NamedTuple):
    """What an object may be since it is already: faults that no update has brought."""

    both_decisions: bool = False
    repeated_conditions: bool = False
    unnamed_conditions: bool = False
    any_certificate: bool = False
    repeated_usages: bool = False
    unknown_usages: bool = False
    legacy_signer: bool = False

    @classmethod
    def of(cls, new: Object, old: Object) -> Tolerated:
        spec, status = old.get("spec") or {}, old.get("status") or {}
        usages = spec.get("usages") or []
        kinds = [each.get("type", "") for each in status.get("conditions") or ()]
        certificate = status.get("certificate") or ""
        return cls(
            both_decisions=APPROVED in kinds and DENIED in kinds,
            repeated_conditions=len(set(kinds)) < len(kinds),
            unnamed_conditions="" in kinds,
            any_certificate=(new.get("status") or {}).get("certificate", "") == certificate
            or bool(certificate and _find_fault(certificate)),
            repeated_usages=len(set(usages)) < len(usages),
            unknown_usages=any(usage not in _USAGES for usage in usages),
            legacy_signer=spec.get("signerName", "") == _LEGACY_SIGNER,
        )


def check(obj: Object, tolerated: Tolerated) -> list[FieldError]:
    spec, status = obj["spec"], obj.get("status") or {}
    problems: list[FieldError] = []
    request = spec.get("request")
    if fault := certificaterequest.find_fault(request or ""):
        problems.append(field.invalid("spec.request", request, fault))
    problems += _check_usages(spec.get("usages") or [], tolerated)
    signer = spec.get("signerName", "")
    if signer == _LEGACY_SIGNER and not tolerated.legacy_signer:
        text = "the legacy signerName is not allowed via this API version"
        problems.append(field.invalid("spec.signerName", signer, text))
    else:
        problems += check_signer_name("spec.signerName", signer)
    seconds = spec.get("expirationSeconds")
    if seconds is not None and seconds < _SECONDS_MIN:
        text = "may not specify a duration less than 600 seconds (10 minutes)"
        problems.append(field.invalid("spec.expirationSeconds", seconds, text))
    problems += _check_conditions(status.get("conditions") or [], tolerated)
    certificate = status.get("certificate")
    fault = "" if tolerated.any_certificate or not certificate else _find_fault(certificate)
    return problems + ([field.invalid("status.certificate", "<certificate data>", fault)] if fault else [])


def _check_usages(usages: list[str], tolerated: Tolerated) -> list[FieldError]:
    path = "spec.usages"
    problems = [] if usages else [field.required(path, "")]
    if not tolerated.unknown_usages:
        for position, usage in enumerate(usages):
            problems += checks.one_of(field.index(path, position), usage, _USAGES)
    seen: set[str] = set()
    for position, usage in enumerate(usages):
        if usage in seen and not tolerated.repeated_usages:
            problems.append(field.duplicate(field.index(path, position), field.named(usage)))
        seen.add(usage)
    return problems


def _check_conditions(conditions: Iterable[dict[str, Any]], tolerated: Tolerated) -> list[FieldError]:
    path = "status.conditions"
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, condition in enumerate(conditions):
        place, kind, status = field.index(path, position), condition.get("type", ""), condition.get("status", "")
        if not kind and not tolerated.unnamed_conditions:
            problems.append(field.required(f"{place}.type", ""))
        allowed = _TRUE if kind in (APPROVED, DENIED, FAILED) else _STATUSES
        if not status:
            problems.append(field.required(f"{place}.status", ""))
        elif status not in allowed:
            problems.append(field.not_among(f"{place}.status", status, list(allowed)))
        other = {APPROVED: DENIED, DENIED: APPROVED}.get(kind)
        if other in seen and not tolerated.both_decisions:
            text = "Approved and Denied conditions are mutually exclusive"
            problems.append(field.invalid(path, field.named(kind), text))
        if kind in seen and not tolerated.repeated_conditions:
            problems.append(field.duplicate(f"{place}.type", field.named(kind)))
        seen.add(kind)
    return problems


def check_signer_name(path: str, name: str) -> list[FieldError]:
    if not name:
        return [field.required(path, "")]
    segments = name.split("/")
    if len(segments) != 2:
        text = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        return [field.invalid(path, name, text)]
    domain, rest = segments
    problems: list[FieldError] = []
    if len(domain.encode()) > _DOMAIN_BYTES_MAX:
        problems.append(field.too_long(path, _DOMAIN_BYTES_MAX))
    labels = domain.split(".")
    problems += _check_labels(path, domain, labels, names.dns1123_label)
    if len(labels) < 2:
        text = "should be a domain with at least two segments separated by dots"
        problems.append(field.invalid(path, domain, text))
    problems += _check_labels(path, rest, rest.split("."), names.dns1123_subdomain)
    if len(name.encode()) > _SIGNER_BYTES_MAX:
        problems.append(field.too_long(path, _SIGNER_BYTES_MAX))
    return problems


def _check_labels(path: str, whole: str, labels: list[str], check: Any) -> list[FieldError]:
    """Those of the first bad one: of the others much the same would be told."""
    for label in labels:
        if texts := check(label):
            return [field.invalid(path, whole, f"validating label {gofmt.quote(label)}: {text}") for text in texts]
    return []
