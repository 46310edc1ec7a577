"""Preconditions on uid and resourceVersion, with upstream's texts.

Source: apiserver/pkg/registry/rest/delete.go (BeforeDelete), storage/interfaces.go (Preconditions.Check).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery import errors
from quarterdeck.registry.deletion import Options


def uid_mismatch_on_update(group: str, resource: str, name: str, key: str, wanted: str, actual: str) -> errors.Conflict:
    """The body of an update names another uid: upstream shows its storage error as it is."""
    detail = (
        f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {actual}"
    )
    return errors.Conflict.of(group, resource, name, detail)


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
