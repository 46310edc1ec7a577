"""Bodies that say they are of another kind or version than their address has."""

import json

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import versions
from quarterdeck.apis.resource import APIResource
from quarterdeck.endpoints import patched_bodies
from quarterdeck.registry.builtin.reviews import Definition, build_scope
from quarterdeck.schema import gotypes
from quarterdeck.schema.schemes import scheme_of

LEGACY = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'
DEPLOYMENT = codec.Target("apps", "v1", "Deployment", scheme_of("apps"))


RESOURCE = APIResource("apps", "v1", "deployments", "deployment", "Deployment", "DeploymentList", True, verbs=())
SCOPE = build_scope(Definition(RESOURCE, gotypes.struct_of("apps/v1", "Deployment")))


def refused(**members):
    with pytest.raises(errors.BadRequest) as found:
        codec.decode_object(json.dumps(members).encode(), "", DEPLOYMENT)
    return found.value.message


def undecodable(**members):
    with pytest.raises(patched_bodies.UndecodablePatch) as found:
        patched_bodies.normalize_patched(members, SCOPE, reports=True)
    return str(found.value)


@pytest.mark.parametrize("version", ["apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"])
def test_versions_that_are_not_served_any_more_are_read(version):
    told = f"the API version in the data ({version}) does not match the expected API version (apps/v1)"
    assert refused(apiVersion=version, kind="Deployment") == told
    detail = "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"
    wrong = refused(apiVersion=version, kind="Deployment", spec={"replicas": "x"})
    shown = version.rpartition("/")[2]
    assert wrong == f'Deployment in version "{shown}" cannot be handled as a Deployment: {detail}'
    patched = {"apiVersion": version, "kind": "Deployment", "metadata": {"name": "d"}}
    obj, unknown = patched_bodies.normalize_patched(patched, SCOPE, reports=True)
    assert (obj["apiVersion"], obj["kind"], unknown) == ("apps/v1", "Deployment", [])


def test_yaml_of_another_version_is_read_in_the_order_of_names():
    text = b"apiVersion: apps/v1beta1\nkind: Deployment\nspec: {template: 5, replicas: x}\nmetadata: {labels: 5}\n"
    with pytest.raises(errors.BadRequest) as found:
        codec.decode_object(text, "application/yaml", DEPLOYMENT)
    assert found.value.message.endswith("ObjectMeta.metadata.labels of type map[string]string")


def test_another_version_is_read_before_it_is_refused():
    target = codec.Target("autoscaling", "v1", "HorizontalPodAutoscaler", scheme_of("autoscaling"))
    body = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": {"metrics": "x"}}
    with pytest.raises(errors.BadRequest) as found:
        codec.decode_object(json.dumps(body).encode(), "", target)
    assert found.value.message.endswith("HorizontalPodAutoscalerSpec.spec.metrics of type []v2.MetricSpec")


@pytest.mark.parametrize(
    ("group", "kind", "api_version", "unknown"),
    [
        ("autoscaling", "HorizontalPodAutoscaler", "autoscaling/v2", ["spec.odd"]),
        ("autoscaling", "Scale", "apps/v1beta2", ["spec.odd"]),
        ("networking.k8s.io", "Ingress", "networking.k8s.io/v1beta1", ["spec.odd"]),
        ("networking.k8s.io", "Ingress", "extensions/v1beta1", []),
    ],
)
def test_what_another_version_does_not_have_is_told_where_its_type_is_known(group, kind, api_version, unknown):
    target = codec.Target(group, "v1", kind, scheme_of(group))
    body = {"apiVersion": api_version, "kind": kind, "spec": {"odd": 1}, "metadata": {"name": "a"}}
    text = json.dumps(body).replace('"name": "a"', '"name": "a", "name": "b"')
    with pytest.raises(versions.OtherVersion) as found:
        codec.decode_object(text.encode(), "", target)
    assert list(found.value.unknown) == unknown
    assert len(found.value.repeats) == 1


def test_scales_of_before_had_a_map_for_a_selector():
    target = codec.Target("autoscaling", "v1", "Scale", scheme_of("autoscaling"))
    body = {"apiVersion": "extensions/v1beta1", "kind": "Scale", "status": {"replicas": 1, "selector": "a=b"}}
    with pytest.raises(errors.BadRequest) as found:
        codec.decode_object(json.dumps(body).encode(), "", target)
    assert found.value.message.endswith("field ScaleStatus.status.selector of type map[string]string")


@pytest.mark.parametrize(
    ("group", "kind"),
    [("apiextensions.k8s.io", "CustomResourceDefinition"), ("apiregistration.k8s.io", "APIService")],
)
def test_servers_with_schemes_of_their_own_know_what_they_served_before(group, kind):
    target = codec.Target(group, "v1", kind, scheme_of(group))
    for version, told in (
        (
            "v1beta1",
            f"the API version in the data ({group}/v1beta1) does not match the expected API version ({group}/v1)",
        ),
        ("v1alpha1", f'no kind "{kind}" is registered for version "{group}/v1alpha1"'),
    ):
        with pytest.raises(errors.BadRequest) as found:
            codec.decode_object(json.dumps({"apiVersion": f"{group}/{version}", "kind": kind}).encode(), "", target)
        assert told in found.value.message


@pytest.mark.parametrize(
    ("api_version", "kind", "told"),
    [
        (
            "policy/v1beta1",
            "PodDisruptionBudgetList",
            "converting (v1beta1.PodDisruptionBudgetList) to (apps.Deployment): unknown conversion",
        ),
        (
            "policy/v1beta1",
            "EvictionList",
            f'no kind "EvictionList" is registered for version "policy/v1beta1" {LEGACY}',
        ),
        ("v1", "Status", "converting (v1.Status) to (apps.Deployment): unknown conversion"),
        ("v1", "Pod", "converting (v1.Pod) to (apps.Deployment): unknown conversion"),
        ("v1", "PodLogOptions", "converting (v1.PodLogOptions) to (apps.Deployment): unknown conversion"),
        ("v1", "Container", f'no kind "Container" is registered for version "v1" {LEGACY}'),
        ("apps/v1", "DeploymentSpec", f'no kind "DeploymentSpec" is registered for version "apps/v1" {LEGACY}'),
        # What each scheme knows in every version, and in each of its own.
        ("other/v9", "Status", "converting (v1.Status) to (apps.Deployment): unknown conversion"),
        ("other/v9", "APIResourceList", "converting (v1.APIResourceList) to (apps.Deployment): unknown conversion"),
        ("apps/v1beta2", "GetOptions", "converting (v1.GetOptions) to (apps.Deployment): unknown conversion"),
        ("other/v9", "GetOptions", f'no kind "GetOptions" is registered for version "other/v9" {LEGACY}'),
        ("apps/__internal", "WatchEvent", "converting (v1.InternalEvent) to (apps.Deployment): unknown conversion"),
        (
            "apps/__internal",
            "GetOptions",
            f'no kind "GetOptions" is registered for the internal version of group "apps" {LEGACY}',
        ),
        ("meta.k8s.io/v1", "Table", f'no kind "Table" is registered for version "meta.k8s.io/v1" {LEGACY}'),
        ("apps/v1beta3", "Deployment", f'no kind "Deployment" is registered for version "apps/v1beta3" {LEGACY}'),
        (
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            f'no kind "CustomResourceDefinition" is registered for version "apiextensions.k8s.io/v1" {LEGACY}',
        ),
    ],
)
def test_other_kinds_are_refused(api_version, kind, told):
    assert refused(apiVersion=api_version, kind=kind).endswith(f"cannot be handled as a Deployment: {told}")
    assert undecodable(apiVersion=api_version, kind=kind) == told


def test_other_kinds_are_read_before_they_are_refused():
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"k": "v"}}
    told = "illegal base64 data at input byte 0"
    assert refused(**secret) == f'Secret in version "v1" cannot be handled as a Deployment: {told}'
    assert undecodable(**secret) == told


def test_a_group_without_a_version_is_refused():
    told = refused(apiVersion="batch/", kind="Deployment")
    assert told.startswith(
        "Deployment in version \"\" cannot be handled as a Deployment: Object 'apiVersion' is missing"
    )
    assert undecodable(apiVersion="batch/", kind="Deployment") == "Object 'apiVersion' is missing in "


@pytest.mark.parametrize("api_version", ["", "apps/", None])
def test_a_patched_object_without_a_version_is_of_the_internal_one(api_version):
    told = undecodable(apiVersion=api_version, kind="DaemonSet")
    assert told == "converting (apps.DaemonSet) to (apps.Deployment): unknown conversion"
    told = undecodable(apiVersion=api_version, kind="Nope")
    assert told == f'no kind "Nope" is registered for the internal version of group "apps" {LEGACY}'
