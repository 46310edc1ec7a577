"""The one hierarchy of errors that a client can see: a leaf for each Kubernetes reason, the exact upstream message.

Handlers raise these; only the outermost filter turns them into bytes. Storage errors never reach a client: they are
translated in registry/errors.py. Source: apimachinery/pkg/api/errors/errors.go, apis/meta/v1/types.go (StatusReason).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from quarterdeck.apimachinery import field, gofmt

Details = dict[str, object]


_KEYS_TOLD_MAX: Final = 100


def qualify(name: str, group: str) -> str:
    """`name.group`, or `name` for the core group (upstream: GroupResource.String, GroupKind.String)."""
    return f"{name}.{group}" if group else name


def aggregate(texts: Sequence[str]) -> str:
    """Several errors as one text, each once (upstream: utilerrors.NewAggregate)."""
    told = list(dict.fromkeys(texts))
    return f"[{', '.join(told)}]" if len(told) > 1 else "".join(told)


class APIStatus(Exception):
    """An answer of kind Status. `code` and `reason` are fixed by the leaf, texts and details by the instance.
    `nosniff`: a browser that shows it is told not to guess what it is."""

    code: ClassVar[int] = 500
    reason: ClassVar[str] = ""
    nosniff = False

    def __init__(self, message: str, details: Details | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    @property
    def http_code(self) -> int:
        return self.code

    @property
    def retry_after_s(self) -> int | None:
        """The Retry-After header: clients repeat a request only where it stands (client-go rest/with_retry.go)."""
        seconds = (self.details or {}).get("retryAfterSeconds")
        return seconds if isinstance(seconds, int) else None

    def to_status(self) -> dict[str, object]:
        status: dict[str, object] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = self.details
        status["code"] = self.http_code
        return status


def is_not_found(error: APIStatus) -> bool:
    """Whether clients take it for an answer about something that is not there: by its reason, or by its code alone.
    Source: apimachinery/pkg/api/errors/errors.go (IsNotFound)."""
    reason = error.to_status().get("reason")
    return reason == "NotFound" or (not reason and error.http_code == NotFound.code)


class BadRequest(APIStatus):
    code, reason = 400, "BadRequest"


class Unauthorized(APIStatus):
    code, reason = 401, "Unauthorized"

    def __init__(self, message: str = "Unauthorized", details: Details | None = None) -> None:
        super().__init__(message, details)


class Forbidden(APIStatus):
    code, reason = 403, "Forbidden"

    @classmethod
    def of(cls, group: str, resource: str, name: str, detail: str) -> Forbidden:
        qualified = qualify(resource, group)
        subject = f"{qualified} {gofmt.quote(name)}" if name else qualified
        details: Details = {}
        if name:
            details["name"] = name
        if group:
            details["group"] = group
        if resource:
            details["kind"] = resource
        if not qualified:
            return cls(f"forbidden: {detail}", details)
        return cls(f"{subject} is forbidden: {detail}", details)


class NotFound(APIStatus):
    code, reason = 404, "NotFound"

    @classmethod
    def of(cls, group: str, resource: str, name: str) -> NotFound:
        return cls(f"{qualify(resource, group)} {gofmt.quote(name)} not found", _object_details(group, resource, name))

    @classmethod
    def generic(cls) -> NotFound:
        """A path that no resource answers, within a group that is served."""
        return cls("the server could not find the requested resource", {})


class MethodNotAllowed(APIStatus):
    code, reason = 405, "MethodNotAllowed"

    @classmethod
    def of(cls, group: str, resource: str, action: str) -> MethodNotAllowed:
        details: Details = {}
        if group:
            details["group"] = group
        details["kind"] = resource
        return cls(f"{action} is not supported on resources of kind {gofmt.quote(qualify(resource, group))}", details)


class NotAcceptable(APIStatus):
    code, reason = 406, "NotAcceptable"

    @classmethod
    def of(cls, media_types: list[str]) -> NotAcceptable:
        return cls("only the following media types are accepted: " + ", ".join(media_types))


class AlreadyExists(APIStatus):
    code, reason = 409, "AlreadyExists"

    @classmethod
    def of(cls, group: str, resource: str, name: str) -> AlreadyExists:
        message = f"{qualify(resource, group)} {gofmt.quote(name)} already exists"
        return cls(message, _object_details(group, resource, name))


class Conflict(APIStatus):
    code, reason = 409, "Conflict"

    @classmethod
    def of(cls, group: str, resource: str, name: str, detail: str) -> Conflict:
        message = f"Operation cannot be fulfilled on {qualify(resource, group)} {gofmt.quote(name)}: {detail}"
        return cls(message, _object_details(group, resource, name))

    @classmethod
    def modified(cls, group: str, resource: str, name: str) -> Conflict:
        """Optimistic locking failed."""
        detail = "the object has been modified; please apply your changes to the latest version and try again"
        return cls.of(group, resource, name, detail)


class ApplyConflict(APIStatus):
    """Server-side apply met fields of other managers; `causes` names each."""

    code, reason = 409, "Conflict"

    @classmethod
    def of(cls, message: str, causes: list[dict[str, str]]) -> ApplyConflict:
        return cls(message, {"causes": causes})


class Expired(APIStatus):
    code, reason = 410, "Expired"


class RequestEntityTooLarge(APIStatus):
    code, reason = 413, "RequestEntityTooLarge"

    @classmethod
    def of(cls, detail: str) -> RequestEntityTooLarge:
        return cls(f"Request entity too large: {detail}")


class UnsupportedMediaType(APIStatus):
    code, reason = 415, "UnsupportedMediaType"

    @classmethod
    def of(cls, media_types: list[str]) -> UnsupportedMediaType:
        return cls(
            "the body of the request was in an unknown format - accepted media types include: " + ", ".join(media_types)
        )


# Differs from upstream: an answer names no more causes. A body of 3 MiB can hold a hundred thousand bad texts in its
# metadata, each of which gives an explanation of some hundred characters, twice.
CAUSES_MAX: Final = 20_000


class Invalid(APIStatus):
    code, reason = 422, "Invalid"

    @classmethod
    def of(cls, group: str, kind: str, name: str, errors: list[field.FieldError]) -> Invalid:
        details: Details = {}
        if name:
            details["name"] = name
        if group:
            details["group"] = group
        if kind:
            details["kind"] = kind
        errors = errors[:CAUSES_MAX]
        if errors:
            details["causes"] = [error.to_cause() for error in errors]
        message = f"{qualify(kind, group)} {gofmt.quote(name)} is invalid"
        return cls(f"{message}: {field.aggregate_message(errors)}" if errors else message, details)


class GenericServerResponse(APIStatus):
    """422 of a patch that cannot be applied: the text says no more (upstream: NewGenericServerResponse)."""

    code, reason = 422, "Invalid"

    def __init__(self) -> None:
        super().__init__("the server rejected our request due to an error in our request", {})


class TooManyRequests(APIStatus):
    code, reason = 429, "TooManyRequests"


class InternalError(APIStatus):
    """A failure of the server itself. On a write it means: the outcome is unknown."""

    code, reason = 500, "InternalError"

    @classmethod
    def of(cls, detail: str) -> InternalError:
        return cls(f"Internal error occurred: {detail}", {"causes": [{"message": detail}]})


class StorageReadError(APIStatus):
    """Records of the store that belong to the answer cannot be read."""

    code, reason = 500, "StorageReadError"

    @classmethod
    def of(cls, group: str, resource: str, keys: list[str], reasons: list[str]) -> StorageReadError:
        """`reasons`: of each key."""
        shown = keys[:_KEYS_TOLD_MAX]
        message = f"failed to read one or more {qualify(resource, group)} from the storage: {', '.join(shown)}"
        causes = [{"message": reason, "field": key} for key, reason in zip(shown, reasons, strict=False)]
        group_told = {"group": group} if group else {}
        return cls(message, {**group_told, "kind": resource, "causes": causes})


class Unreasoned(APIStatus):
    """Upstream turns errors that it has no Status for into 500 with the bare text and no reason."""

    code, reason = 500, ""


class ServiceUnavailable(APIStatus):
    code, reason = 503, "ServiceUnavailable"


class Timeout(APIStatus):
    code, reason = 504, "Timeout"

    @classmethod
    def of(cls, message: str, retry_after_s: int) -> Timeout:
        return cls(f"Timeout: {message}", {"retryAfterSeconds": retry_after_s} if retry_after_s else {})

    @classmethod
    def resource_version_too_large(cls, revision: int, current: int, retry_after_s: int) -> Timeout:
        text = f"Too large resource version: {revision}, current: {current}"
        cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
        details: Details = {"causes": [cause]}
        if retry_after_s:
            details["retryAfterSeconds"] = retry_after_s
        return cls(f"Timeout: {text}", details)


def _object_details(group: str, resource: str, name: str) -> Details:
    details: Details = {"name": name} if name else {}
    if group:
        details["group"] = group
    details["kind"] = resource
    return details
