"""What handlers share: the form of answers, who writes, names and namespaces of bodies, the answer with an object.

Source: apiserver/pkg/endpoints/handlers/{rest,create,update}.go.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from quarterdeck.apimachinery import clock, errors, gotext, meta, offload
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf as protobuf_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints import negotiation, respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers.forms import TableForm, form_of, protobuf_form
from quarterdeck.endpoints.handlers.protobuf_forms import ProtobufForm
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.table import columns
from quarterdeck.registry import owners
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.writes import WriteResult
from quarterdeck.storage.cacher import Entry, encode, prepare
from quarterdeck.transport.fields import as_utf8
from quarterdeck.transport.messages import Response

_LARGE_DEFINITION_BYTES: Final = 2048
_PROTOBUF_TYPE: Final = ("Content-Type", negotiation.PROTOBUF)

# Addresses of built-in resources of which there is no table: their storage has no TableConvertor.
_WITHOUT_TABLES: Final = frozenset(
    (
        ("", "bindings", ""),
        ("", "namespaces", "finalize"),
        ("", "pods", "binding"),
        ("", "pods", "ephemeralcontainers"),
        ("", "pods", "eviction"),
        ("", "pods", "log"),
        ("", "pods", "resize"),
        ("", "serviceaccounts", "token"),
        ("apiextensions.k8s.io", "customresourcedefinitions", "status"),
        ("apiregistration.k8s.io", "apiservices", "status"),
        ("certificates.k8s.io", "certificatesigningrequests", "approval"),
        ("resource.k8s.io", "devicetaintrules", "status"),
        ("resource.k8s.io", "resourceclaims", "status"),
        ("resource.k8s.io", "resourcepoolstatusrequests", "status"),
    )
)
_REVIEWS: Final = ("authentication.k8s.io", "authorization.k8s.io")

# Upstream cuts the user agent's first word here (metav1 validation: FieldManagerMaxLength).
_MANAGER_BYTES_MAX: Final = 128


def manager_of(field_manager: str, user_agent: str) -> str:
    """The field manager: as given, or the first word of the user agent (upstream: managerOrUserAgent)."""
    if field_manager:
        return field_manager
    prefix = user_agent.partition("/")[0]
    if not prefix.isascii():
        encoded = "".join(char for char in as_utf8(prefix) if gotext.is_printable(char)).encode()
        return encoded[:_MANAGER_BYTES_MAX].decode(errors="ignore") or "unknown"
    kept = prefix if prefix.isprintable() else "".join(char for char in prefix if char.isprintable())
    return kept[:_MANAGER_BYTES_MAX] or "unknown"


def negotiate_output(request: RequestContext, scope: Scope) -> Output:
    """Raises NotAcceptable: in go-restful's words for built-in resources, whose routes look at Accept first."""
    accept = request.headers.get("accept", "")
    if not accept or accept == negotiation.JSON:
        return negotiation.PLAIN_JSON
    if not scope.is_custom:
        if accept in negotiation.ASKING_FOR_PROTOBUF:
            return negotiation.PLAIN_PROTOBUF
        info = request.info
        try:
            is_log = info.address.subresource == "log"
            negotiation.require_media_type(accept, streams=info.verb in ("list", "watch"), text=is_log)
        except errors.NotAcceptable:
            forget_route(request)
            raise
    return negotiation.negotiate(accept, custom=scope.is_custom, tables=_has_tables(request.info, scope))


def _has_tables(info: RequestInfo, scope: Scope) -> bool:
    group = scope.resource.group
    address = (group, scope.resource.name, info.address.subresource)
    return scope.is_custom or (group not in _REVIEWS and address not in _WITHOUT_TABLES)


def forget_route(request: RequestContext) -> None:
    """go-restful refuses the request: upstream does not come to say that its version is deprecated."""
    request.warnings.clear()
    request.annotations.pop("k8s.io/deprecated", None)
    request.annotations.pop("k8s.io/removed-release", None)


def set_namespace(metadata: dict[str, Any], scope: Scope, namespace: str) -> None:
    """The address's namespace wins; another one in the body is refused (upstream:
    EnsureObjectNamespaceMatchesRequestNamespace). A cluster-scoped object loses its namespace, and so does one that is
    sent to an empty namespace."""
    if not scope.resource.namespaced or not namespace:
        metadata.pop("namespace", None)
        return
    given = metadata.get("namespace")
    if given and given != namespace:
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
    metadata["namespace"] = namespace


def respond_stored(request: RequestContext, scope: Scope, output: Output, status: int, stored: WriteResult) -> Response:
    if output is negotiation.PLAIN_JSON and scope.object_form.is_stored:
        return respond.json_response(status, stored.data)
    return respond_entry(request, scope, output, status, scope.entry_of(stored))


async def respond_later(request: RequestContext, scope: Scope, output: Output, status: int, entry: Entry) -> Response:
    """As `respond_entry`, for an object that `takes_long`. Raises EncodingError."""
    await prepare(scope.object_form, [entry])
    if len(entry.data) > offload.LARGE_BYTES:
        return await offload.run(respond_entry, request, scope, output, status, entry)
    return respond_entry(request, scope, output, status, entry)


def takes_long(scope: Scope, output: Output, data: bytes) -> bool:
    """Whether this object is shown by a thread (offload.py), or may need a webhook to be shown."""
    if scope.codec.waits:
        return True
    return len(data) > offload.LARGE_BYTES and not (output is negotiation.PLAIN_JSON and scope.object_form.is_stored)


def respond_entry(request: RequestContext, scope: Scope, output: Output, status: int, entry: Entry) -> Response:
    if output is negotiation.PLAIN_JSON:
        return respond.json_response(status, encode(entry, scope.object_form))
    return respond_transformed(request, scope, output, status, entry)


def respond_transformed(request: RequestContext, scope: Scope, output: Output, status: int, entry: Entry) -> Response:
    """One object in another form or media type than plain JSON."""
    if output is negotiation.PLAIN_PROTOBUF:
        resource = scope.resource
        packed = protobuf_form(scope.object_form, resource.group, resource.version, resource.kind)
        if packed is not None:
            message = entry.encoding(packed)
            if message is None:
                message = packed.encode(entry)
                entry.keep_encoding(packed, message)
            # Without a call of `respond`, which is not compiled: most answers to Go's clients are made here.
            return Response(status, [_PROTOBUF_TYPE], packed.enclose(message), compressible=True)
    if output.as_kind == negotiation.PARTIAL_METADATA_LIST:
        raise not_a_list(scope)
    form = form_of(scope, output, parse_query(request.query))
    if isinstance(form, TableForm):
        shown = encode(entry, form.base)
        row = form.encode_row(shown, clock.wall_s())
        data = form.build_list(_table_metadata(entry, shown), [row])
    elif isinstance(form, ProtobufForm):
        return form.respond(status, encode(entry, form))
    else:
        data = encode(entry, form)
    return respond_data(output, status, data)


def _table_metadata(entry: Entry, shown: bytes) -> dict[str, object]:
    """What a Table of one object says of it. What was not stored has the version that it was sent with."""
    if entry.revision:
        return {"resourceVersion": str(entry.revision)}
    sent = meta.metadata(json_codec.load(shown)).get("resourceVersion")
    return {"resourceVersion": sent} if sent else {}


def respond_unstored(scope: Scope, output: Output, status: int, obj: Object) -> Response:
    """An object of the scope's kind that is made for the answer."""
    if output.as_kind == negotiation.PARTIAL_METADATA_LIST:
        raise not_a_list(scope)
    if output.as_kind == negotiation.PARTIAL_METADATA:
        return respond_data(output, status, columns.partial_metadata(obj, output.meta_version))
    data = scope.codec.encode(obj)
    if given_version := obj["metadata"].get("resourceVersion"):  # Nothing is stored, so no later step drops it.
        shown = json_codec.load(data)
        data = json_codec.encode({**shown, "metadata": {"resourceVersion": given_version, **shown["metadata"]}})
    return respond_data(output, status, data)


def not_a_list(scope: Scope) -> errors.APIStatus:
    """Go's type of custom resources could hold a list, so that upstream looks into the object."""
    if scope.is_custom:
        return errors.Unreasoned("content is not a list")
    return refuse_metadata_list(go_type(scope, scope.resource.kind))


def refuse_metadata_list(go_type: str) -> errors.APIStatus:
    return errors.NotAcceptable(
        f"you requested PartialObjectMetadataList, but the requested object is not a list ({go_type})"
    )


def go_type(scope: Scope, kind: str) -> str:
    """How Go prints the type of a built-in resource's object or list: that of what is stored."""
    group = scope.resource.group.partition(".")[0]
    return f"*{'core' if group in ('', 'events') else group}.{kind}"


def respond_data(output: Output, status: int, data: bytes) -> Response:
    """JSON bytes in the negotiated media type."""
    if output.media_type == negotiation.JSON:
        return respond.json_response(status, respond.indent(data) if output.pretty else data)
    value = json_codec.load(data)
    if output.media_type == negotiation.YAML:
        return respond.yaml_response(status, value)
    body = protobuf_codec.encode(value)
    if body is None:  # a kind whose protobuf form is not known: every client that asks for it also reads JSON
        return respond.json_response(status, data)
    return Response(status, [("Content-Type", negotiation.PROTOBUF)], body)


def status_success(scope: Scope, name: str, uid: str) -> dict[str, object]:
    """What the deletion of an object answers (upstream: Store.finalizeDelete)."""
    details: dict[str, object] = {"name": name}
    if scope.resource.group:
        details["group"] = scope.resource.group
    details["kind"] = scope.resource.name
    if uid:  # not known of an object that could not be read
        details["uid"] = uid
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


async def drop_repeated_owners(request: RequestContext, obj: Object) -> None:
    """Of the body of an update, before the object is looked for: its client is warned whatever becomes of it."""
    drop = partial(owners.drop_repeated, obj, request.warnings, is_admitted=False)
    if owners.has_many(obj):
        await offload.run(drop)
    else:
        drop()


def check_name(obj: Object, name: str) -> None:
    """The name in a body must be the one of the address (upstream: checkName)."""
    given = (obj.get("metadata") or {}).get("name") or ""
    if not given:
        raise BadRequest(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    if given != name:
        raise BadRequest(f"the name of the object ({given}) does not match the name on the URL ({name})")


def is_large(request: RequestContext, scope: Scope) -> bool:
    """Whether the steps of the write take so long that they are run beside the event loop. Of a definition few bytes
    are enough: a pattern or a rule takes up to a millisecond. The first write of a resource compiles its schema and
    rules, whatever the size of its body: a definition of 400 KB takes a tenth of a second."""
    is_definition = scope.resource.group == "apiextensions.k8s.io"
    if len(request.body) > (_LARGE_DEFINITION_BYTES if is_definition else offload.LARGE_BYTES):
        return True
    return scope.begins is not None and scope.begins()
