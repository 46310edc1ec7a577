"""What a patch gave, read as a body of the kind is.

Source: apiserver/pkg/endpoints/handlers/patch.go; apimachinery/pkg/runtime/serializer/json/json.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import strict, typemeta, versions
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints import body
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import NotDefaultable, Object

_NO_TEXT: Final = json_codec.Decoded(None, [])


class UndecodablePatch(Exception):
    """What a patch gives cannot be read as the kind; the text is the decoder's. `is_misfit`: a member is of another
    type than the kind's, rather than the object of another kind. `quotes`: the text ends with the patched document.
    `unconverted`: why what was read does not convert to upstream's internal type, without the kind; "" where it does.
    """

    def __init__(self, message: str, *, is_misfit: bool = False, quotes: bool = False, unconverted: str = "") -> None:
        super().__init__(message)
        self.is_misfit = is_misfit
        self.quotes = quotes
        self.unconverted = unconverted


def normalize_patched(
    patched: Any,
    scope: Scope,
    *,
    reports: bool,
    document: bytes = b"",
    numbers: bytes = b"",
    show: Callable[[], bytes] | None = None,
) -> tuple[Object, list[str]]:
    """What a patch gave, as an object of the kind, and the unknown fields in it, if they are reported. `document`: its
    text, where members may stand twice in it, or numbers that no float64 holds; `numbers`: the patch, where its numbers
    stand in that text as they were sent; `show` makes that text where its members may be in any order. Raises
    UndecodablePatch."""
    internal: list[str] = []
    resource = scope.resource
    if not isinstance(patched, dict) or not typemeta.is_plainly(patched, resource.api_version, resource.kind):
        try:
            internal = _check_patched_type(patched, scope)
        except BadRequest as error:
            raise UndecodablePatch(error.message) from error
    text = json_codec.decode(document, keeps_huge=True) if document else _NO_TEXT
    if text.duplicates and isinstance(patched, dict):
        body.take_repeats(patched, document, scope)
    if text.huge and scope.is_custom:
        raise UndecodablePatch(json_codec.huge_number(text.huge).message)
    try:
        unknown = body.normalize_text(patched, scope, numbers, report_unknown=reports) + (internal if reports else [])
    except BadRequest as error:
        unconverted = error.text if isinstance(error, NotDefaultable) else ""
        raise UndecodablePatch(_inner_text(error, scope), is_misfit=True, unconverted=unconverted) from error
    if text.huge and body.holds_infinity(patched):
        raise UndecodablePatch(json_codec.huge_number(text.huge).message)
    meta.ensure_metadata(patched)
    duplicates = text.strict_errors if reports else []
    if scope.is_custom:
        return patched, [*duplicates, *body.unknown_fields(unknown)]
    if duplicates or (show is not None and len(unknown) > 1):
        text_of_all = document or (show() if show is not None else b"")
        return patched, body.order_findings(text_of_all, duplicates, unknown, scope)
    return patched, strict.describe_sorted(unknown, json_codec.STRICT_ERRORS_MAX)


def _check_patched_type(patched: Any, scope: Scope) -> list[str]:
    """Raises BadRequest where a patch makes of an object what cannot be read as one. The members that are unknown."""
    group, version, kind = codec.interpret(patched, is_patched=True)
    if scope.is_custom:
        if not kind:
            raise UndecodablePatch("Object 'Kind' is missing in ", quotes=True)
        return []
    unknown: list[str] = []
    target = body.target_of(scope)
    if not version:
        if group not in ("", target.group):
            raise UndecodablePatch("Object 'apiVersion' is missing in ", quotes=True)
        version, group = versions.INTERNAL, target.group
    codec.check_registered(group, version, kind or target.kind, target, patched)
    if version == versions.INTERNAL:
        # Upstream reads such an object into its internal type, which has no other member that JSON knows.
        unknown = [name for name in patched if name not in ("apiVersion", "kind")]
        for name in unknown:
            del patched[name]
    patched["apiVersion"], patched["kind"] = scope.resource.api_version, scope.resource.kind
    return unknown


def fit_patched(patched: Object, scope: Scope) -> list[str]:
    """What a strategic merge patch gave, as an object of the kind: it is not read as JSON. The unknown fields in it.
    Raises UndecodablePatch."""
    assert isinstance(scope.codec, BuiltinCodec)
    try:
        return body.unknown_fields(sorted(scope.codec.fit(patched)))
    except BadRequest as error:
        raise UndecodablePatch(error.message) from error


def _inner_text(error: BadRequest, scope: Scope) -> str:
    """The decoder's own words, without those that a create or update puts around them."""
    return error.message.partition(f"cannot be handled as a {scope.resource.kind}: ")[2] or error.message
