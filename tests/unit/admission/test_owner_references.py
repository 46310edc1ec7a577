"""Who may set the owners of an object (CVE-2025-5187 is what happens where anybody may)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.ownerreferences import AccessRequest, OwnerReferences
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User

Object = dict[str, Any]
BOB = User("bob")
KINDS = {("v1", "Node"): ("nodes", False), ("apps/v1", "ReplicaSet"): ("replicasets", True)}


def owned(*owners: Object) -> Object:
    return {"metadata": {"name": "a", "ownerReferences": list(owners)} if owners else {"name": "a"}}


def owner(kind: str = "ReplicaSet", **members: Any) -> Object:
    api_version = "v1" if kind == "Node" else "apps/v1"
    return {"apiVersion": api_version, "kind": kind, "name": "o", "uid": "1", **members}


BLOCKING = owner(blockOwnerDeletion=True)


def judge(new: Object, old: Object | None, *allowed: str, user: User = BOB, subresource: str = "") -> str:
    """The refusal, "" for none. `allowed`: `VERB RESOURCE[/SUBRESOURCE] NAMESPACE NAME`."""

    def decide(_user: User, wanted: AccessRequest) -> tuple[bool, str, str]:
        resource = f"{wanted.resource}/{wanted.subresource}" if wanted.subresource else wanted.resource
        return f"{wanted.verb} {resource} {wanted.namespace} {wanted.name}" in allowed, "because", ""

    attributes: Any = SimpleNamespace(
        operation="UPDATE" if old is not None else "CREATE",
        resource=SimpleNamespace(group="", version="v1", name="pods"),
        subresource=subresource,
        namespace="d",
        name="a",
        obj=new,
        old=old,
        user=user,
    )
    try:
        OwnerReferences(decide, lambda *kind: KINDS.get(kind)).validate(attributes)
    except errors.Forbidden as error:
        return error.message
    return ""


DELETE = "delete pods d a"
ANY = "update */finalizers  *"
CANNOT_DELETE = 'pods "a" is forbidden: cannot set an ownerRef on a resource you can\'t delete: because, <nil>'
CANNOT_FINALIZE = (
    'pods "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set '
    "finalizers on: because, <nil>"
)


@pytest.mark.parametrize(
    ("new", "old", "allowed", "text"),
    [
        (owned(), None, (), ""),
        (owned(owner()), owned(owner()), (), ""),
        (owned(owner()), None, (), ""),
        (owned(owner()), owned(), (), CANNOT_DELETE),
        (owned(), owned(owner()), (), CANNOT_DELETE),
        (owned(owner()), owned(), (DELETE,), ""),
        (owned(BLOCKING), owned(), (DELETE,), CANNOT_FINALIZE),
        (owned(BLOCKING), owned(), (DELETE, "update replicasets/finalizers d o"), ""),
        (owned(BLOCKING), owned(owner()), (DELETE,), CANNOT_FINALIZE),
        (owned(BLOCKING), None, (), CANNOT_FINALIZE),
        (owned(BLOCKING), None, (ANY,), ""),
        (owned(BLOCKING), owned(), (ANY,), CANNOT_DELETE),
        (owned(owner("Absent", blockOwnerDeletion=True)), None, (ANY,), ""),
        (owned(BLOCKING), owned(BLOCKING, owner(uid="2")), (DELETE,), ""),
        (owned(owner("Node", blockOwnerDeletion=True)), None, ("update nodes/finalizers  o",), ""),
        (
            owned(owner("Absent", blockOwnerDeletion=True)),
            None,
            (),
            'pods "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for '
            'APIVersion apps/v1 Kind Absent: no matches for kind "Absent" in version "apps/v1"',
        ),
    ],
)
def test_who_changes_owners_may_delete(new: Object, old: Object | None, allowed: tuple[str, ...], text: str) -> None:
    assert judge(new, old, *allowed) == text


def test_what_is_not_asked_about() -> None:
    assert judge(owned(owner()), owned(), subresource="status") == ""
    assert judge(owned(owner()), owned(), user=User("root", groups=("system:masters",))) == ""
