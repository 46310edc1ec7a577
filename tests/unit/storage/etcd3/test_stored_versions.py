"""Kinds that are stored, or were, in another version than they are served in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apis.storednames import STORED
from quarterdeck.server.etcdstoring import build_values
from quarterdeck.server.etcdversions import STORED_KINDS
from quarterdeck.storage.cacher import build_prefix
from quarterdeck.storage.etcd3.settings import Settings

KEY = "/registry/admissionregistration.k8s.io/validatingwebhookconfigurations/a"
V1 = "admissionregistration.k8s.io/v1"


def configuration(api_version: str, **webhook: Any) -> dict[str, Any]:
    webhooks = [{"name": "a.example.com", "clientConfig": {"url": "https://a"}, **webhook}]
    kind = "ValidatingWebhookConfiguration"
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "webhooks": webhooks}


@pytest.mark.parametrize("is_protobuf", [True, False])
def test_webhook_configurations_are_read_in_v1beta1_and_stored_in_v1(is_protobuf: bool) -> None:
    values = build_values(Settings((), is_protobuf=is_protobuf), {})
    old = configuration(V1 + "beta1", timeoutSeconds=7)
    stored = json.dumps(old).encode()
    if is_protobuf:
        message = protobuf.encode_message(old, V1, old["kind"])
        stored = protobuf.enclosing(V1 + "beta1", old["kind"])(message)
    found = json.loads(values.open(KEY, b"", stored))
    assert found["apiVersion"] == V1
    (webhook,) = found["webhooks"]
    assert (webhook["timeoutSeconds"], webhook["failurePolicy"], webhook["sideEffects"]) == (7, "Ignore", "Unknown")
    again = values.seal(KEY, b"", json.dumps(found).encode())
    assert again.startswith(protobuf.MAGIC) is is_protobuf
    assert (V1 + "beta1").encode() not in again
    assert json.loads(values.open(KEY, b"", again)) == found


def test_what_is_stored_in_v1_has_no_defaults_of_v1beta1() -> None:
    values = build_values(Settings(()), {})
    found = json.loads(values.open(KEY, b"", json.dumps(configuration(V1)).encode()))
    (webhook,) = found["webhooks"]
    assert {name for name, value in webhook.items() if value is not None} == {"name", "clientConfig"}


@pytest.mark.parametrize("group", ["apiextensions.k8s.io/customresourcedefinitions", "g.dev/things"])
@pytest.mark.parametrize(
    "text", ["{bad", "[]", '{"metadata":"x"}', '{"apiVersion":1,"kind":"A","metadata":{}}', '{"kind":{},"metadata":{}}']
)
def test_what_is_no_object_cannot_be_read(group: str, text: str) -> None:
    values = build_values(Settings(()), {})
    with pytest.raises(ValueError):
        values.open(f"/registry/{group}/a", b"", text.encode())


def test_a_custom_object_in_our_order_is_taken_as_it_is_and_another_one_is_brought_into_it() -> None:
    values = build_values(Settings(()), {})
    ours = b'{"apiVersion":"g.dev/v1","kind":"Thing","metadata":{"name":"a"},"alpha":1}'
    assert values.open("/registry/g.dev/things/a", b"", ours + b"\n") == ours
    theirs = b'{"alpha": 1, "apiVersion": "g.dev/v1", "kind": "Thing", "metadata": {"name": "a"}}'
    assert values.open("/registry/g.dev/things/a", b"", theirs) == ours


LABEL = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
FLOW = "flowcontrol.apiserver.k8s.io"
PRESERVE = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"


def read_back(
    place: str, api_version: str, kind: str, *, is_protobuf: bool, like: str = "", **parts: Any
) -> dict[str, Any]:
    """What is read of an object in an old version; `like`: the version whose messages it has."""
    old = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, **parts}
    stored = json.dumps(old).encode()
    if is_protobuf:
        message = protobuf.encode_message(old, like or api_version, kind)
        stored = protobuf.enclosing(api_version, kind)(message)
    return read_stored(place, api_version, stored, is_protobuf=is_protobuf)


def read_stored(place: str, api_version: str, stored: bytes, *, is_protobuf: bool) -> dict[str, Any]:
    values = build_values(Settings((), is_protobuf=is_protobuf), {})
    key = f"/registry/{place}/a"
    found: dict[str, Any] = json.loads(values.open(key, b"", stored))
    again = values.seal(key, b"", json.dumps(found).encode())
    assert json.loads(values.open(key, b"", again)) == found
    assert api_version.encode() not in again
    return found


@pytest.mark.parametrize("is_protobuf", [True, False])
@pytest.mark.parametrize(
    ("place", "api_version", "like", "kind", "spec"),
    [
        ("batch/cronjobs", "batch/v1beta1", "batch/v1", "CronJob", {"schedule": "* * * * *"}),
        ("networking.k8s.io/servicecidrs", "networking.k8s.io/v1beta1", "", "ServiceCIDR", {"cidrs": ["10.0.0.0/24"]}),
        ("networking.k8s.io/networkpolicies", "extensions/v1beta1", "", "NetworkPolicy", {"policyTypes": ["Egress"]}),
        ("apps/replicasets", "extensions/v1beta1", "apps/v1", "ReplicaSet", {"replicas": 3}),
    ],
)
def test_a_version_like_the_served_one_is_read_as_that(
    place: str, api_version: str, like: str, kind: str, spec: dict[str, Any], is_protobuf: bool
) -> None:
    group = place.partition("/")[0]
    found = read_back(place, api_version, kind, is_protobuf=is_protobuf, like=like or f"{group}/v1", spec=spec)
    assert found["apiVersion"] == f"{group}/v1"
    assert found["spec"].items() >= spec.items()


@pytest.mark.parametrize("is_protobuf", [True, False])
@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ({}, {"matchExpressions": [{"key": LABEL, "operator": "Exists"}]}),
        ({"matchExpressions": [{"key": LABEL, "operator": "DoesNotExist"}]}, {}),
        ({"matchLabels": {"a": "b"}}, {"matchLabels": {"a": "b"}}),
    ],
)
def test_an_empty_selector_of_an_old_budget_selects_nothing(
    stored: dict[str, Any], shown: dict[str, Any], is_protobuf: bool
) -> None:
    spec = {"minAvailable": 2, "selector": stored}
    found = read_back(
        "policy/poddisruptionbudgets",
        "policy/v1beta1",
        "PodDisruptionBudget",
        is_protobuf=is_protobuf,
        like="policy/v1",
        spec=spec,
    )
    assert (found["apiVersion"], found["spec"]) == ("policy/v1", {"minAvailable": 2, "selector": shown})


def test_an_old_budget_may_have_no_selector() -> None:
    found = read_back(
        "policy/poddisruptionbudgets", "policy/v1beta1", "PodDisruptionBudget", is_protobuf=False, spec={}
    )
    assert "selector" not in found["spec"]


@pytest.mark.parametrize(
    ("version", "limited", "annotations", "shares"),
    [
        ("v1beta1", {"assuredConcurrencyShares": 7}, {}, 7),
        ("v1beta2", {"assuredConcurrencyShares": 0}, {}, 30),
        ("v1beta3", {"nominalConcurrencyShares": 7}, {}, 7),
        ("v1beta3", {"nominalConcurrencyShares": 0}, {}, 30),
        ("v1beta3", {"nominalConcurrencyShares": 0}, {PRESERVE: "", "a": "b"}, 0),
        ("v1beta3", {"nominalConcurrencyShares": 0}, {PRESERVE: ""}, 0),
    ],
)
def test_an_old_priority_level_has_the_shares_that_it_meant(
    version: str, limited: dict[str, Any], annotations: dict[str, str], shares: int
) -> None:
    metadata = {"name": "a", **({"annotations": annotations} if annotations else {})}
    spec = {"type": "Limited", "limited": limited}
    found = read_back(
        f"{FLOW}/prioritylevelconfigurations",
        f"{FLOW}/{version}",
        "PriorityLevelConfiguration",
        is_protobuf=False,
        metadata=metadata,
        spec=spec,
    )
    said = found["spec"]["limited"]
    assert (said["nominalConcurrencyShares"], "assuredConcurrencyShares" in said) == (shares, False)
    assert found["metadata"].get("annotations") == ({"a": "b"} if "a" in annotations else None)


def test_an_exempt_old_priority_level_is_taken_as_it_is() -> None:
    kind = "PriorityLevelConfiguration"
    found = read_back(
        f"{FLOW}/prioritylevelconfigurations",
        f"{FLOW}/v1beta3",
        kind,
        is_protobuf=True,
        like=f"{FLOW}/v1",
        spec={"type": "Exempt"},
    )
    assert (found["apiVersion"], found["spec"]) == (f"{FLOW}/v1", {"type": "Exempt"})


@pytest.mark.parametrize("is_protobuf", [True, False])
@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_an_event_of_the_other_group_is_read_as_that_of_the_core(version: str, is_protobuf: bool) -> None:
    parts = {"note": "n", "regarding": {"kind": "Pod", "name": "p"}, "deprecatedCount": 3, "reason": "r"}
    api_version = f"events.k8s.io/{version}"
    found = read_back(
        "core/events", api_version, "Event", is_protobuf=is_protobuf, like="events.k8s.io/v1", eventTime=None, **parts
    )
    assert (found["apiVersion"], found["message"], found["count"], found["reason"]) == ("v1", "n", 3, "r")
    assert found["involvedObject"] == {"kind": "Pod", "name": "p"}


@pytest.mark.parametrize("is_protobuf", [True, False])
def test_an_autoscaler_in_v1_is_read_in_v2(is_protobuf: bool) -> None:
    target = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
    spec = {"scaleTargetRef": target, "maxReplicas": 3, "targetCPUUtilizationPercentage": 40}
    kind = "HorizontalPodAutoscaler"
    found = read_back(
        "autoscaling/horizontalpodautoscalers", "autoscaling/v1", kind, is_protobuf=is_protobuf, spec=spec
    )
    assert found["apiVersion"] == "autoscaling/v2"
    (metric,) = found["spec"]["metrics"]
    assert metric["resource"]["target"]["averageUtilization"] == 40


def test_every_kind_with_other_versions_is_stored() -> None:
    assert set(STORED_KINDS) <= {build_prefix(group, name) for group, name in STORED}


def chunk(number: int, content: bytes | str) -> bytes:
    """A field of a protobuf message that has a length."""
    content = content.encode() if isinstance(content, str) else content
    assert len(content) < 128
    return bytes((number << 3 | 2, len(content))) + content


def read_message(place: str, api_version: str, kind: str, *fields: bytes) -> dict[str, Any]:
    """What is read of a message; `fields`: beside those of its metadata."""
    message = chunk(1, chunk(1, "a")) + b"".join(fields)
    stored = protobuf.enclosing(api_version, kind)(message)
    return read_stored(place, api_version, stored, is_protobuf=True)


@pytest.mark.parametrize("api_version", ["networking.k8s.io/v1beta1", "extensions/v1beta1"])
def test_an_old_ingress_names_its_services_as_those_of_now(api_version: str) -> None:
    place, kind = "networking.k8s.io/ingresses", "Ingress"
    paths = [
        {"path": "/a", "backend": {"serviceName": "a", "servicePort": 80}},
        {"path": "/b", "pathType": "Exact", "backend": {"serviceName": "b", "servicePort": "web"}},
        {"path": "/c", "backend": {"resource": {"apiGroup": "g.dev", "kind": "Bucket", "name": "c"}}},
        {"path": "/d", "backend": {"serviceName": "d", "servicePort": ""}},
    ]
    spec = {"backend": {"serviceName": "d", "servicePort": 0}, "rules": [{"host": "a"}, {"http": {"paths": paths}}]}
    found = read_back(place, api_version, kind, is_protobuf=False, spec=spec)
    assert found["spec"]["defaultBackend"]["service"]["name"] == "d"
    usual = "ImplementationSpecific"
    assert found["spec"]["rules"][0] == {"host": "a"}
    assert found["spec"]["rules"][1]["http"]["paths"] == [
        {"path": "/a", "pathType": usual, "backend": {"service": {"name": "a", "port": {"number": 80}}}},
        {"path": "/b", "pathType": "Exact", "backend": {"service": {"name": "b", "port": {"name": "web"}}}},
        {"path": "/c", "pathType": usual, "backend": paths[2]["backend"]},
        {"path": "/d", "pathType": usual, "backend": {"service": {"name": "d", "port": {}}}},
    ]
    port = b"\x08\x01" + b"\x10\x00" + chunk(3, "web")
    backend = chunk(1, "d") + chunk(2, port)
    path = chunk(1, "/a") + chunk(2, backend)
    spec_message = chunk(1, backend) + chunk(3, chunk(1, "a") + chunk(2, chunk(1, chunk(1, path))))
    found = read_message(place, api_version, kind, chunk(2, spec_message))
    service = {"service": {"name": "d", "port": {"name": "web"}}}
    (rule,) = found["spec"]["rules"]
    assert found["spec"]["defaultBackend"] == service
    assert rule["http"]["paths"] == [{"path": "/a", "pathType": usual, "backend": service}]


ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("topology", "shown"),
    [
        ({ZONE: "z", HOST: "n"}, {"zone": "z"}),
        ({HOST: "m", "a": "b"}, {"deprecatedTopology": {HOST: "m", "a": "b"}}),
        ({}, {}),
    ],
)
def test_an_old_endpoint_slice_tells_zones_apart(topology: dict[str, str], shown: dict[str, Any]) -> None:
    place, api_version, kind = "discovery.k8s.io/endpointslices", "discovery.k8s.io/v1beta1", "EndpointSlice"
    endpoint = {"addresses": ["10.0.0.1"], "nodeName": "n", "topology": topology}
    found = read_back(place, api_version, kind, is_protobuf=False, addressType="IPv4", endpoints=[endpoint])
    assert found["apiVersion"] == "discovery.k8s.io/v1"
    expected = {"addresses": ["10.0.0.1"], "conditions": {}, "nodeName": "n", **shown}
    assert found["endpoints"] == [expected]
    said = b"".join(chunk(5, chunk(1, key) + chunk(2, value)) for key, value in topology.items())
    hints = chunk(1, chunk(1, "z"))
    message = chunk(1, "10.0.0.1") + said + chunk(6, "n") + chunk(7, hints)
    found = read_message(place, api_version, kind, chunk(2, message), chunk(4, "IPv4"))
    assert found["endpoints"] == [expected | {"hints": {"forZones": [{"name": "z"}]}}]


@pytest.mark.parametrize("api_version", ["apps/v1beta1", "extensions/v1beta1"])
def test_an_old_deployment_asks_for_a_rollback_by_an_annotation(api_version: str) -> None:
    spec = {"replicas": 2, "rollbackTo": {"revision": 3}}
    found = read_back("apps/deployments", api_version, "Deployment", is_protobuf=False, spec=spec)
    assert found["metadata"]["annotations"] == {"deprecated.deployment.rollback.to": "3"}
    assert (found["apiVersion"], found["spec"]["replicas"], "rollbackTo" in found["spec"]) == ("apps/v1", 2, False)
    message = b"\x08\x02" + chunk(8, b"\x08\x03")
    found = read_message("apps/deployments", api_version, "Deployment", chunk(2, message))
    assert found["metadata"]["annotations"] == {"deprecated.deployment.rollback.to": "3"}
    assert found["spec"]["replicas"] == 2
    found = read_message("apps/deployments", api_version, "Deployment", chunk(2, b"\x08\x02"))
    assert "annotations" not in found["metadata"]


def test_an_old_daemon_set_tells_its_template_by_an_annotation() -> None:
    found = read_message("apps/daemonsets", "extensions/v1beta1", "DaemonSet", chunk(2, b"\x28\x07"))
    assert found["metadata"]["annotations"] == {"deprecated.daemonset.template.generation": "7"}


DRA = "resource.k8s.io/v1beta1"


def test_an_old_claim_says_of_a_request_what_it_wants_exactly() -> None:
    requests = [
        {"name": "a", "deviceClassName": "c", "allocationMode": "All", "adminAccess": False},
        {"name": "b", "firstAvailable": [{"name": "d", "deviceClassName": "c"}]},
    ]
    expected = [
        {"name": "a", "exactly": {"deviceClassName": "c", "allocationMode": "All", "adminAccess": False}},
        {"name": "b", "firstAvailable": [{"name": "d", "deviceClassName": "c"}]},
    ]
    spec = {"devices": {"requests": requests}}
    claim = read_back("resource.k8s.io/resourceclaims", DRA, "ResourceClaim", is_protobuf=False, spec=spec)
    template = read_back(
        "resource.k8s.io/resourceclaimtemplates", DRA, "ResourceClaimTemplate", is_protobuf=False, spec={"spec": spec}
    )
    assert claim["spec"]["devices"]["requests"] == template["spec"]["spec"]["devices"]["requests"] == expected
    first = chunk(1, "a") + chunk(2, "c") + chunk(4, "All") + b"\x28\x00" + b"\x30\x00"
    second = chunk(1, "b") + chunk(2, "") + chunk(7, chunk(1, "d") + chunk(2, "c"))
    devices = chunk(1, first) + chunk(1, second)
    claim = read_message("resource.k8s.io/resourceclaims", DRA, "ResourceClaim", chunk(2, chunk(1, devices)))
    assert claim["spec"]["devices"]["requests"] == expected
    template = read_message(
        "resource.k8s.io/resourceclaimtemplates", DRA, "ResourceClaimTemplate", chunk(2, chunk(2, chunk(1, devices)))
    )
    assert template["spec"]["spec"]["devices"]["requests"] == expected


def test_an_old_slice_holds_its_devices_as_those_of_now() -> None:
    place, kind = "resource.k8s.io/resourceslices", "ResourceSlice"
    devices = [{"name": "a", "basic": {"attributes": {"x": {"int": 7}}}}, {"name": "b"}]
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "d", "pool": pool, "devices": devices}
    found = read_back(place, DRA, kind, is_protobuf=False, spec=spec)
    assert found["spec"]["devices"] == [{"name": "a", "attributes": {"x": {"int": 7}}}, {"name": "b"}]
    device = chunk(1, "a") + chunk(2, chunk(1, chunk(1, "x") + chunk(2, b"\x10\x07")) + b"\x30\x01")
    found = read_message(place, DRA, kind, chunk(2, chunk(1, "d") + chunk(3, "") + b"\x28\x00" + chunk(6, device)))
    assert found["spec"]["devices"] == [{"name": "a", "attributes": {"x": {"int": 7}}, "allNodes": True}]
    assert {"nodeName", "allNodes"}.isdisjoint(found["spec"])


@pytest.mark.parametrize("is_protobuf", [True, False])
def test_lists_that_old_objects_do_not_have_are_not_made(is_protobuf: bool) -> None:
    discovery, networking = "discovery.k8s.io", "networking.k8s.io"
    place, kind = f"{discovery}/endpointslices", "EndpointSlice"
    found = read_back(place, f"{discovery}/v1beta1", kind, is_protobuf=is_protobuf, like=f"{discovery}/v1")
    assert found["endpoints"] is None
    place, version, spec = f"{networking}/ingresses", f"{networking}/v1beta1", {"rules": [{"http": {}}]}
    found = read_back(place, version, "Ingress", is_protobuf=is_protobuf, like=f"{networking}/v1", spec=spec)
    assert found["spec"]["rules"] == [{"http": {"paths": None}}]


@pytest.mark.parametrize("is_protobuf", [True, False])
def test_what_stands_in_an_old_version_is_stale(is_protobuf: bool) -> None:
    values = build_values(Settings((), is_protobuf=is_protobuf), {})
    key, obj = "/registry/coordination.k8s.io/leases/n/a", {"kind": "Lease", "metadata": {"name": "a"}}
    new = values.seal(key, b"", json.dumps({"apiVersion": "coordination.k8s.io/v1", **obj}).encode())
    old = json.dumps({"apiVersion": "coordination.k8s.io/v1beta1", **obj}).encode()
    values.open(key, b"", new)
    assert values.is_identity, "nobody need look"
    values.open(key, b"", old)
    assert not values.is_identity
    assert values.is_stale(key, b"", old)
    assert not values.is_stale(key, b"", new)
    assert not values.is_stale("/registry/core/pods/n/a", b"", b"{}")
    assert not values.is_stale(key, b"", b"[bad")


@pytest.mark.parametrize(
    ("place", "api_version", "kind"),
    [
        ("admissionregistration.k8s.io/mutatingadmissionpolicies", f"{V1}alpha1", "MutatingAdmissionPolicy"),
        ("apiextensions.k8s.io/customresourcedefinitions", "apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ],
)
def test_what_is_kept_in_an_older_version_than_it_is_served_in_is_stale_in_any_other(
    place: str, api_version: str, kind: str
) -> None:
    values = build_values(Settings(()), {})
    key, obj = f"/registry/{place}/a", {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}}
    stored = json.dumps(obj).encode()
    values.open(key, b"", stored)
    assert not values.is_identity
    assert values.is_stale(key, b"", stored)


def test_definitions_in_the_version_that_they_are_kept_in_are_not_stale() -> None:
    values = build_values(Settings(()), {})
    key = "/registry/apiextensions.k8s.io/customresourcedefinitions/things.g.dev"
    spec = {"group": "g.dev", "names": {"plural": "things", "kind": "Thing"}, "scope": "Namespaced", "version": "v1"}
    obj = {"kind": "CustomResourceDefinition", "metadata": {"name": "things.g.dev"}, "spec": spec}
    stored = json.dumps({"apiVersion": "apiextensions.k8s.io/v1beta1", **obj}).encode()
    values.open(key, b"", stored)
    assert values.is_identity
    assert not values.is_stale(key, b"", stored)
