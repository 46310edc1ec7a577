"""The body of a request with a JSON patch: its operations, and what strict reading finds in them.

Source: apiserver/pkg/endpoints/handlers/patch.go (limits, decoding errors).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import strict
from quarterdeck.apimachinery.patch import written

OPERATIONS_MAX: Final = 10_000
_FIELDS: Final = ("op", "path", "from", "value")


@dataclass(frozen=True)  # with slots it would not be a compiled class
class Patch:
    """`strict_errors`: members that an operation does not have, and members given twice. `keeps_texts`: a `Written`
    stands for each scalar that Go would write otherwise. `repeats`: some member is given twice, told or not.
    `has_huge`: there may be numbers that no float64 holds, which are infinite."""

    operations: list[Any]
    strict_errors: list[str]
    keeps_texts: bool = False
    repeats: bool = False
    has_huge: bool = False


def decode(data: bytes, *, is_validated: bool = True) -> Patch:
    """A patch from a request body. `is_validated`: fieldValidation is Strict or Warn.

    Raises BadRequest, RequestEntityTooLarge.
    """
    prefix, list_type, item_type = "error decoding patch: ", "[]handlers.jsonPatchOp", "handlers.jsonPatchOp"
    if not is_validated:
        prefix, list_type, item_type = "", "jsonpatch.Patch", "jsonpatch.Operation"
    try:
        decoded = json_codec.decode(data, keeps_huge=True)
    except json_codec.DecodeError as error:
        raise errors.BadRequest(prefix + error.message) from error
    operations = [] if decoded.value is None else decoded.value
    if not isinstance(operations, list):
        raise errors.BadRequest(f"{prefix}{mismatch(operations, f'Go value of type {list_type}')}")
    for operation in operations:
        if operation is not None and not isinstance(operation, dict):
            raise errors.BadRequest(f"{prefix}{mismatch(operation, f'Go value of type {item_type}')}")
        if is_validated and operation:
            _check_texts(operation, prefix)
    if decoded.huge and is_validated:
        raise errors.BadRequest(prefix + json_codec.huge_number(decoded.huge, "struct field jsonPatchOp.value").message)
    if len(operations) > OPERATIONS_MAX:
        text = f"The allowed maximum operations in a JSON patch is {OPERATIONS_MAX}, got {len(operations)}"
        raise errors.RequestEntityTooLarge.of(text)
    found = _strict_errors(operations, data, decoded) if is_validated else []
    needs_texts = any(operation and operation.get("op") in ("test", "copy") for operation in operations)
    keeps_texts = needs_texts and written.keep_texts(operations, data)
    return Patch(operations, found, keeps_texts, bool(decoded.duplicates), bool(decoded.huge))


def mismatch(value: object, target: str) -> str:
    return f"json: cannot unmarshal {gofmt.json_type(value)} into {target}"


def _check_texts(operation: dict[str, Any], prefix: str) -> None:
    for name, value in operation.items():
        if name in _FIELDS and name != "value" and value is not None and not isinstance(value, str):
            raise errors.BadRequest(prefix + mismatch(value, f"Go struct field jsonPatchOp.{name} of type string"))


def _strict_errors(operations: list[Any], data: bytes, decoded: json_codec.Decoded) -> list[str]:
    unknown = [
        f"[{position}].{name}"
        for position, operation in enumerate(operations)
        for name in operation or ()
        if name not in _FIELDS
    ]
    if not unknown and not decoded.duplicates:
        return []
    found = strict.order_findings(data, decoded.strict_errors, unknown, json_codec.STRICT_ERRORS_MAX)
    return [f"json patch {finding}" for finding in found]
