"""How often upstream's strategies look at the metadata of an update, and what a status leaves of it."""

from typing import Any
from unittest.mock import Mock

import pytest

from quarterdeck.registry.builtin import resources
from support.builtin_kind import BuiltinKind

KINDS = {each.resource.kind: BuiltinKind(each) for each in resources.definitions(Mock())}
POD = {"spec": {"containers": [{"name": "c", "image": "i"}]}}
RANGE = {"spec": {"cidrs": ["10.9.0.0/24"]}}


def with_metadata(obj: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {**obj, "metadata": metadata}


@pytest.mark.parametrize(
    ("kind", "obj", "subresource", "times"),
    [
        ("CSIDriver", {"spec": {}}, "", 3),
        ("RuntimeClass", {"handler": "h"}, "", 4),
        ("Pod", POD, "", 4),
        ("Pod", POD, "status", 3),
        ("ServiceCIDR", RANGE, "status", 0),
    ],
)
def test_a_wrong_label_is_told_as_often_as_upstream_looks(
    kind: str, obj: dict[str, Any], subresource: str, times: int
) -> None:
    """Twice for every kind, and once or twice for its own strategy; a status whose labels are the old ones has none."""
    wrong = with_metadata(obj, labels={"A B": "x"})
    told = [each for each in KINDS[kind].refusals_of_update(wrong, obj, subresource) if "metadata.labels" in each]
    assert len(told) == times


@pytest.mark.parametrize(("kind", "obj"), [("Pod", POD), ("ServiceCIDR", RANGE)])
def test_a_status_leaves_the_owners(kind: str, obj: dict[str, Any]) -> None:
    owner = {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}
    changed = KINDS[kind].update(with_metadata(obj, ownerReferences=[owner]), obj, "status")
    assert "ownerReferences" not in changed["metadata"]
    kept = KINDS[kind].update(obj, with_metadata(obj, ownerReferences=[owner]), "status")
    assert kept["metadata"]["ownerReferences"] == [owner]


def test_finalizers_of_a_runtime_class_need_no_domain() -> None:
    named = with_metadata({"handler": "h"}, finalizers=["x"])
    assert not KINDS["RuntimeClass"].refusals(named)
    assert not KINDS["RuntimeClass"].refusals_of_update(named, {"handler": "h"})
    assert KINDS["CSIDriver"].refusals(with_metadata({"spec": {}}, finalizers=["x"]))


LABEL, DOMAIN, GRACE = "metadata.labels", "metadata.finalizers[0]", "metadata.deletionGracePeriodSeconds"
JOB = {"spec": {"template": {"spec": {**POD["spec"], "restartPolicy": "Never"}}}}
ROLE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "x"}
CLAIM: dict[str, Any] = {"spec": {"devices": {}}}


@pytest.mark.parametrize(
    ("kind", "obj"),
    [
        ("Role", {}),
        ("ClusterRole", {}),
        ("RoleBinding", {"roleRef": ROLE}),
        ("ClusterRoleBinding", {"roleRef": ROLE}),
        ("Job", JOB),
        ("StorageClass", {"provisioner": "a.b/c", "volumeBindingMode": "Immediate"}),
        ("ResourceClaim", CLAIM),
        ("ResourceClaimTemplate", {"spec": CLAIM}),
        ("DeviceClass", {"spec": {}}),
    ],
)
def test_what_may_not_change_is_told_after_what_holds_of_new_objects(kind: str, obj: dict[str, Any]) -> None:
    wrong = with_metadata(obj, labels={"A B": "x"}, finalizers=["x"], deletionGracePeriodSeconds=5)
    told = [text.partition(":")[0] for text in KINDS[kind].refusals_of_update(wrong, obj)]
    about = [path for path in told if path in (LABEL, DOMAIN, GRACE)]
    assert about[-5:] == [LABEL, DOMAIN, GRACE, LABEL, DOMAIN]
