"""JSON merge patch (RFC 7386) as evanphx/json-patch v4 applies it.

Two things are not as in the RFC: nulls inside lists' objects are dropped where the list lands on a missing member or
on a scalar, and kept where it replaces an object. All walks have an explicit stack.

Source: gopkg.in/evanphx/json-patch.v4 merge.go; apiserver/pkg/endpoints/handlers/patch.go (decoding errors).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import longsteps
from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.codec import json as json_codec

Object = dict[str, Any]


@dataclass(frozen=True)  # with slots it would not be a compiled class
class Patch:
    """`strict_errors`: the members given twice. `value` may be a list where nothing is validated, which replaces the
    whole document. `has_huge`: it may hold numbers that no float64 holds, which are infinite in it."""

    value: Object | list[Any]
    strict_errors: list[str]
    has_huge: bool = False


def decode(data: bytes, *, is_validated: bool = True) -> Patch:
    """A patch from a request body. `is_validated`: fieldValidation is Strict or Warn. Raises BadRequest."""
    try:
        decoded = json_codec.decode(data, keeps_huge=True)
    except json_codec.DecodeError as error:
        if not is_validated and error.is_syntax:
            raise errors.BadRequest("Invalid JSON Patch") from error
        raise errors.BadRequest(f"error decoding patch: {error.message}") from error
    value = decoded.value
    if decoded.huge and is_validated and isinstance(value, dict):
        raise errors.BadRequest(f"error decoding patch: {json_codec.huge_number(decoded.huge).message}")
    if isinstance(value, list) and not is_validated:
        return Patch(value, [], bool(decoded.huge))
    if not isinstance(value, dict):
        if value is None or not is_validated:
            raise errors.BadRequest("Invalid JSON Patch")
        target = "Go value of type map[string]interface {}"
        raise errors.BadRequest(f"error decoding patch: json: cannot unmarshal {gofmt.json_type(value)} into {target}")
    return Patch(value, decoded.strict_errors if is_validated else [], bool(decoded.huge))


def apply(document: Object, patch: Object | list[Any]) -> Any:
    """The patched document. Both are left as they are; what the patch does not touch is shared with the document."""
    if isinstance(patch, list):
        return without_nulls(kernel.copy(patch))
    patched = dict(document)
    pending = [(patched, patch)]
    while pending:
        target, changes = pending.pop()
        for name, value in changes.items():
            longsteps.pause()
            if value is None:
                target.pop(name, None)
                continue
            current = target.get(name)
            if isinstance(current, dict):
                if isinstance(value, dict):
                    target[name] = current = dict(current)
                    pending.append((current, value))
                else:
                    target[name] = kernel.copy(value)
            else:
                target[name] = without_nulls(kernel.copy(value)) if isinstance(value, dict | list) else value
    return patched


def without_nulls(value: Any) -> Any:
    """Drops members that are null, at any depth, in place; null items of lists stay."""
    pending = [value]
    while pending:
        item = pending.pop()
        longsteps.pause()
        if isinstance(item, dict):
            for name in [name for name, child in item.items() if child is None]:
                del item[name]
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return value
