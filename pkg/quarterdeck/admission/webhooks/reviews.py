"""What a webhook is asked, as JSON in the order of the Go types, and what it may answer.

Source: apiserver/pkg/admission/plugin/webhook/request/admissionreview.go, errors/statuserror.go;
api/admission/{v1,v1beta1}/types.go.
"""

from __future__ import annotations

import base64
from typing import Any, Final, NamedTuple

from quarterdeck.admission.matching import Matched
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.webhook import review
from quarterdeck.webhook.client import WebhookFailed

Object = dict[str, Any]
GROUP: Final = "admission.k8s.io"
_CODE_MAX: Final = 999
_JSON_PATCH: Final = "JSONPatch"


class Verdict(NamedTuple):
    """`patch` is the text of what should be a JSON patch, b"" for none; `status` what a refusal says."""

    is_allowed: bool
    patch: bytes
    warnings: list[str]
    annotations: dict[str, str]
    status: Object | None
    patch_type: str = _JSON_PATCH

    def check_patch_type(self) -> None:
        """Raises WebhookFailed where nobody knows how to apply the patch."""
        if self.patch_type != _JSON_PATCH:
            raise WebhookFailed(f"unsupported patch type {gofmt.quote(self.patch_type)}")


class Denied(APIStatus):
    """A webhook's own refusal, as it is told to the client."""

    def __init__(self, status: Object) -> None:
        super().__init__(status["message"], status.get("details"))
        self._status = status

    @property
    def http_code(self) -> int:
        return int(self._status["code"])

    def to_status(self) -> dict[str, object]:
        return self._status


def describe_request(seen: VersionedAttributes, matched: Matched) -> Object:
    """The request without its uid and objects: as reviews hold it, and as match conditions know it."""
    attributes = seen.attributes
    resource = attributes.resource
    request: Object = {
        "kind": _show_kind(matched.kind),
        "resource": {"group": matched.group, "version": matched.version, "resource": matched.resource},
    }
    if attributes.subresource:
        request["subResource"] = attributes.subresource
    request["requestKind"] = _show_kind(attributes.kind)
    request["requestResource"] = {"group": resource.group, "version": resource.version, "resource": resource.name}
    if attributes.subresource:
        request["requestSubResource"] = attributes.subresource
    if attributes.name:
        request["name"] = attributes.name
    if attributes.namespace:
        request["namespace"] = attributes.namespace
    request["operation"] = attributes.operation
    request["userInfo"] = attributes.user.to_user_info()
    return request


def build_review(version: str, uid: str, seen: VersionedAttributes, matched: Matched) -> bytes:
    attributes = seen.attributes
    request = {
        "uid": uid,
        **describe_request(seen, matched),
        "object": seen.obj,
        "oldObject": seen.old,
        "dryRun": attributes.dry_run,
        "options": attributes.options.describe(attributes.operation),
    }
    return json.encode({"kind": "AdmissionReview", "apiVersion": f"{GROUP}/{version}", "request": request})


def _show_kind(kind: GroupVersionKind) -> Object:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def read_answer(data: bytes, version: str, uid: str, *, is_mutating: bool) -> Verdict:
    """Raises WebhookFailed, with all that upstream says of the failure."""
    try:
        answer = review.decode(data, GROUP, version, review.ADMISSION[version])
    except WebhookFailed as failure:
        raise WebhookFailed(f"failed to call webhook: {failure.text}") from failure
    problem = _find_problem(answer, version, uid, is_mutating=is_mutating)
    if problem:
        raise WebhookFailed(f"received invalid webhook response: {problem}")
    response = answer["response"]
    patch = base64.b64decode(response.get("patch") or "") if is_mutating else b""
    return Verdict(
        response["allowed"],
        patch,
        response.get("warnings") or [],
        response.get("auditAnnotations") or {},
        response.get("status"),
        response["patchType"] if patch and version == "v1" else _JSON_PATCH,
    )


def _find_problem(answer: Object, version: str, uid: str, *, is_mutating: bool) -> str:
    """Upstream's VerifyAdmissionResponse. Of v1beta1 next to nothing is asked."""
    response = answer.get("response")
    if response is None:
        return "webhook response was absent"
    if version == "v1beta1":
        return ""
    if response["uid"] != uid:
        return f"expected response.uid={gofmt.quote(uid)}, got {gofmt.quote(response['uid'])}"
    found = answer.get("apiVersion") or "/", answer.get("kind") or ""
    wanted = f"{GROUP}/v1", "AdmissionReview"
    if found != wanted:
        return f"expected webhook response of {_show_found(*wanted)}, got {_show_found(*found)}"
    return _find_patch_problem(response, is_mutating=is_mutating)


def _show_found(api_version: str, kind: str) -> str:
    return f"{api_version}, Kind={kind}"


def _find_patch_problem(response: Object, *, is_mutating: bool) -> str:
    patch, kind = response.get("patch"), response.get("patchType")
    if not is_mutating:
        if patch:
            return "validating webhook may not return response.patch"
        return "" if kind is None else "validating webhook may not return response.patchType"
    if patch and kind is None:
        return "webhook returned response.patch but not response.patchType"
    if not patch and kind is not None:
        return "webhook returned response.patchType but not response.patch"
    return 'webhook returned invalid response.patchType of ""' if kind == "" else ""


def build_denial(name: str, status: Object | None) -> Denied:
    """Upstream's ToStatusErr."""
    status = status or {}
    by = f"admission webhook {gofmt.quote(name)} denied the request"
    told = status.get("message") or status.get("reason")
    code = status.get("code") or 0
    shown: Object = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": status.get("metadata") or {},
        "status": status.get("status") if status.get("status") not in (None, "", "Success") else "Failure",
        "message": f"{by}: {told}" if told else f"{by} without explanation",
    }
    if status.get("reason"):
        shown["reason"] = status["reason"]
    if status.get("details") is not None:
        shown["details"] = status["details"]
    # Differs from upstream: a code that HTTP does not have makes its server panic.
    shown["code"] = 400 if code < 400 else 500 if code > _CODE_MAX else code
    return Denied(shown)
