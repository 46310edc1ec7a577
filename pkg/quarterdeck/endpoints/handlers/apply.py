"""Server-side apply: a PATCH that names the fields which its manager owns.

Source: apiserver/pkg/endpoints/handlers/patch.go (applyPatcher), KEP-555.
"""

from __future__ import annotations

from quarterdeck._kernels import json as json_kernel
from quarterdeck.apimachinery import clock, errors, meta
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.endpoints import body
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.options import WriteOptions
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.fieldmanager.identity import identify
from quarterdeck.fieldmanager.noop import is_same_beside_owners
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import NotConvertible, Object, copy_value
from quarterdeck.registry.writes import WriteContext


class ApplyPatch:
    def __init__(
        self, request: RequestContext, scope: Scope, info: RequestInfo, options: WriteOptions, context: WriteContext
    ) -> None:
        self._request = request
        self._scope = scope
        self._address = info.address
        self._options = options
        self._context = context
        self.creates = not scope.subresource or scope.strategy.is_applied_whole

    def apply(self, live: Object | None, *, shares: bool) -> Object:
        applied, duplicates = body.decode_apply(self._request)
        assert self._scope.ownership is not None
        new = self._scope.ownership.apply(
            live,
            applied,
            manager=self._options.field_manager,
            force=bool(self._options.force),
            subresource=self._scope.subresource,
            api_version=self._scope.resource.api_version,
            now=clock.now(),
        )
        typed = self._scope.codec if isinstance(self._scope.codec, BuiltinCodec) else None
        spelling = typed.spelling if typed is not None else None
        if typed is None:
            is_read_otherwise = not shares
        else:
            is_read_otherwise = spelling is not None or typed.versions is not None
        owners = meta.metadata(applied).get("managedFields", [])
        # Where null stands for them, upstream's comparison sees one member more than there was.
        may_be_kept = is_read_otherwise and owners is not None
        is_kept = may_be_kept and live is not None and is_same_beside_owners(live, new)
        unseen = self._context.unseen
        try:
            if typed is not None and owners:
                # They do not read as such, or else they had been refused: nobody's, but in the way.
                typed.check_convertible({"metadata": {"managedFields": json_kernel.copy(owners)}})
            if is_kept and live is not None and spelling is None:
                # What was read is written again, and not what this version says of it.
                new = {**live, "metadata": new["metadata"]}
                unseen.may_hold_unknown = unseen.is_stored_otherwise = False
            else:
                if typed is None and live is not None and not shares:
                    # Defaults of this version, which the live object may lack, are a change of it.
                    new = {**copy_value({**new, "metadata": {}}), "metadata": new["metadata"]}
                unseen.may_hold_unknown, drops_metadata = self._scope.codec.normalize_applied(new, is_kept=is_kept)
                # A write of the status leaves metadata alone.
                unseen.is_stored_otherwise = drops_metadata and not self._scope.subresource
        except NotConvertible as error:
            raise errors.Unreasoned(f"{error.told.format(identify(applied))}: {error}") from error
        if spelling is not None and is_kept:
            spelling.note_kept()
        report_duplicates(duplicates, self._request, self._options)
        uid = meta.uid(new)
        if uid and live is None:
            detail = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            raise errors.Conflict.of(self._scope.resource.group, self._scope.resource.name, self._address.name, detail)
        return new


def report_duplicates(duplicates: list[str], request: RequestContext, options: WriteOptions) -> None:
    """Fields that stand twice in what was applied. Upstream looks for them last: what cannot be applied is refused for
    that. Raises BadRequest."""
    if duplicates and options.field_validation == "Strict":
        raise errors.BadRequest(f"error strict decoding YAML: error converting YAML to JSON: {duplicates[0]}")
    if duplicates and options.field_validation == "Warn":
        request.warnings.extend(codec.strict_warnings(duplicates))
