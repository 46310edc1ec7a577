"""The scale subresource of built-in kinds: a Scale is read from a body or patched as an object of its own kind is.

Source: pkg/registry/apps/deployment/storage/storage.go (scaleUpdatedObjectInfo), pkg/apis/autoscaling/validation.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors, field, meta, names
from quarterdeck.apis.resource import APIResource
from quarterdeck.endpoints import body
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.apply import ApplyPatch
from quarterdeck.endpoints.handlers.create import record_ownership
from quarterdeck.endpoints.handlers.patch import APPLY_PATCH, JSONMechanism, Mechanism, patch_type_of
from quarterdeck.endpoints.handlers.scale import respond_scale
from quarterdeck.endpoints.handlers.scale_admission import CODEC, ScaleAdmission
from quarterdeck.endpoints.options import WriteOptions, parse_patch_options, parse_update_options
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.fieldmanager import scale as scale_fields
from quarterdeck.fieldmanager.manager import FieldManager
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, validate_builtin_finalizers
from quarterdeck.registry.scale import API_VERSION, build_scale, lookup, with_replicas
from quarterdeck.registry.scope import Scope, TableConvertor
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.unstored import NoStore
from quarterdeck.registry.writes import Update
from quarterdeck.schema import objectmeta
from quarterdeck.storage.cacher import StoredForm
from quarterdeck.transport.messages import Response


class BuiltinScaleHandler:
    """PUT and PATCH of the scale of a built-in kind."""

    def __init__(self, admission: Chain) -> None:
        self._admission = admission

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        address = info.address
        query = parse_query(request.query)
        patch_type = patch_type_of(request, scope) if info.verb == "patch" else ""
        output = common.negotiate_output(request, scope)
        body.check_size(request)
        if patch_type:
            options = parse_patch_options(query, is_apply=patch_type == APPLY_PATCH)
        else:
            options = parse_update_options(query)
        if patch_type and request.audit is not None:
            request.audit.log_patch(request.body, request.decoded)
        write = _ScaleWrite(request, info, scope, options)
        admission = ScaleAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run), write)
        context = admission.context()
        if patch_type == APPLY_PATCH:
            write.mechanism = ApplyPatch(request, _SCALES, info, options, context)
        elif patch_type:
            write.mechanism = JSONMechanism(patch_type, request, _SCALES, options)
        else:
            write.sent = body.decode_object(request, _SCALES, options.field_validation)
            _address(meta.ensure_metadata(write.sent), write.sent, scope, info)
            await common.drop_repeated_owners(request, write.sent)
        sent_uid = write.sent["metadata"].get("uid", "") if write.sent else ""
        update = Update(admission.transform, precondition_uid=sent_uid)
        stored = await scope.store.update(scope, address.namespace, address.name, update, context)
        return respond_scale(request, output, _scale_of(scope.codec.decode(stored.data), scope), is_custom=False)


class _ScaleWrite:
    """`mechanism` of a patch, `sent` of an update."""

    def __init__(self, request: RequestContext, info: RequestInfo, scope: Scope, options: WriteOptions) -> None:
        self._request = request
        self._info = info
        self._scope = scope
        self._options = options
        self.mechanism: Mechanism | None = None
        self.sent: Object = {}

    def write(self, live: Object) -> tuple[Object, Object]:
        current = _scale_of(live, self._scope)
        if of_scale := self._owners_of(live).to_scale():
            current["metadata"]["managedFields"] = of_scale
        if self.mechanism is not None:
            written = self.mechanism.apply(current, shares=False)
            _address(written["metadata"], written, self._scope, self._info)
        else:
            written = _replace(self._request, current, self.sent, self._options)
        return current, written

    def put_back(self, live: Object, written: Object) -> Object:
        _check(written, live, self._scope)
        owners = self._owners_of(live).to_parent(written["metadata"].get("managedFields") or [])
        return _put_back(written, live, self._scope, owners)

    def show(self, obj: Object) -> Object:
        return _scale_of(obj, self._scope)

    def _owners_of(self, live: Object) -> scale_fields.ScaleFields:
        entries = live["metadata"].get("managedFields") or []
        assert self._scope.ownership is not None
        return self._scope.ownership.scale_fields(entries, self._scope.resource.api_version)


def _address(metadata: Object, scale: Object, scope: Scope, info: RequestInfo) -> None:
    common.set_namespace(metadata, scope, info.address.namespace)
    common.check_name(scale, info.address.name)


def _replace(request: RequestContext, current: Object, sent: Object, options: WriteOptions) -> Object:
    new = copy_object(sent)
    record_ownership(request, _SCALES, current, new, options)
    return new


def _check(scale: Object, live: Object, scope: Scope) -> None:
    """Raises Invalid, and Conflict where a patch makes it the Scale of another object."""
    metadata = scale["metadata"]
    problems = objectmeta.validate_object_meta(metadata, True, "metadata", names.name_is_dns1123_subdomain)
    problems += validate_builtin_finalizers(metadata.get("finalizers") or [])
    replicas = scale["spec"].get("replicas", 0)
    if replicas < 0:
        problems.append(field.invalid("spec.replicas", replicas, "must be greater than or equal to 0"))
    name, uid, actual = live["metadata"]["name"], metadata.get("uid"), live["metadata"].get("uid", "")
    if problems:
        raise errors.Invalid.of("autoscaling", "Scale", name, problems)
    if uid and uid != actual:
        resource = scope.resource
        detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {actual}"
        raise errors.Conflict.of(resource.group, f"{resource.name}/scale", name, detail)


def _put_back(scale: Object, live: Object, scope: Scope, managed_fields: list[Object]) -> Object:
    """The object with the replicas of the written Scale, and who owns them."""
    assert scope.scale is not None
    new = copy_object(with_replicas(live, scope.scale, scale["spec"].get("replicas", 0)))
    metadata = new["metadata"]
    for name, value in (
        ("resourceVersion", scale["metadata"].get("resourceVersion")),
        ("managedFields", managed_fields),
    ):
        if value:
            metadata[name] = value
        else:
            metadata.pop(name, None)
    return new


def _scale_of(obj: Object, scope: Scope) -> Object:
    assert scope.scale is not None
    if lookup(obj, scope.scale.spec_replicas) is None:
        obj = with_replicas(obj, scope.scale, 0)
    scale = build_scale(obj, scope.scale)
    return {"apiVersion": scale["apiVersion"], "kind": scale["kind"], **scale}


def _no_table() -> TableConvertor:
    raise AssertionError("a Scale that is written is no table")


# For reading bodies and patches; Scales are stored nowhere.
_SCALES: Final = Scope(
    resource=APIResource("autoscaling", "v1", "scales", "scale", "Scale", "ScaleList", namespaced=True, verbs=()),
    subresource="scale",
    store=NoStore(),
    codec=CODEC,
    strategy=BuiltinStrategy(namespaced=True),
    object_form=StoredForm(API_VERSION, "Scale"),
    ownership=FieldManager(
        lambda api_version: scale_fields.SCALE if api_version == scale_fields.API_VERSION else None,
        lambda obj, _api_version: obj,
        kind="Scale",
        is_builtin=True,
    ),
    table=_no_table,
    is_custom=False,
)
