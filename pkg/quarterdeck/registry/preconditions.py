"""Preconditions on uid and resourceVersion, with upstream's texts.

Source: apiserver/pkg/registry/rest/delete.go (BeforeDelete), registry/generic/registry/store.go (Update),
storage/interfaces.go (Preconditions.Check).
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from quarterdeck.apimachinery import errors, field
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.revisions import parse_resource_version
from quarterdeck.registry.strategy import Object

_KEY_ROOT: Final = "/registry"


class Keys(Protocol):
    """A store. `shown_prefix`: what upstream has where this store's keys have `key_prefix`."""

    group: str
    resource: str
    shown_prefix: str
    key_prefix: str

    def key(self, namespace: str, name: str) -> str: ...


def shown_key(keys: Keys, namespace: str, name: str, *, dry_run: bool) -> str:
    """The key of an object as upstream prints it."""
    key = keys.shown_prefix + keys.key(namespace, name).removeprefix(keys.key_prefix)
    # Upstream looks at a dry run before the storage puts its prefix in front.
    return key.removeprefix(_KEY_ROOT) if dry_run else key


def mismatch_on_update(
    group: str, resource: str, name: str, key: str, wanted: str, actual: str, member: str = "UID"
) -> errors.Conflict:
    """The body of an update names another uid, or a binding another version: upstream shows its storage error as it
    is."""
    detail = (
        f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: {member} in precondition: {wanted}, {member} in object meta: {actual}"
    )
    return errors.Conflict.of(group, resource, name, detail)


def check_update(group: str, resource: str, name: str, new: Object, revision: int, *, is_optional: bool) -> None:
    """Raises Conflict for a stale resourceVersion, Invalid where one is needed, 500 for a malformed one."""
    text = new["metadata"].get("resourceVersion") or ""
    wanted = parse_resource_version(text) if text else 0
    if wanted == 0:
        if is_optional:
            return
        problem = field.invalid("metadata.resourceVersion", 0, "must be specified for an update")
        raise errors.Invalid.of(group, resource, name, [problem])
    if wanted != revision:
        raise errors.Conflict.modified(group, resource, name)


def check_delete_plainly(
    group: str, resource: str, name: str, metadata: dict[str, Any], revision: int, options: Options
) -> None:
    """As definitions word it, which are deleted by a procedure of their own."""
    uid, wanted = options.precondition_uid, options.precondition_resource_version
    if uid is not None and uid != metadata.get("uid"):
        detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {metadata.get('uid')}"
        raise errors.Conflict.of(group, resource, name, detail)
    if wanted is not None and wanted != str(revision):
        detail = (
            f"Precondition failed: ResourceVersion in precondition: {wanted}, "
            f"ResourceVersion in object meta: {revision}"
        )
        raise errors.Conflict.of(group, resource, name, detail)


def check_delete(group: str, kind: str, name: str, metadata: dict[str, Any], revision: int, options: Options) -> None:
    """Raises Conflict, which names the kind and not the resource (as upstream)."""
    uid = metadata.get("uid")
    if options.precondition_uid is not None and options.precondition_uid != uid:
        detail = (
            f"the UID in the precondition ({options.precondition_uid}) does not match the UID in record ({uid}). "
            "The object might have been deleted and then recreated"
        )
        raise errors.Conflict.of(group, kind, name, detail)
    wanted = options.precondition_resource_version
    if wanted is not None and wanted != str(revision):
        detail = (
            f"the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record "
            f"({revision}). The object might have been modified"
        )
        raise errors.Conflict.of(group, kind, name, detail)


def check_removal(keys: Keys, metadata: dict[str, Any], revision: int, options: Options, *, dry_run: bool) -> None:
    """Of an object that goes because its deletion takes its last finalizers, those of propagation policies. Upstream
    then asks for the resourceVersion of what is left to store, and that has none (store.go, Delete). Raises Conflict
    where any version was asked for; a dry run ends before that."""
    if options.precondition_resource_version is None or not metadata.get("finalizers") or dry_run:
        return
    name = metadata["name"]
    key = shown_key(keys, metadata.get("namespace", ""), name, dry_run=False)
    raise mismatch_on_update(keys.group, keys.resource, name, key, "", str(revision), "ResourceVersion")


def hold_namespace(new: Object, namespace: str, *, is_namespaced: bool) -> None:
    """An object stays in the namespace of its address, whatever plugins made of it (upstream:
    EnsureObjectNamespaceMatchesRequestNamespace). Raises BadRequest."""
    metadata = new["metadata"]
    given = metadata.get("namespace") or ""
    if given == (namespace if is_namespaced else ""):
        return
    if not is_namespaced:
        new["metadata"] = {name: value for name, value in metadata.items() if name != "namespace"}
    elif given:
        text = "the namespace of the provided object does not match the namespace sent on the request"
        raise errors.BadRequest(text)
    else:
        new["metadata"] = {**metadata, "namespace": namespace}
