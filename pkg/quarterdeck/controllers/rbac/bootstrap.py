"""Sees to it at each start that the roles and bindings of policy.py are there.

On an empty store all are written in one commit, complete as they are; later, those that an administrator has not
taken out of it (by an annotation) get back what they lack.

Source: pkg/registry/rbac/rest/storage_rbac.go (ensureRBACPolicy, primeSplitClusterRoleBindings);
component-helpers/auth/rbac/reconciliation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Mapping
from functools import partial
from typing import Final

from quarterdeck.apimachinery import clock, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.authorization.rbac.covers import TooManyRights, find_missing
from quarterdeck.authorization.rbac.rules import Rule
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.definitions import MANAGER
from quarterdeck.controllers.rbac import policy
from quarterdeck.controllers.rbac.aggregation import aggregate_all, own_rules
from quarterdeck.controllers.rbac.policy import API_VERSION, AUTOUPDATE, Object
from quarterdeck.registry.builtin.rbac.resources import GROUP
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Builtin, Scope
from quarterdeck.storage.interface import KeyExists

_RESOURCES: Final = {
    "Role": "roles",
    "ClusterRole": "clusterroles",
    "RoleBinding": "rolebindings",
    "ClusterRoleBinding": "clusterrolebindings",
}
# Until Kubernetes 1.14, the second bound the role of the first as well.
_SPLIT_FROM: Final = {"system:public-info-viewer": "system:discovery"}

Scopes = Mapping[str, Scope]  # by kind


def select_scopes(builtin: Builtin) -> dict[str, Scope]:
    return {kind: builtin[GROUP, "v1", name][""] for kind, name in _RESOURCES.items()}


async def ensure_policy(
    identity: Identity, scopes: Scopes, *, aggregates: bool, features: Collection[str] = ()
) -> None:
    """`aggregates`: new aggregated roles are written with the rules that the controller would give them. `features`:
    those that are on although they are off by default."""
    objects = policy.read(features)
    missing: list[Object] = []
    for wanted in objects:
        metadata = wanted["metadata"]
        entry = scopes[wanted["kind"]].store.cache.get(metadata.get("namespace", ""), metadata["name"])
        if entry is None:
            missing.append(_split(wanted, scopes))
            continue
        live = json_codec.load(entry.data)
        if _needs_recreation(live, wanted):
            await _recreate(identity, scopes[wanted["kind"]], wanted)
        elif reconcile(wanted, live) != live:
            change = partial(reconcile, wanted)
            scope = scopes[wanted["kind"]]
            await ownwrites.update(identity, scope, metadata.get("namespace", ""), metadata["name"], change)
    if aggregates and missing:
        aggregate_all([each for each in objects if each["kind"] == "ClusterRole"])
    await _write_all(scopes, missing)


def _split(wanted: Object, scopes: Scopes) -> Object:
    """What is made in the place of a missing object: a binding that was split from another has the subjects of that
    one, so that nobody gets rights whom an administrator has taken out of it."""
    source = _SPLIT_FROM.get(wanted["metadata"]["name"], "") if wanted["kind"] == "ClusterRoleBinding" else ""
    entry = scopes[wanted["kind"]].store.cache.get("", source) if source else None
    if entry is None:
        return wanted
    live = json_codec.load(entry.data)
    kept = {name: live["metadata"][name] for name in ("labels", "annotations") if live["metadata"].get(name)}
    made = {**wanted, "metadata": {"name": wanted["metadata"]["name"], **kept}, "subjects": live.get("subjects") or []}
    return reconcile(wanted, made)


def reconcile(wanted: Object, live: Object) -> Object:
    """The live object with what it lacks of what is wanted; the live one itself where that is nothing."""
    metadata = live["metadata"]
    if _is_left_alone(live):
        return live
    changed: Object = {}
    merged = {name: {**wanted["metadata"][name], **(metadata.get(name) or {})} for name in ("labels", "annotations")}
    if any(metadata.get(name) != value for name, value in merged.items()):
        changed["metadata"] = {**metadata, **merged}
    if "aggregationRule" in wanted:
        _add_items(changed, "aggregationRule", wanted, live)
    elif "rules" in wanted:
        if (wanted["rules"] != live.get("rules")) and (lacking := _find_lacking_rules(wanted, live)):
            changed["rules"] = [*(live.get("rules") or ()), *lacking]
    else:
        have = live.get("subjects") or []
        if lacking := [each for each in wanted.get("subjects") or () if each not in have]:
            changed["subjects"] = [*have, *lacking]
    return {**live, **changed} if changed else live


def _add_items(changed: Object, name: str, wanted: Object, live: Object) -> None:
    member = "clusterRoleSelectors"
    have = (live.get(name) or {}).get(member) or []
    if lacking := [each for each in wanted[name][member] if each not in have]:
        changed[name] = {member: [*have, *lacking]}


def _find_lacking_rules(wanted: Object, live: Object) -> list[Object]:
    try:
        return find_missing(map(Rule, live.get("rules") or ()), wanted["rules"] or ())
    except TooManyRights:
        return list(wanted["rules"])


def _is_left_alone(live: Object) -> bool:
    return (live["metadata"].get("annotations") or {}).get(AUTOUPDATE) == "false"


def _needs_recreation(live: Object, wanted: Object) -> bool:
    """The role of a binding cannot be changed."""
    return "roleRef" in wanted and live.get("roleRef") != wanted["roleRef"] and not _is_left_alone(live)


async def _recreate(identity: Identity, scope: Scope, wanted: Object) -> None:
    metadata = wanted["metadata"]
    await identity.delete(scope, metadata.get("namespace", ""), metadata["name"], Options())
    await _write_all({wanted["kind"]: scope}, [wanted])


async def _write_all(scopes: Scopes, objects: list[Object]) -> None:
    """In one commit, or few: nobody waits for one write before the next."""
    now = clock.now()
    writes: list[Awaitable[int]] = []
    for obj in objects:
        complete = _complete(obj, now)
        scope = scopes[obj["kind"]]
        writes.append(scope.store.put_new(complete, scope.codec.encode(complete)))
    for outcome in await asyncio.gather(*writes, return_exceptions=True):
        # A record that cannot be read is there, though the cache does not know it.
        if isinstance(outcome, BaseException) and not isinstance(outcome, KeyExists):
            raise outcome


def _complete(obj: Object, now: str) -> Object:
    """As it is stored: with what the server sets, and who owns which field."""
    metadata = obj["metadata"]
    owned: Object = {
        "f:metadata": {
            f"f:{member}": {".": {}, **{f"f:{name}": {} for name in metadata[member]}}
            for member in ("annotations", "labels")
            if member in metadata
        }
    }
    owners: list[Object] = []
    if "aggregationRule" in obj:
        owned["f:aggregationRule"] = {".": {}, "f:clusterRoleSelectors": {}}
        if obj["rules"]:
            owners.append(own_rules(now))
    else:
        owned |= {f"f:{name}": {} for name in ("roleRef", "rules", "subjects") if name in obj}
    owners.append(
        {
            "manager": MANAGER,
            "operation": "Update",
            "apiVersion": API_VERSION,
            "time": now,
            "fieldsType": "FieldsV1",
            "fieldsV1": dict(sorted(owned.items())),
        }
    )
    completed = {**metadata, "uid": meta.new_uid(), "creationTimestamp": now, "managedFields": owners}
    return {**obj, "metadata": completed}
