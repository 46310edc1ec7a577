"""POST to a pod's `eviction`: the pod goes, as far as its disruption budget allows it.

Source: pkg/registry/core/pod/storage/eviction.go.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import clock, errors, field, labels, meta, requirements
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints import body, delete_options, respond
from quarterdeck.endpoints.claimedversion import claimed_version
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.delete_options import DeleteOptions
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.create import drop_system_members, read_create_options, record_ownership
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
_DISRUPTED_MAX: Final = 2000
_VIOLATES: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_TRIES_MAX: Final = 20
_SUCCESS: Final = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
_SEVERAL: Final = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


class _Deletion(NamedTuple):
    """What the client has told, which is looked at last, and what of it the store is told."""

    told: DeleteOptions
    options: Options


class EvictionHandler:
    """`pod_status` and `budget_status`: what writes are made with; `budgets` what is looked up."""

    def __init__(self, admission: Chain, pod_status: Scope, budgets: Scope, budget_status: Scope) -> None:
        self._admission = admission
        self._pod_status = pod_status
        self._budgets = budgets
        self._budget_status = budget_status

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
        if metadata.get("name", "") != name:
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
            guarded = deletion if ends else _guard(deletion, entry.revision)
            try:
                return await self._delete(namespace, name, guarded, context)
            except errors.Conflict:
                if told.precondition_resource_version is not None or told.precondition_uid is not None:
                    raise
        budget = self._budget_of(namespace, pod)
        if budget is None:
            return await self._delete(namespace, name, deletion, context)
        if _may_go_unready(pod, budget):
            try:
                return await self._delete(namespace, name, _guard(deletion, entry.revision), context)
            except errors.Conflict:
                if told.precondition_resource_version is not None:
                    raise
                raise _still_processed(budget) from None
        await self._spend(namespace, budget["metadata"]["name"], name, context)
        return await self._delete(namespace, name, deletion, context)

    def _budget_of(self, namespace: str, pod: Object) -> Object | None:
        found = []
        state = self._budgets.store.cache.state
        own = pod["metadata"].get("labels") or {}
        for entry in state.range(f"{namespace}/"):
            budget = json_codec.load(entry.data)
            try:
                selector = labels.from_label_selector(budget["spec"].get("selector"))
            except requirements.SelectorError:
                continue
            if selector.matches(own):
                found.append(budget)
        if len(found) > 1:
            raise errors.Unreasoned(_SEVERAL)
        return found[0] if found else None

    async def _spend(self, namespace: str, budget_name: str, pod_name: str, context: WriteContext) -> None:
        """One disruption of the budget. Raises TooManyRequests and Forbidden."""
        scope = self._budget_status
        update = Update(partial(_spend, budget_name, pod_name))
        await scope.store.update(scope, namespace, budget_name, update, WriteContext(context.dry_run, []))

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


def _spend(budget_name: str, pod_name: str, live: Object | None) -> Object:
    if live is None:
        raise errors.NotFound.of("policy", "poddisruptionbudgets", budget_name)
    _check(live)
    new = copy_object(live)
    status = new["status"]
    status["disruptionsAllowed"] -= 1
    if not status["disruptionsAllowed"]:
        _forbid_more(new)
    status["disruptedPods"] = {**(status.get("disruptedPods") or {}), pod_name: clock.now()}
    return new


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
    """Only the pod as it was seen may go, unless the client named one itself."""
    if deletion.told.precondition_resource_version is not None:
        return deletion
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
    if version is not None and version != metadata["resourceVersion"]:
        detail = (
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({metadata['resourceVersion']}). The object might have been modified"
        )
        raise errors.Conflict.of("", "Pod", name, detail)


def _can_ignore_budgets(pod: Object) -> bool:
    """A pod that does not run, or goes anyway."""
    is_going = "deletionTimestamp" in pod["metadata"]
    return is_going or pod["status"].get("phase") in ("Succeeded", "Failed", "Pending")


def _may_go_unready(pod: Object, budget: Object) -> bool:
    """A pod that is not ready counts for nothing."""
    if podconditions.is_true(pod["status"], "Ready"):
        return False
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    wanted: int = budget["status"].get("desiredHealthy", 0)
    return 0 < wanted <= int(budget["status"].get("currentHealthy", 0))


def _still_processed(budget: Object) -> errors.TooManyRequests:
    name = budget["metadata"]["name"]
    text = f"The disruption budget {name} is still being processed by the server."
    return _too_many(text, {"retryAfterSeconds": 10})


def _too_many(text: str, more: dict[str, Any]) -> errors.TooManyRequests:
    return errors.TooManyRequests(_VIOLATES, {"causes": [{"reason": "DisruptionBudget", "message": text}], **more})


def _check(budget: Object) -> None:
    """Whether it allows one more."""
    metadata, status = budget["metadata"], budget["status"]
    name, allowed = metadata["name"], status.get("disruptionsAllowed", 0)
    if status.get("observedGeneration", 0) < metadata.get("generation", 0):
        raise _still_processed(budget)
    if allowed < 0:
        raise errors.Forbidden.of("policy", "poddisruptionbudget", name, "pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or {}) > _DISRUPTED_MAX:
        detail = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise errors.Forbidden.of("policy", "poddisruptionbudget", name, detail)
    if allowed:
        return
    healthy, wanted = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
    condition = podconditions.find(status, "DisruptionAllowed") or {}
    if condition.get("status") == "False" and condition.get("reason") == "SyncFailed":
        text = (
            f"The disruption budget {name} does not allow evicting pods currently because it failed sync: "
            f"{condition.get('message', '')}"
        )
    elif healthy <= wanted:
        text = f"The disruption budget {name} needs {wanted} healthy pods and has {healthy} currently"
    else:
        text = f"The disruption budget {name} does not allow evicting pods currently"
    raise _too_many(text, {})


def _forbid_more(budget: Object) -> None:
    """Source: component-helpers/apps/poddisruptionbudget/helpers.go (UpdateDisruptionAllowedCondition)."""
    status = budget["status"]
    conditions = [each for each in status.get("conditions") or [] if each.get("type") != "DisruptionAllowed"]
    before = podconditions.find(status, "DisruptionAllowed") or {}
    is_new = before.get("status") != "False"
    status["conditions"] = [
        *conditions,
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": status.get("observedGeneration", 0),
            "lastTransitionTime": clock.now() if is_new else before.get("lastTransitionTime"),
            "reason": "InsufficientPods",
            "message": "",
        },
    ]
