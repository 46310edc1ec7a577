"""The approval annotation of definitions in Kubernetes' own groups (KEP-1111).

Source: apiextensions-apiserver/pkg/apihelpers/helpers.go (GetAPIApprovalState).
"""

from __future__ import annotations

from quarterdeck.apimachinery import gofmt, gourl

ANNOTATION = "api-approved.kubernetes.io"


def is_protected_group(group: str) -> bool:
    return group in ("k8s.io", "kubernetes.io") or group.endswith((".k8s.io", ".kubernetes.io"))


def approval_state(value: str) -> tuple[str, str]:
    """(reason, text) for the value of the annotation."""
    if not value:
        return (
            "missing",
            f'protected groups must have approval annotation "{ANNOTATION}", see https://github.com/kubernetes/enhancements/pull/1111',
        )
    if value.startswith("unapproved"):
        return "bypassed", f"not approved: {gofmt.quote(value)}"
    if _is_url(value):
        return "approved", f"approved in {value}"
    return (
        "invalid",
        f'protected groups must have approval annotation "{ANNOTATION}" with either a URL or a reason starting with '
        f'"unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    )


def _is_url(value: str) -> bool:
    try:
        url = gourl.parse_request_uri(value)
    except gourl.URLError:
        return False
    return bool(url.scheme and url.host)
