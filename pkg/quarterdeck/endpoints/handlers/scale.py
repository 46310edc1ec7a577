"""The scale subresource of custom resources: a Scale read from, and written to, the object's own values.

A write of the scale is a write of the object: the Scale is made from the live object, replaced or patched, and its
replicas and their owners are put back. Source: apiextensions-apiserver/pkg/registry/customresource/etcd.go (ScaleREST).
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Final

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import clock, gofmt, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints import body, negotiation
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import apply, common, patch
from quarterdeck.endpoints.handlers.get import check_export, requested_revision
from quarterdeck.endpoints.handlers.scale_admission import ScaleAdmission
from quarterdeck.endpoints.handlers.scale_body import ScaleBody
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.options import WriteOptions, parse_patch_options, parse_update_options
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.table import columns
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.endpoints.table.columns import BUILTIN_SCALE
from quarterdeck.fieldmanager import scale as scale_fields
from quarterdeck.fieldmanager.manager import FieldManager
from quarterdeck.registry.awaited import settle
from quarterdeck.registry.customresource.scale import check_scale
from quarterdeck.registry.scale import build_scale, with_replicas
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.writes import Update, WriteResult
from quarterdeck.storage.cacher import Entry
from quarterdeck.transport.messages import Response

# What the Scale of a custom resource without replicas says, so that a write which does not set them can be told.
_NO_REPLICAS: Final = -(2**31)
_OWNERSHIP: Final = FieldManager(
    lambda api_version: scale_fields.SCALE if api_version == scale_fields.API_VERSION else None,
    lambda obj, _api_version: obj,
    kind="Scale",
    is_builtin=True,
    refuses_changes=True,
)


def handle_get_scale(request: RequestContext, info: RequestInfo, scope: Scope) -> Response | Awaitable[Response]:
    output = common.negotiate_output(request, scope)
    query = parse_query(request.query)
    check_export(query)
    store, address, text = scope.store, info.address, first(query, "resourceVersion")
    revision = requested_revision(text, scope)
    if revision > store.cache.revision or (store.lags and not text):
        return _get_fresh_scale(request, info, scope, output, revision if text else None)
    entry = store.get(address.namespace, address.name)
    if scope.codec.waits:
        return _get_converted(request, scope, output, entry)
    return _respond_scale_of(request, scope, output, scope.codec.decode(entry.data))


async def _get_fresh_scale(
    request: RequestContext, info: RequestInfo, scope: Scope, output: Output, revision: int | None
) -> Response:
    entry = await scope.store.get_fresh(info.address.namespace, info.address.name, revision)
    return await _get_converted(request, scope, output, entry)


async def _get_converted(request: RequestContext, scope: Scope, output: Output, entry: Entry) -> Response:
    obj = await settle(partial(scope.codec.decode, entry.data))
    return _respond_scale_of(request, scope, output, obj)


def _respond_scale_of(request: RequestContext, scope: Scope, output: Output, obj: Object) -> Response:
    assert scope.scale is not None
    if scope.is_custom:
        check_scale(obj, scope.scale)
    return respond_scale(request, output, build_scale(obj, scope.scale), is_custom=scope.is_custom)


class CustomScaleHandler:
    """PUT and PATCH of the scale of a custom resource."""

    def __init__(self, admission: Chain) -> None:
        self._admission = admission

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        address = info.address
        query = parse_query(request.query)
        patch_type = patch.patch_type_of(request, scope) if info.verb == "patch" else ""
        output = common.negotiate_output(request, scope)
        body.check_size(request)
        if patch_type:
            options = parse_patch_options(query, is_apply=patch_type == patch.APPLY_PATCH)
        else:
            options = parse_update_options(query)
        if patch_type and request.audit is not None:
            request.audit.log_patch(request.body, request.decoded)
        write = _ScaleWrite(request, scope, options, patch_type)
        sent = write.decode_sent() if not patch_type else None
        if sent is not None and request.audit is not None:
            request.audit.log_object(sent)
        if sent is not None:
            common.set_namespace(sent["metadata"], scope, address.namespace)
            common.check_name(sent, address.name)
            await common.drop_repeated_owners(request, sent)
            write.sent = sent
        admission = ScaleAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run), write)
        update = Update(admission.transform, precondition_uid=meta.uid(sent) if sent is not None else "")
        stored = await scope.store.update(scope, address.namespace, address.name, update, admission.context())
        return respond_scale(request, output, await settle(partial(write.scale_of, stored)), is_custom=True)


class _ScaleWrite:
    def __init__(self, request: RequestContext, scope: Scope, options: WriteOptions, patch_type: str) -> None:
        assert scope.scale is not None
        self._request = request
        self._scope = scope
        self._paths = scope.scale
        self._options = options
        self._patch_type = patch_type
        self._body = ScaleBody(request, options, patch_type)
        self.sent: Object | None = None  # the body of an update

    def decode_sent(self) -> Object:
        return self._body.decode_sent()

    def write(self, live: Object) -> tuple[Object, Object]:
        ownership = self._fields_of(live)
        current = self._current_scale(live, _NO_REPLICAS)
        entries = ownership.to_scale()
        if entries:
            current["metadata"]["managedFields"] = entries
        written = self._write(current, self.sent)
        if self.sent is None:
            common.set_namespace(written["metadata"], self._scope, live["metadata"].get("namespace", ""))
            common.check_name(written, live["metadata"]["name"])
        return current, written

    def put_back(self, live: Object, written: Object) -> Object:
        """The custom resource with the replicas, and the owners, of the written Scale."""
        ownership = self._fields_of(live)
        replicas = (written.get("spec") or {}).get("replicas", 0)
        if replicas == _NO_REPLICAS:
            raise BadRequest(f"the spec replicas field {gofmt.quote(self._paths.spec_replicas)} cannot be empty")
        new = copy_object(with_replicas(live, self._paths, replicas))
        if resource_version := written["metadata"].get("resourceVersion"):
            new["metadata"]["resourceVersion"] = resource_version
        returned = ownership.to_parent(written["metadata"].get("managedFields") or [])
        if returned:
            new["metadata"]["managedFields"] = returned
        else:
            new["metadata"].pop("managedFields", None)
        return new

    def _fields_of(self, live: Object) -> scale_fields.ScaleFields:
        assert self._scope.ownership is not None
        entries = live["metadata"].get("managedFields") or []
        return self._scope.ownership.scale_fields(entries, self._scope.resource.api_version)

    def _current_scale(self, live: Object, absent: int) -> Object:
        """`absent`: the replicas of an object that has none."""
        check_scale(live, self._paths)
        return build_scale(live, self._paths, absent)

    def _write(self, current: Object, sent: Object | None) -> Object:
        manager = common.manager_of(self._options.field_manager, self._request.headers.get("user-agent", ""))
        if self._patch_type == patch.APPLY_PATCH:
            applied, duplicates = body.decode_apply(self._request)
            merged = _OWNERSHIP.apply(
                current,
                applied,
                manager=self._options.field_manager,
                force=bool(self._options.force),
                subresource="scale",
                api_version=scale_fields.API_VERSION,
                now=clock.now(),
            )
            apply.report_duplicates(duplicates, self._request, self._options)
            return merged
        new = copy_object(sent) if sent is not None else self._body.read_patched(current)
        if not self._body.is_named:
            new["metadata"].pop("managedFields", None)
            return new
        version, now = scale_fields.API_VERSION, clock.now()
        _OWNERSHIP.update(current, new, manager=manager, subresource="scale", api_version=version, now=now)
        return new

    def show(self, obj: Object) -> Object:
        return self._current_scale(obj, 0)

    def scale_of(self, stored: WriteResult) -> Object:
        return self.show(self._scope.codec.decode(stored.data))


def respond_scale(request: RequestContext, output: Output, scale: Object, *, is_custom: bool) -> Response:
    if output.as_kind == negotiation.PARTIAL_METADATA:
        data = columns.partial_metadata(scale, output.meta_version)
    elif output.as_kind == negotiation.TABLE:
        convertor = convertor_for("autoscaling", "Scale" if is_custom else BUILTIN_SCALE)
        include = columns.parse_include_object(first(parse_query(request.query), "includeObject"))
        row = convertor.row(scale, clock.wall_s(), columns.included(scale, include, output.meta_version))
        metadata: dict[str, object] = {"resourceVersion": scale["metadata"].get("resourceVersion", "")}
        data = columns.build_table(output.meta_version, metadata, convertor.definitions, [row])
    elif output.as_kind:
        raise common.refuse_metadata_list("*v1.Scale" if is_custom else "*autoscaling.Scale")
    else:
        data = json_codec.encode(scale)
    return common.respond_data(output, 200, data)
