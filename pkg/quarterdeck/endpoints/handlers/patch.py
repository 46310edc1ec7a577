"""PATCH: an object changed by a JSON patch, a merge patch or a strategic merge patch; apply has its own file.

The patch works on the live object in the version of the request; what it gives is decoded like a body. A conflict
with another writer starts again from the newer object, unless the patch itself names a resourceVersion.
Source: apiserver/pkg/endpoints/handlers/patch.go.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, Protocol

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors, field, gofmt, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body, mergepatch, strategic, texts
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.endpoints import body, numbers, patched_bodies
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common, untracked
from quarterdeck.endpoints.handlers.apply import ApplyPatch
from quarterdeck.endpoints.handlers.create import record_ownership
from quarterdeck.endpoints.handlers.creation import confirmation
from quarterdeck.endpoints.options import WriteOptions, read_patch_options
from quarterdeck.endpoints.request_info import Address, RequestInfo
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.errors import RequestTooLarge
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_value
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.registry.writes import Update, WriteContext, WriteResult
from quarterdeck.transport.messages import Response

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"

_CUSTOM_TYPES: Final = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
_BUILTIN_TYPES: Final = [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH]


class Mechanism(Protocol):
    """How a patch turns the live object into the new one. `creates`: it may make an absent object."""

    creates: bool

    def apply(self, live: Object | None, *, shares: bool) -> Object:
        """`shares`: what the patch does not touch may be the live object's own."""


class PatchHandler:
    def __init__(self, admission: Chain, authorizer: Authorizer | None = None) -> None:
        self._admission = admission
        self._authorizer = authorizer

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        address = info.address
        patch_type = patch_type_of(request, scope)
        if not address.name:
            raise BadRequest("name must be provided")
        output = common.negotiate_output(request, scope)
        body.check_size(request)
        options = read_patch_options(request.query, is_apply=patch_type == APPLY_PATCH)
        if request.audit is not None:
            request.audit.log_patch(request.body, request.decoded)
        admission = WriteAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run))
        is_large = common.is_large(request, scope) or (patch_type == JSON_PATCH and _may_copy(request.body))
        context = admission.context(is_large=is_large)
        admission.confirm_create = confirmation(self._authorizer, request, info, scope)
        mechanism = _build_mechanism(patch_type, request, scope, info, options, context)
        make = partial(_patch, mechanism, scope, address, False)
        fresh = partial(admission.transform_made, make, context)
        current = partial(admission.transform_made, partial(_patch, mechanism, scope, address, True), context)
        update = Update(fresh, creates=mechanism.creates, transform_current=current)
        try:
            stored: WriteResult | None = await scope.store.update(
                scope, address.namespace, address.name, update, context
            )
        except RequestTooLarge:
            if patch_type == APPLY_PATCH:  # who owns what is what it is about
                raise
            stored = None
        if stored is None:
            stored = await untracked.patch(scope, address, admission, make, is_large=context.is_large)
        status = 201 if stored.created else 200
        if common.takes_long(scope, output, stored.data):
            return await common.respond_later(request, scope, output, status, scope.entry_of(stored))
        return common.respond_stored(request, scope, output, status, stored)


def _patch(mechanism: Mechanism, scope: Scope, address: Address, shares: bool, live: Object | None) -> Object:
    if live is None and not mechanism.creates:
        raise errors.NotFound.of(scope.resource.group, scope.resource.name, address.name)
    new = mechanism.apply(live, shares=shares)
    common.set_namespace(new["metadata"], scope, address.namespace)
    common.check_name(new, address.name)
    return new


def _may_copy(operations: bytes) -> bool:
    """Whether a JSON patch can make an object that is much larger than itself: "copy", however it is spelled."""
    return b"copy" in operations or b"\\u" in operations


def patch_type_of(request: RequestContext, scope: Scope) -> str:
    header = request.headers.get("content-type", "")
    content_type = header.partition(";")[0]
    allowed = _CUSTOM_TYPES if scope.is_custom else _BUILTIN_TYPES
    if content_type in allowed:
        return content_type
    if not scope.is_custom and not _is_routed(header):
        common.forget_route(request)
        raise errors.UnsupportedMediaType("415: Unsupported Media Type", {})
    raise errors.UnsupportedMediaType.of(allowed)


def _is_routed(content_type: str) -> bool:
    """Whether go-restful lets it through to the handler: it reads a list, of which one has to fit."""
    return any(each.partition(";")[0].strip(" ") in _BUILTIN_TYPES for each in content_type.split(","))


def _build_mechanism(
    patch_type: str,
    request: RequestContext,
    scope: Scope,
    info: RequestInfo,
    options: WriteOptions,
    context: WriteContext,
) -> Mechanism:
    if patch_type == APPLY_PATCH:
        return ApplyPatch(request, scope, info, options, context)
    return JSONMechanism(patch_type, request, scope, options)


class JSONMechanism:
    """JSON patch, merge patch and strategic merge patch."""

    creates = False

    def __init__(self, patch_type: str, request: RequestContext, scope: Scope, options: WriteOptions) -> None:
        self._patch_type = patch_type
        self._request = request
        self._scope = scope
        self._options = options
        self._looks_at_text = False  # a value alone does not tell what the patched document holds

    def apply(self, live: Object | None, *, shares: bool) -> Object:
        assert live is not None
        if shares and self._patch_type == MERGE_PATCH:
            patched, findings = self._patch(live)
            if isinstance(patched, dict) and patched.get("metadata") is live["metadata"]:
                patched["metadata"] = dict(meta.metadata(live))
        else:
            patched, findings = self._patch(copy_value(live))
        new = self._decode(live, patched, findings)
        record_ownership(self._request, self._scope, live, new, self._options)
        return new

    def _patch(self, live: Object) -> tuple[Any, list[str]]:
        """The patched document, and what strict decoding finds in the patch itself."""
        is_validated = self._options.field_validation != "Ignore"
        if self._patch_type == JSON_PATCH:
            operations = jsonpatch_body.decode(self._request.body, is_validated=is_validated)
            self._looks_at_text = operations.repeats or operations.has_huge
            return jsonpatch.apply_to_object(live, operations), operations.strict_errors
        if self._patch_type == MERGE_PATCH:
            merge = mergepatch.decode(self._request.body, is_validated=is_validated)
            self._looks_at_text = merge.has_huge
            return mergepatch.apply(live, merge.value), merge.strict_errors
        patch, duplicates = strategic.decode(self._request.body, is_validated=is_validated)
        return strategic.apply(live, patch, self._scope.resource.gvk), duplicates

    def _decode(self, live: Object, patched: Any, findings: list[str]) -> Object:
        """Read the patched document as a body of the kind; what does not fit is 422 and quoted whole."""
        is_strategic = self._patch_type == STRATEGIC_MERGE_PATCH
        reports, fitted = self._options.field_validation != "Ignore", list[str]()
        try:
            fitted = patched_bodies.fit_patched(patched, self._scope) if is_strategic else []
            told = reports and not is_strategic
            document = self._show_bytes(live) if self._looks_at_text else b""
            sent = b"" if is_strategic or self._scope.is_custom else self._request.body
            # What a JSON patch puts in stays as it was written; a merge patch sorts it.
            show = partial(self._show_bytes, live) if self._patch_type == JSON_PATCH else None
            obj, unknown = patched_bodies.normalize_patched(
                patched, self._scope, reports=told, document=document, numbers=sent, show=show
            )
            unknown += fitted if reports else []
        except patched_bodies.UndecodablePatch as error:
            if is_strategic and error.unconverted:  # what has been read by then, with its unknown fields
                self._tell(live, findings + fitted if reports else findings)
                raise errors.Unreasoned(error.unconverted) from error
            text = self._show(live)
            if error.quotes:
                raise invalid_patch(text, f"{error}'{text}'") from error
            raise invalid_patch(text, str(error) if is_strategic else self._first_mistake(text, error)) from error
        if not is_strategic and isinstance(codec := self._scope.codec, BuiltinCodec) and codec.spelling is not None:
            codec.spelling.note_patched(self._show_bytes(live), obj)
        self._tell(live, findings + unknown)
        return obj

    def _tell(self, live: Object, findings: list[str]) -> None:
        """What strict decoding finds, in warnings. Raises Invalid where it is asked for."""
        if findings and self._options.field_validation == "Strict":
            raise invalid_patch(self._show(live), f"strict decoding error: {', '.join(findings)}")
        self._request.warnings.extend(findings)

    def _first_mistake(self, text: str, error: patched_bodies.UndecodablePatch) -> str:
        """What does not fit first in the text of a patched document: what a patch has touched has its members sorted
        there."""
        codec, document = self._scope.codec, text.encode("utf-8", "surrogatepass")
        told: object = error
        if error.is_misfit and isinstance(codec, BuiltinCodec):
            told = codec.first_mistake(json_codec.decode(document, keeps_huge=True).value) or error
        return numbers.text_as_sent(str(told), document)

    def _show_bytes(self, live: Object) -> bytes:
        return self._show(live).encode("utf-8", "surrogatepass")

    def _show(self, live: Object) -> str:
        """What a refusal quotes: the patched document; of a strategic merge patch, the patch as Go prints a map."""
        if self._patch_type == STRATEGIC_MERGE_PATCH:  # once more: decoding may have changed what was the patch's own
            patch, _ = strategic.decode(self._request.body, is_validated=False)
            strategic.apply(copy_value(live), patch, self._scope.resource.gvk)
            return gofmt.format_value(patch)
        codec = self._scope.codec
        document = codec.text_of(live) if isinstance(codec, BuiltinCodec) else gofmt.format_json(live)
        return show_patched(document, self._patch_type, self._request.body)


def show_patched(document: str, patch_type: str, patch: bytes) -> str:
    """The text of a document after a JSON patch or a merge patch."""
    show = texts.patched if patch_type == JSON_PATCH else texts.merged
    return show(document, patch)


def invalid_patch(patched: str, detail: str) -> errors.Invalid:
    return errors.Invalid.of("", "", "", [field.invalid("patch", patched, detail)])
