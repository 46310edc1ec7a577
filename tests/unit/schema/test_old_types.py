"""Bodies of versions that are not served any more: what is wrong with them, and what their types do not have."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.schema import oldtypes
from quarterdeck.schema.schemes import scheme_of


def scheme(api_version: str) -> Any:
    return scheme_of(api_version.partition("/")[0])


@pytest.mark.parametrize(
    ("api_version", "kind", "value", "mistake"),
    [
        ("rbac.authorization.k8s.io/v1beta1", "Role", {"rules": "x"}, "Role.rules of type []v1beta1.PolicyRule"),
        (
            "rbac.authorization.k8s.io/v1alpha1",
            "RoleBinding",
            {"roleRef": "x"},
            "RoleBinding.roleRef of type v1alpha1.RoleRef",
        ),
        (
            "apiregistration.k8s.io/v1beta1",
            "APIService",
            {"spec": "x"},
            "APIService.spec of type v1beta1.APIServiceSpec",
        ),
        (
            "networking.k8s.io/v1beta1",
            "Ingress",
            {"spec": {"backend": "x"}},
            "IngressSpec.spec.backend of type v1beta1.IngressBackend",
        ),
        (
            "rbac.authorization.k8s.io/v1beta1",
            "Role",
            {"metadata": "x"},
            "Role.metadata of type v1.ObjectMeta",
        ),
    ],
)
def test_mistakes_name_the_types_of_the_version(
    api_version: str, kind: str, value: dict[str, Any], mistake: str
) -> None:
    found = scheme(api_version).find_mistake(api_version, kind, value)
    assert found == f"json: cannot unmarshal string into Go struct field {mistake}"


@pytest.mark.parametrize(
    ("api_version", "kind", "value", "unknown"),
    [
        (
            "rbac.authorization.k8s.io/v1alpha1",
            "RoleBinding",
            {"subjects": [{"apiVersion": "v1", "apiGroup": "x"}]},
            ["subjects[0].apiGroup"],
        ),
        (
            "rbac.authorization.k8s.io/v1beta1",
            "RoleBinding",
            {"subjects": [{"apiVersion": "v1", "apiGroup": "x"}]},
            ["subjects[0].apiVersion"],
        ),
        (
            "networking.k8s.io/v1beta1",
            "Ingress",
            {"spec": {"backend": {"serviceName": "a", "servicePort": 1}, "defaultBackend": {}}},
            ["spec.defaultBackend"],
        ),
        ("authorization.k8s.io/v1beta1", "SubjectAccessReview", {"spec": {"group": [], "groups": []}}, ["spec.groups"]),
        ("apps/v1beta1", "Deployment", {"spec": {"rollbackTo": {"revision": 1}, "x": 1}}, ["spec.x"]),
        ("batch/v1beta1", "CronJob", {"spec": {"schedule": "x", "jobTemplate": {"x": 1}}}, ["spec.jobTemplate.x"]),
        ("rbac.authorization.k8s.io/v1beta1", "Role", {"metadata": {"x": 1}}, ["metadata.x"]),
    ],
)
def test_what_a_version_does_not_have_is_unknown(
    api_version: str, kind: str, value: dict[str, Any], unknown: list[str]
) -> None:
    assert scheme(api_version).find_unknown(api_version, kind, value) == unknown


def test_types_of_other_groups_keep_their_package() -> None:
    found = oldtypes.object_of("apps/v1beta2", "Deployment")
    assert found is not None
    spec: Any = found.fields["spec"].type
    assert (spec.go_name, spec.fields["template"].type.go_name) == ("v1beta2.DeploymentSpec", "v1.PodTemplateSpec")


def test_what_is_not_listed_has_no_type_here() -> None:
    assert oldtypes.object_of("apps/v1", "Deployment") is None
    assert oldtypes.object_of("rbac.authorization.k8s.io/v1beta1", "Pod") is None
