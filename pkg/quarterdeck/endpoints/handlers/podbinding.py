"""POST to a pod's `binding`, or of a binding: the pod is given to a node.

Source: pkg/registry/core/pod/storage/storage.go (BindingREST), pkg/apis/core/validation (ValidatePodBinding).
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Final

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors, field, gofmt, meta
from quarterdeck.endpoints import body, respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.create import drop_system_members, read_create_options, record_ownership
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry import keynames, preconditions
from quarterdeck.registry.builtin.core import podconditions
from quarterdeck.registry.builtin.core.podspec import drop_init_containers
from quarterdeck.registry.builtin.reviews import BINDINGS, binding_scope
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.registry.writes import Update, WriteContext
from quarterdeck.transport.messages import Response

_SUCCESS: Final = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


class BindingHandler:
    """`pods`: where pods are, for bindings at an address of their own."""

    def __init__(self, admission: Chain, pods: Scope) -> None:
        self._admission = admission
        self._pods = pods

    def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Awaitable[Response]:
        return self._bind(request, info, scope, scope)

    def create(self, request: RequestContext) -> Awaitable[Response] | None:
        """POST to the bindings of a namespace; a plain handler: None where the address is another."""
        info = request.info
        address = info.address
        if (address.group, address.version, address.resource) != ("", "v1", BINDINGS.name):
            return None
        if address.name or address.subresource or address.path_verb or not address.namespace:
            raise errors.NotFound.generic()
        if info.verb != "create":
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        request.scope = binding_scope("")
        return self._bind(request, info, self._pods, request.scope)

    async def _bind(self, request: RequestContext, info: RequestInfo, pods: Scope, scope: Scope) -> Response:
        output = common.negotiate_output(request, scope)
        options = read_create_options(request)
        kind = binding_scope() if info.address.name else scope
        obj = body.decode_object(request, kind, options.field_validation)
        metadata = meta.ensure_metadata(obj)
        namespace = info.address.namespace
        common.set_namespace(metadata, scope, namespace)
        if not info.address.name:  # the pod's own subresource keeps them: the uid is a precondition
            drop_system_members(metadata)
        record_ownership(request, kind, None, obj, options)
        origin = request.origin(options, dry_run=options.dry_run)
        admission = WriteAdmission(self._admission, scope, origin, kind)
        waiting = admission.mutate(obj, None)
        if waiting is not None:
            await waiting
        metadata = obj["metadata"]  # which admission may have replaced
        name = info.address.name or metadata.get("name", "")
        if metadata.get("name", "") != name:
            raise errors.BadRequest("name in URL does not match name in Binding object")
        _check_target(obj["target"])
        waiting = admission.validate(obj, None)
        if waiting is not None:
            await waiting
        keynames.check_name(name)  # noticed where the pod is looked for

        key = preconditions.shown_key(pods.store, namespace, name, dry_run=options.dry_run)
        update = Update(partial(_bind, name, key, obj), precondition_uid=metadata.get("uid", ""))
        await pods.store.update(pods, namespace, name, update, WriteContext(options.dry_run, request.warnings))
        if request.audit is not None:
            request.audit.log_status(_SUCCESS)
        return respond.value_response(201, dict(_SUCCESS), output)


def _check_target(target: Object) -> None:
    """Raises what upstream makes of field errors that it has no status for."""
    problems: list[field.FieldError] = []
    if (kind := target.get("kind", "")) not in ("", "Node"):
        problems.append(field.not_supported("target.kind", kind, ["Node", "<empty>"]))
    if not target.get("name"):
        problems.append(field.required("target.name"))
    texts = [str(problem) for problem in problems]
    if texts:
        raise errors.Unreasoned(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


def _bind(name: str, key: str, binding: Object, live: Object | None) -> Object:
    """`key`: the pod's, as refusals show it."""
    if live is None:
        raise errors.NotFound.of("", "pods", name)
    metadata, spec = live["metadata"], live["spec"]
    wanted, version = binding["metadata"].get("resourceVersion"), metadata["resourceVersion"]
    if wanted and wanted != version:
        raise preconditions.mismatch_on_update("", "pods", name, key, wanted, version, "ResourceVersion")
    fault = ""
    if "deletionTimestamp" in metadata:
        fault = f"pod {name} is being deleted, cannot be assigned to a host"
    elif spec.get("nodeName"):
        fault = f"pod {name} is already assigned to node {gofmt.quote(spec['nodeName'])}"
    elif spec.get("schedulingGates"):
        fault = f"pod {name} has non-empty .spec.schedulingGates"
    if fault:
        raise errors.Conflict.of("", "pods/binding", name, fault)
    new = copy_object(live)
    new["spec"]["nodeName"] = binding["target"]["name"]
    new["status"].pop("nominatedNodeName", None)
    for member in ("annotations", "labels"):
        if added := binding["metadata"].get(member):
            new["metadata"][member] = {**(new["metadata"].get(member) or {}), **added}
    drop_init_containers(new["metadata"])  # which upstream leaves out whenever it reads the pod
    podconditions.update(new["status"], "PodScheduled", "True")
    return new
