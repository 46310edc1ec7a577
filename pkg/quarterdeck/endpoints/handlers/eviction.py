"""POST to a pod's `eviction`: the pod goes, as far as its disruption budget allows it.

Source: pkg/registry/core/pod/storage/eviction.go.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors, field, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints import body, delete_options, respond
from quarterdeck.endpoints.claimedversion import claimed_version
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.delete_options import DeleteOptions
from quarterdeck.endpoints.handlers import common, disruptionbudgets
from quarterdeck.endpoints.handlers.create import drop_system_members, read_create_options, record_ownership
from quarterdeck.endpoints.handlers.disruptionbudgets import DisruptionBudgets
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.builtin.core import podconditions
from quarterdeck.registry.builtin.reviews import eviction_scope
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.registry.writes import Update, WriteContext
from quarterdeck.transport.messages import Response

_IGNORES_READ_ERRORS: Final = "ignoreStoreReadErrorWithClusterBreakingPotential"
_TRIES_MAX: Final = 20
_SUCCESS: Final = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


class _Deletion(NamedTuple):
    """What the client has told, which is looked at last, and what of it the store is told."""

    told: DeleteOptions
    options: Options


class EvictionHandler:
    """`pod_status`: what pods are written with."""

    def __init__(self, admission: Chain, pod_status: Scope, budgets: DisruptionBudgets) -> None:
        self._admission = admission
        self._pod_status = pod_status
        self._budgets = budgets

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        output = common.negotiate_output(request, scope)
        options = read_create_options(request)
        sent = eviction_scope("v1beta1" if claimed_version(request) == "policy/v1beta1" else "v1")
        obj = body.decode_object(request, sent, options.field_validation)
        kind = eviction_scope("v1")  # whatever was sent, admission is shown this one
        obj["apiVersion"] = kind.resource.api_version
        namespace, name = info.address.namespace, info.address.name
        metadata = meta.ensure_metadata(obj)
        common.set_namespace(metadata, scope, namespace)
        drop_system_members(metadata)
        record_ownership(request, kind, None, obj, options)
        admission = WriteAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run), kind)
        waiting = admission.mutate(obj, None)
        if waiting is not None:
            await waiting
        if obj["metadata"].get("name", "") != name:  # admission may have replaced it
            raise errors.BadRequest("name in URL does not match name in Eviction object")
        deletion = _read_deletion(name, obj.get("deleteOptions") or {}, list(options.given_dry_run))
        _propagate_dry_run(obj, deletion.told)
        waiting = admission.validate(obj, None)
        if waiting is not None:
            await waiting
        context = WriteContext(bool(deletion.told.dry_run), request.warnings)
        await self._evict(namespace, name, deletion, context)
        if request.audit is not None:
            request.audit.log_status(_SUCCESS)
        return respond.value_response(201, dict(_SUCCESS), output)

    async def _evict(self, namespace: str, name: str, deletion: _Deletion, context: WriteContext) -> None:
        told = deletion.told
        for _ in range(_TRIES_MAX):
            entry = self._pod_status.store.get(namespace, name)
            pod = json_codec.load(entry.data)
            if not _can_ignore_budgets(pod):
                break
            ends = "deletionTimestamp" in pod["metadata"] or pod["status"].get("phase") in ("Succeeded", "Failed")
            is_guarded = not ends and told.precondition_resource_version is None
            guarded = _guard(deletion, entry.revision) if is_guarded else deletion
            try:
                return await self._delete(namespace, name, guarded, context)
            except errors.Conflict:
                if told.precondition_resource_version is not None or told.precondition_uid is not None:
                    raise
        budget = self._budgets.find(namespace, pod)
        if budget is None:
            return await self._delete(namespace, name, deletion, context)
        if disruptionbudgets.may_go_unready(pod, budget):
            # A pod that has become ready since counts. This hides the resourceVersion that the client named.
            try:
                return await self._delete(namespace, name, _guard(deletion, entry.revision), context)
            except errors.Conflict:
                if told.precondition_resource_version is not None:
                    raise
                raise disruptionbudgets.still_processed(budget) from None
        await self._budgets.spend(budget, name, dry_run=context.dry_run)
        return await self._delete(namespace, name, deletion, context)

    async def _delete(self, namespace: str, name: str, deletion: _Deletion, context: WriteContext) -> None:
        """With a condition that tells why, which the last state of the pod shows."""
        scope, options = self._pod_status, deletion.options
        if not context.dry_run:
            update = Update(partial(_condemn, name, options))
            stored = await scope.store.update(scope, namespace, name, update, WriteContext(False, []))
            if options.precondition_resource_version is not None:
                options = replace(options, precondition_resource_version=str(stored.revision))
        delete_options.check(deletion.told)
        await scope.store.delete(scope, namespace, name, options, WriteContext(context.dry_run, []))


def _condemn(name: str, options: Options, live: Object | None) -> Object:
    if live is None:
        raise errors.NotFound.of("", "pods", name)
    _check_preconditions(live, options)
    new = copy_object(live)
    podconditions.update(new["status"], "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting")
    return new


def _read_deletion(name: str, given: dict[str, Any], dry_run: list[str]) -> _Deletion:
    """What the body says of the deletion. Raises Invalid, Unreasoned."""
    if given.get(_IGNORES_READ_ERRORS):
        detail = "can not be set for pod eviction, try after removing the option"
        problem = field.invalid(f"deleteOptions.{_IGNORES_READ_ERRORS}", True, detail)
        raise errors.Invalid.of("policy", "Eviction", name, [problem])
    own = given.get("dryRun") or []
    if own and dry_run and own != dry_run:
        shown = " ".join(dry_run), " ".join(own)
        text = f"Non-matching dry-run options in request and content: [{shown[0]}] and [{shown[1]}]"
        raise errors.Unreasoned(text)
    preconditions = given.get("preconditions") or {}
    told = DeleteOptions(
        dry_run=tuple(own or dry_run),
        propagation_policy=given.get("propagationPolicy"),
        orphan_dependents=given.get("orphanDependents"),
        grace_period_s=given.get("gracePeriodSeconds"),
        precondition_uid=preconditions.get("uid"),
        precondition_resource_version=preconditions.get("resourceVersion"),
    )
    options = Options(
        propagation_policy=told.propagation_policy or "",
        orphan_dependents=told.orphan_dependents,
        grace_period_s=told.grace_period_s,
        precondition_uid=told.precondition_uid,
        precondition_resource_version=told.precondition_resource_version,
    )
    return _Deletion(told, options)


def _propagate_dry_run(eviction: Object, told: DeleteOptions) -> None:
    """Validating admission sees in the options of the deletion, where there are any, what the request said."""
    options = eviction.get("deleteOptions")
    if options is not None and told.dry_run:
        eviction["deleteOptions"] = {**options, "dryRun": list(told.dry_run)}


def _guard(deletion: _Deletion, revision: int) -> _Deletion:
    """Only the pod as it was seen may go."""
    return deletion._replace(options=replace(deletion.options, precondition_resource_version=str(revision)))


def _check_preconditions(pod: Object, options: Options) -> None:
    metadata = pod["metadata"]
    name, uid, version = metadata["name"], options.precondition_uid, options.precondition_resource_version
    if uid and uid != metadata["uid"]:
        detail = (
            f"the UID in the precondition ({uid}) does not match the UID in record ({metadata['uid']}). The object "
            "might have been deleted and then recreated"
        )
        raise errors.Conflict.of("", "Pod", name, detail)
    if version and version != metadata["resourceVersion"]:
        detail = (
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({metadata['resourceVersion']}). The object might have been modified"
        )
        raise errors.Conflict.of("", "Pod", name, detail)


def _can_ignore_budgets(pod: Object) -> bool:
    """A pod that does not run, or goes anyway."""
    is_going = "deletionTimestamp" in pod["metadata"]
    return is_going or pod["status"].get("phase") in ("Succeeded", "Failed", "Pending")
