"""How a refusal by policies is told.

Source: apiserver/pkg/admission/errors.go, plugin/policy/validating/{dispatcher,policy_decision}.go,
plugin/policy/generic/policy_dispatcher.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors

_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_INVALID_CODE: Final = 422


class Denied(errors.APIStatus):
    """A refusal whose code and reason are the policy's."""

    def __init__(self, message: str, details: dict[str, Any], code: int, reason: str) -> None:
        super().__init__(message, details)
        self._code = code
        self._reason = reason

    @property
    def http_code(self) -> int:
        return self._code

    def to_status(self) -> dict[str, object]:
        status = super().to_status()
        code = status.pop("code")
        return {**status, "reason": self._reason, "code": code}


def deny_validation(attributes: Attributes, text: str, reason: str) -> Denied:
    found = forbidden(attributes, text)
    return Denied(found.message, _with_causes(found, [text]), _CODES.get(reason, _INVALID_CODE), reason)


def deny_mutation(attributes: Attributes, texts: list[str], reason: str) -> Denied:
    """The first text is told; `reason` is its own, "" for Forbidden."""
    found = forbidden(attributes, texts[0])
    return Denied(texts[0], _with_causes(found, texts), 403, reason or "Forbidden")


def _with_causes(found: errors.Forbidden, texts: list[str]) -> dict[str, Any]:
    return {**(found.details or {}), "causes": [{"message": text} for text in texts]}
