"""Keeps claims, volumes and classes of volumes' attributes as long as something uses them: a finalizer of each does.

Source: pkg/controller/volume/{pvcprotection,pvprotection,vacprotection},
component-helpers storage/ephemeral/ephemeral.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from quarterdeck.admission.plugins.storage import FINALIZERS
from quarterdeck.apimachinery import errors, meta
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional import finalizers
from quarterdeck.controllers.optional.context import MANAGER, ControllerContext, find, follow, read, split
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry

_GOING: Final = b'"deletionTimestamp"'


class _Protection:
    """Keys are paths. `_held` are those that would go and are in use: each is looked at again when what mentioned it
    changes or goes."""

    def __init__(self, context: ControllerContext, group: str, resource: str, account: str, name: str) -> None:
        self._scope = context.scope(group, resource)
        self._finalizer = FINALIZERS[group, resource]
        self._identity = context.identity_of(account)
        self._held: set[str] = set()
        self.controller = Controller(name, self.sync, clock=context.clock)

    def take_up(self) -> None:
        for entry in self._scope.store.cache.state.all():
            self._consider(entry)
        follow(self._scope.store.cache, self._on_protected)

    def is_used(self, obj: Object) -> bool:
        raise NotImplementedError

    def _on_protected(self, change: Change) -> None:
        if change.entry is not None:
            self._consider(change.entry)
        elif change.old is not None:
            self._held.discard(change.old.path)

    def _consider(self, entry: Entry) -> None:
        if _GOING in entry.data or self._finalizer.encode() not in entry.data:
            self.controller.add(entry.path)

    def _look_again(self, namespace: str, names: Iterator[str]) -> None:
        """At those of `names` that are held."""
        for name in names:
            path = f"{namespace}/{name}" if namespace else name
            if path in self._held:
                self.controller.add(path)

    async def sync(self, path: str) -> None:
        namespace, name = split(path)
        found = find(self._scope, namespace, name)
        self._held.discard(path)
        if found is None:
            return
        change = finalizers.protect(self._finalizer)
        if meta.deletion_timestamp(found):
            if self._finalizer not in (found["metadata"].get("finalizers") or ()):
                return
            if self.is_used(found):
                self._held.add(path)
                return
            change = finalizers.release(self._finalizer)
        with suppress(errors.NotFound):
            await ownwrites.update(self._identity, self._scope, namespace, name, change, MANAGER)


class ClaimProtection(_Protection):
    def __init__(self, context: ControllerContext) -> None:
        super().__init__(context, "", "persistentvolumeclaims", "pvc-protection-controller", "pvcprotection")
        self._pods = context.scope("", "pods").store.cache

    def take_up(self) -> None:
        super().take_up()
        follow(self._pods, self._on_pod)

    def _on_pod(self, change: Change) -> None:
        if self._held and change.old is not None:
            pod = read(change.old)
            self._look_again(change.old.namespace, (name for name, _ in _claims_of(pod)))

    def is_used(self, obj: Object) -> bool:
        """By a pod that has a node: one without cannot be started any more."""
        pods = self._pods.state.range(f"{obj['metadata']['namespace']}/")
        return any(_uses_claim(read(entry), obj) for entry in pods)


class VolumeProtection(_Protection):
    def __init__(self, context: ControllerContext) -> None:
        super().__init__(context, "", "persistentvolumes", "pv-protection-controller", "pvprotection")

    def is_used(self, obj: Object) -> bool:
        return (obj.get("status") or {}).get("phase") == "Bound"


class AttributesClassProtection(_Protection):
    def __init__(self, context: ControllerContext) -> None:
        account = "volumeattributesclass-protection-controller"
        super().__init__(context, "storage.k8s.io", "volumeattributesclasses", account, "vacprotection")
        self._users = [context.scope("", name).store.cache for name in ("persistentvolumes", "persistentvolumeclaims")]

    def take_up(self) -> None:
        super().take_up()
        for cache in self._users:
            follow(cache, self._on_user)

    def _on_user(self, change: Change) -> None:
        if self._held and change.old is not None:
            self._look_again("", _classes_of(read(change.old)))

    def is_used(self, obj: Object) -> bool:
        name = obj["metadata"]["name"]
        text = f'"{name}"'.encode()
        entries = (entry for cache in self._users for entry in cache.state.all() if text in entry.data)
        return any(name in _classes_of(read(entry)) for entry in entries)


def _claims_of(pod: Object) -> Iterator[tuple[str, bool]]:
    """The names of the claims that a pod mentions, and whether each is made for this pod alone."""
    for volume in pod["spec"].get("volumes") or ():
        if "persistentVolumeClaim" in volume:
            yield volume["persistentVolumeClaim"]["claimName"], False
        elif "ephemeral" in volume:
            yield f"{pod['metadata']['name']}-{volume['name']}", True


def _uses_claim(pod: Object, claim: Object) -> bool:
    name = claim["metadata"]["name"]
    for mentioned, is_ephemeral in _claims_of(pod) if pod["spec"].get("nodeName") else ():
        if mentioned == name and (not is_ephemeral or (not _is_shut_down(pod) and _is_made_for(claim, pod))):
            return True
    return False


def _is_shut_down(pod: Object) -> bool:
    """A pod that only waits for its finalizers: one of them may wait for the claim."""
    return bool(meta.deletion_timestamp(pod)) and pod["metadata"].get("deletionGracePeriodSeconds") == 0


def _is_made_for(claim: Object, pod: Object) -> bool:
    owners = claim["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] == pod["metadata"]["uid"] for owner in owners)


def _classes_of(obj: Object) -> Iterator[str]:
    """The names of the classes that a volume or a claim has, or is on the way to."""
    status = obj.get("status") or {}
    target = (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    for name in (obj["spec"].get("volumeAttributesClassName"), status.get("currentVolumeAttributesClassName"), target):
        if name:
            yield name
