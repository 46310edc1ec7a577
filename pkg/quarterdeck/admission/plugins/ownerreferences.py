"""OwnerReferencesPermissionEnforcement: who changes owners of an object has to be allowed to delete it, and who lets it
hold up the deletion of an owner to change that owner's finalizers.

Source: plugin/pkg/admission/gc/gc_admission.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import gofmt, meta
from quarterdeck.apimachinery.user import User

Object = dict[str, Any]


class AccessRequest(NamedTuple):
    """What somebody wants to do to a resource."""

    verb: str
    group: str
    version: str
    resource: str
    subresource: str
    namespace: str
    name: str


# Whether it is allowed, the reason and the error, as upstream prints both of them.
Decide = Callable[[User, AccessRequest], tuple[bool, str, str]]
# By apiVersion and kind: the resource, and whether it has namespaces; None where there is no such kind.
FindResource = Callable[[str, str], tuple[str, bool] | None]

_ALL_FINALIZERS: Final = AccessRequest("update", "*", "*", "*", "finalizers", "", "*")
_CANNOT_DELETE: Final = "cannot set an ownerRef on a resource you can't delete"
_CANNOT_FINALIZE: Final = (
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
)


class OwnerReferences:
    def __init__(self, decide: Decide, find_resource: FindResource) -> None:
        self._decide = decide
        self._find_resource = find_resource

    def validate(self, attributes: Attributes) -> None:
        obj, resource = attributes.obj, attributes.resource
        if attributes.operation not in (CREATE, UPDATE) or obj is None or attributes.user.is_master:
            return
        if attributes.subresource == "status" and (resource.group, resource.name) == ("", "pods"):
            return  # which cannot change them
        owners, before = _owners(obj), _owners(attributes.old) if attributes.old is not None else []
        if owners == before:
            return
        if attributes.operation != CREATE:  # who makes an object could have left it
            place = resource.group, resource.version, resource.name, attributes.subresource
            deletion = AccessRequest("delete", *place, attributes.namespace, attributes.name)
            self._require(attributes, deletion, _CANNOT_DELETE)
        blocking = _newly_blocking(owners, before)
        if not blocking or self._decide(attributes.user, _ALL_FINALIZERS)[0]:
            return
        for owner in blocking:
            self._require_finalizers(attributes, owner)

    def _require_finalizers(self, attributes: Attributes, owner: Object) -> None:
        api_version, kind = owner.get("apiVersion") or "", owner.get("kind") or ""
        found = self._find_resource(api_version, kind)
        group, version = meta.split_api_version(api_version)
        if found is None:
            missing = f"no matches for kind {gofmt.quote(kind)} in version {gofmt.quote(api_version)}"
            text = "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion "
            raise forbidden(attributes, f"{text}{api_version} Kind {kind}: {missing}")
        resource, is_namespaced = found
        namespace = attributes.namespace if is_namespaced else ""
        wanted = AccessRequest("update", group, version, resource, "finalizers", namespace, owner.get("name") or "")
        self._require(attributes, wanted, _CANNOT_FINALIZE)

    def _require(self, attributes: Attributes, wanted: AccessRequest, text: str) -> None:
        is_allowed, reason, error = self._decide(attributes.user, wanted)
        if not is_allowed:
            raise forbidden(attributes, f"{text}: {reason}, {error or '<nil>'}")


def _owners(obj: Object) -> list[Object]:
    return obj["metadata"].get("ownerReferences") or []


def _newly_blocking(owners: list[Object], before: list[Object]) -> list[Object]:
    blocked = {each.get("uid") for each in before if each.get("blockOwnerDeletion")}
    return [each for each in owners if each.get("blockOwnerDeletion") and each.get("uid") not in blocked]
