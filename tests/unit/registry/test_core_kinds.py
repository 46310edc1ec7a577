"""The kinds of core that are no pods: what is defaulted, refused, kept and warned of."""

from __future__ import annotations

import base64
from typing import Any, cast

import pytest

from quarterdeck.apimachinery import field
from quarterdeck.registry import deletion
from quarterdeck.registry.builtin.core import resources
from quarterdeck.registry.builtin.core.persistentvolume import default_volume_spec
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.schema.godecode import Decoder
from support.builtin_kind import BuiltinKind

KINDS = {definition.resource.kind: definition for definition in resources.definitions()}
Object = dict[str, Any]
NFS = {"server": "s", "path": "/p"}


def build(kind: str, **members: Any) -> Object:
    """An object as its strategy gets it: decoded and defaulted."""
    definition = KINDS[kind]
    body = Decoder(report_unknown=False).decode_struct(members, definition.make_struct())
    metadata = {"name": "a"} | ({"namespace": "ns"} if definition.resource.namespaced else {})
    obj = {"apiVersion": "v1", "kind": kind, "metadata": metadata, **body}
    if definition.note is not None:
        definition.note(members)
    if definition.default is not None:
        definition.default(obj)
    return obj


def strategy_of(definition: Definition, subresource: str = "") -> BuiltinStrategy:
    return cast("BuiltinStrategy", definition.subresources[subresource] if subresource else definition.strategy)


def refusals(kind: str, **members: Any) -> list[str]:
    """What is wrong with a new object."""
    obj = build(kind, **members)
    strategy = strategy_of(KINDS[kind])
    strategy.prepare_for_create(obj)
    return sorted(shown(problem) for problem in strategy.validate(obj, []))


def refusals_of_update(kind: str, new: Object, old: Object, subresource: str = "") -> list[str]:
    strategy = strategy_of(KINDS[kind], subresource)
    objects = [build(kind, **members) for members in (old, new)][::-1]  # the last that is decoded is the request's
    for obj in objects:
        obj["metadata"] |= {"uid": "u", "resourceVersion": "1"}
    strategy.prepare_for_update(*objects)
    return sorted(shown(problem) for problem in strategy.validate_update(*objects, []))


def shown(problem: field.FieldError) -> str:
    return f"{problem.path}: {problem.detail}"


TEMPLATE: Object = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.mark.parametrize(
    ("limits", "wrong"),
    [
        ({"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1"}, "maxLimitRequestRatio": {"cpu": "2"}}, []),
        ({"type": "odd"}, ["spec.limits[0].type: must be a standard limit type or fully qualified"]),
        ({"type": "a.dev/odd", "max": {"storage": "1"}}, []),
        (
            {"type": "Pod", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "1"}},
            [
                "spec.limits[0].default: may not be specified when `type` is 'Pod'",
                "spec.limits[0].defaultRequest: may not be specified when `type` is 'Pod'",
            ],
        ),
        (
            {"type": "PersistentVolumeClaim"},
            ["spec.limits[0].limits: either minimum or maximum storage value is required, but neither was provided"],
        ),
        (
            {"type": "a/b", "min": {"cpu": "3"}, "max": {"cpu": "2"}, "maxLimitRequestRatio": {"cpu": "500m"}},
            [
                "spec.limits[0].maxLimitRequestRatio[cpu]: ratio 500m is less than 1",
                "spec.limits[0].min[cpu]: min value 3 is greater than max value 2",
            ],
        ),
        (
            {"type": "a/b", "min": {"cpu": "100m"}, "max": {"cpu": "2"}, "maxLimitRequestRatio": {"cpu": "30"}},
            ["spec.limits[0].maxLimitRequestRatio[cpu]: ratio 30 is greater than max/min = 20.000000"],
        ),
        (
            {"type": "a/b", "min": {"cpu": "0"}, "max": {"cpu": "-1"}, "maxLimitRequestRatio": {"cpu": "2"}},
            [
                "spec.limits[0].maxLimitRequestRatio[cpu]: ratio 2 is greater than max/min = -Inf",
                "spec.limits[0].min[cpu]: min value 0 is greater than max value -1",
            ],
        ),
        ({"type": "a/b", "min": {"cpu": "0"}, "max": {"cpu": "0"}, "maxLimitRequestRatio": {"cpu": "9" * 400}}, []),
        ({"type": "a/b", "min": {"cpu": "1"}, "max": {"cpu": "2"}, "maxLimitRequestRatio": {"cpu": "9" * 400}}, []),
        (
            {"type": "a/b", "default": {"x.dev/gpu": "2"}, "defaultRequest": {"x.dev/gpu": "1"}},
            [
                "spec.limits[0].defaultRequest[x.dev/gpu]: default value 2 must equal to defaultRequest value 1 in"
                " x.dev/gpu"
            ],
        ),
        (
            {"type": "Pod", "max": {"odd": "1"}},
            [
                "spec.limits[0].max[odd]: must be a standard resource for containers",
                "spec.limits[0].max[odd]: must be a standard resource type or fully qualified",
            ],
        ),
    ],
)
def test_limits_fit_together(limits: Object, wrong: list[str]) -> None:
    assert refusals("LimitRange", spec={"limits": [limits]}) == wrong


def test_what_a_container_may_use_at_most_is_its_default() -> None:
    item = {"type": "Container", "max": {"cpu": "2", "memory": "1Gi"}, "min": {"cpu": "100m", "x.dev/y": "1"}}
    (limits,) = build("LimitRange", spec={"limits": [{**item, "default": {"cpu": "1"}}]})["spec"]["limits"]
    assert limits["default"] == {"cpu": "1", "memory": "1Gi"}
    assert limits["defaultRequest"] == {"cpu": "1", "memory": "1Gi", "x.dev/y": "1"}


def test_a_limit_range_without_a_name_gets_one() -> None:
    obj = build("LimitRange")
    obj["metadata"] = {"namespace": "ns"}
    strategy_of(KINDS["LimitRange"]).prepare_for_create(obj)
    assert len(obj["metadata"]["name"]) == 36


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"hard": {"pods": "5", "requests.nvidia.com/gpu": "4", "count/secrets": "1", "requests.cpu": "500m"}}, []),
        (
            {"hard": {"storage": "1", "pods": "500m", "cpu": "-1"}},
            [
                "spec.hard[cpu]: must be greater than or equal to 0",
                "spec.hard[pods]: must be an integer",
                "spec.hard[storage]: must be a standard resource for quota",
            ],
        ),
        ({"scopes": ["Odd"]}, ["spec.scopes: unsupported scope"]),
        (
            {"hard": {"cpu": "1", "a.dev/b": "1"}, "scopes": ["BestEffort", "NotBestEffort"]},
            ["spec.scopes: conflicting scopes", "spec.scopes: unsupported scope applied to resource"],
        ),
        (
            {"hard": {"pods": "1"}, "scopes": ["VolumeAttributesClass"]},
            ["spec.scopes: unsupported scope applied to resource"],
        ),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]}},
            [
                "spec.scopeSelector.matchExpressions.values: must be at least one value when `operator` is 'In' or"
                " 'NotIn' for scope selector"
            ],
        ),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "Odd", "operator": "Odd"}]}},
            [
                "spec.scopeSelector.matchExpressions.operator: not a valid selector operator",
                "spec.scopeSelector.matchExpressions.scopeName: unsupported scope",
            ],
        ),
    ],
)
def test_quotas_limit_what_can_be_counted(spec: Object, wrong: list[str]) -> None:
    assert refusals("ResourceQuota", spec=spec) == wrong


def test_the_scopes_of_a_quota_stay() -> None:
    new, old = ({"spec": {"hard": {"pods": "1"}, "scopes": scopes}} for scopes in (["BestEffort"], ["NotBestEffort"]))
    assert refusals_of_update("ResourceQuota", new, old) == ["spec.scopes: field is immutable"]
    used = {"status": {"used": {"odd": "1"}}}
    assert refusals_of_update("ResourceQuota", used, {}) == []
    assert refusals_of_update("ResourceQuota", used, {}, "status") == [
        "status.used[odd]: must be a standard resource for quota",
        "status.used[odd]: must be a standard resource type or fully qualified",
    ]


@pytest.mark.parametrize(
    ("subset", "wrong"),
    [
        ({"addresses": [{"ip": "10.1.1.1", "nodeName": "n.o"}], "ports": [{"port": 1}]}, []),
        ({}, ["subsets[0]: must specify `addresses` or `notReadyAddresses`"]),
        (
            {"notReadyAddresses": [{"ip": "127.0.0.1", "hostname": "a.b"}]},
            [
                "subsets[0].notReadyAddresses[0].hostname: must not contain dots",
                "subsets[0].notReadyAddresses[0].ip: may not be in the loopback range (127.0.0.0/8, ::1/128)",
            ],
        ),
        (
            {"addresses": [{"ip": "1.2.3.04"}], "ports": [{"port": 0, "name": "a"}, {"port": 1, "protocol": "X"}]},
            [
                "subsets[0].addresses[0].ip: must not have leading 0s",
                "subsets[0].ports[0].port: must be between 1 and 65535, inclusive",
                "subsets[0].ports[1].name: ",
                'subsets[0].ports[1].protocol: supported values: "SCTP", "TCP", "UDP"',
            ],
        ),
    ],
)
def test_endpoints_are_addresses_with_ports(subset: Object, wrong: list[str]) -> None:
    assert refusals("Endpoints", subsets=[subset]) == wrong


def test_old_subsets_of_endpoints_are_let_pass_as_a_whole() -> None:
    odd = {"subsets": [{"addresses": [{"ip": "1.2.3.04"}]}]}
    assert refusals_of_update("Endpoints", odd, odd) == []
    more = {"subsets": [*odd["subsets"], {"addresses": [{"ip": "1.2.3.4"}]}]}
    assert refusals_of_update("Endpoints", more, odd) == ["subsets[0].addresses[0].ip: must not have leading 0s"]


def test_an_odd_address_of_endpoints_is_warned_of() -> None:
    warnings: list[str] = []
    assert (
        strategy_of(KINDS["Endpoints"]).validate(
            build("Endpoints", subsets=[{"addresses": [{"ip": "FE::1"}]}]), warnings
        )
        == []
    )
    assert warnings == [
        'subsets[0].addresses[0].ip: IPv6 address "FE::1" should be in RFC 5952 canonical format ("fe::1")'
    ]


def test_a_controller_takes_its_labels_from_the_template() -> None:
    obj = build("ReplicationController", spec={"template": TEMPLATE})
    assert obj["spec"]["selector"] == obj["metadata"]["labels"] == {"a": "b"}
    assert obj["spec"]["replicas"] == 1


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"template": TEMPLATE}, []),
        ({}, ["spec.selector: ", "spec.template: "]),
        (
            {"replicas": -1, "minReadySeconds": -1, "selector": {"a": "x"}, "template": TEMPLATE},
            [
                "spec.minReadySeconds: must be greater than or equal to 0",
                "spec.replicas: must be greater than or equal to 0",
                "spec.template.metadata.labels: `selector` does not match template `labels`",
            ],
        ),
        (
            {
                "template": {
                    **TEMPLATE,
                    "spec": {**TEMPLATE["spec"], "restartPolicy": "Never", "activeDeadlineSeconds": 1},
                }
            },
            [
                "spec.template.spec.activeDeadlineSeconds: activeDeadlineSeconds in ReplicationController is not"
                " Supported",
                'spec.template.spec.restartPolicy: supported values: "Always"',
            ],
        ),
    ],
)
def test_controllers_keep_pods_that_are_alike(spec: Object, wrong: list[str]) -> None:
    assert refusals("ReplicationController", spec=spec) == wrong


def test_the_counts_of_a_controller_fit_together() -> None:
    status = {"replicas": 1, "readyReplicas": 0, "availableReplicas": 2, "observedGeneration": -1}
    members = {"spec": {"template": TEMPLATE}}
    assert refusals_of_update("ReplicationController", {**members, "status": status}, members, "status") == [
        "status.availableReplicas: cannot be greater than readyReplicas",
        "status.availableReplicas: cannot be greater than status.replicas",
        "status.observedGeneration: must be greater than or equal to 0",
    ]


def test_what_a_controller_is_called() -> None:
    kind = BuiltinKind(KINDS["ReplicationController"])
    found = kind.refusals({"metadata": {"name": "a" * 254, "generateName": "-A"}, "spec": {"template": TEMPLATE}})
    assert found == [f'metadata.name: Invalid value: "{"a" * 254}": must be no more than 253 bytes']
    (wrong,) = kind.refusals({"metadata": {"name": "A"}, "spec": {"template": TEMPLATE}})
    assert wrong.startswith('metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of')


def test_a_changed_controller_is_warned_of_what_it_was() -> None:
    kind = BuiltinKind(KINDS["ReplicationController"])
    secrets = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "imagePullSecrets": [{"name": ""}]}}
    for before, after, count in ((secrets, TEMPLATE, 1), (TEMPLATE, secrets, 0), (secrets, secrets, 0)):
        told = kind.warnings_of_update({"spec": {"template": after}}, {"spec": {"template": before}})
        assert len(told) == count


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (
            "non-convertible.kubernetes.io/selector",
            ['spec.selector: Invalid value: {"x":"y"}: cannot update non-convertible selector'],
        ),
        (
            "non-convertible.kubernetes.io/other",
            ['other: Not found: "1": unknown non-convertible field'],
        ),
        ("non-convertible.kubernetes.io", []),
    ],
)
def test_what_cannot_be_converted_stays(key: str, expected: list[str]) -> None:
    kind = BuiltinKind(KINDS["ReplicationController"])
    new = {"spec": {"template": {**TEMPLATE, "metadata": {"labels": {"x": "y"}}}}}
    before = {"metadata": {"annotations": {key: "1"}}, "spec": {"template": TEMPLATE}}
    assert kind.refusals_of_update(new, before) == expected


def test_the_pods_of_a_deleted_controller_are_left() -> None:
    strategy = strategy_of(KINDS["ReplicationController"])
    obj = build("ReplicationController")
    marked = strategy.mark(obj, deletion.Options())
    assert marked is not None
    assert marked["metadata"]["finalizers"] == ["orphan"]
    assert strategy.mark(obj, deletion.Options(propagation_policy="Background")) is None
    foreground = {**obj, "metadata": {"finalizers": ["foregroundDeletion"], "deletionTimestamp": "t"}}
    again = strategy.mark(foreground, deletion.Options())
    assert again is not None
    assert again["metadata"]["finalizers"] == ["foregroundDeletion"]


def test_a_change_of_the_template_makes_a_generation() -> None:
    strategy = strategy_of(KINDS["PodTemplate"])
    old = build("PodTemplate", template=TEMPLATE)
    strategy.prepare_for_create(old)
    new = build("PodTemplate", template={**TEMPLATE, "metadata": {}})
    strategy.prepare_for_update(new, old)
    assert (old["metadata"]["generation"], new["metadata"]["generation"]) == (1, 2)


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"podCIDR": "10.1.0.0/16", "taints": [{"key": "a", "effect": "NoExecute"}]}, []),
        (
            {"taints": [{"key": "a", "effect": "NoExecute"}, {"key": "a", "effect": "NoExecute", "value": "x y"}]},
            [
                "metadata.taints[1].value: a valid label must be an empty string or consist of alphanumeric characters,"
                " '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
                " 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
                "metadata.taints[1]: taints must be unique by key and effect pair",
            ],
        ),
        ({"taints": [{"key": "a"}]}, ["metadata.taints[0].effect: "]),
        (
            {"podCIDRs": ["10.1.0.0/16", "10.1.0.0/16"]},
            ["spec.podCIDRs: may specify no more than one CIDR for each IP family"],
        ),
        ({"podCIDRs": ["10.1.0.0/16", "fd00::/64"]}, []),
        ({"podCIDRs": ["10.1.2.3/16"]}, ["spec.podCIDRs[0]: must not have bits set beyond the prefix length"]),
        (
            {"podCIDRs": ["10.1.0.0/16", "x"]},
            [
                "spec.podCIDRs: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil>"
                " (invalid CIDR address: x)",
                "spec.podCIDRs: may specify no more than one CIDR for each IP family",
                "spec.podCIDRs[1]: must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ],
        ),
    ],
)
def test_nodes_are_tainted_and_have_ranges(spec: Object, wrong: list[str]) -> None:
    assert refusals("Node", spec=spec) == wrong


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[]", "array"),
        ('"x"', "string"),
        ("1.5", "number"),
        ("true", "bool"),
        ("null", ""),
        ("{}", ""),
        (" 1e999", "number"),
        ("[1e999]", "array"),
    ],
)
def test_the_configuration_of_a_registry_is_an_object(text: str, kind: str) -> None:
    data = {".dockercfg": base64.b64encode(text.encode()).decode()}
    detail = f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
    expected = [f"data[.dockercfg]: {detail}"] if kind else []
    assert refusals("Secret", type="kubernetes.io/dockercfg", data=data) == expected


_OLD_TAINTS = "scheduler.alpha.kubernetes.io/taints"
_OLD_AVOIDED = "scheduler.alpha.kubernetes.io/preferAvoidPods"


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        (_OLD_TAINTS, "[]", []),
        (_OLD_TAINTS, "x", ["metadata.annotations: invalid character 'x' looking for beginning of value"]),
        (_OLD_TAINTS, "{}", ["metadata.annotations: json: cannot unmarshal object into Go value of type []core.Taint"]),
        (
            _OLD_TAINTS,
            '[{"key":"a","effect":"q"}]',
            [
                f"metadata.annotations.{_OLD_TAINTS}[0].effect: supported values: "
                '"NoSchedule", "PreferNoSchedule", "NoExecute"'
            ],
        ),
        (
            _OLD_TAINTS,
            '[{"KEY":5}]',
            ["metadata.annotations: json: cannot unmarshal number into Go struct field Taint.Key of type string"],
        ),
        (
            _OLD_TAINTS,
            '[{"Effect":5}]',
            [
                "metadata.annotations: json: cannot unmarshal number into Go struct field Taint.Effect of type "
                "core.TaintEffect"
            ],
        ),
        (_OLD_AVOIDED, '{"preferAvoidPods":[{}]}', [f"metadata.annotations.{_OLD_AVOIDED}[0].PodSignature: "]),
        (
            _OLD_AVOIDED,
            "[]",
            ["metadata.annotations.AvoidPods: json: cannot unmarshal array into Go value of type v1.AvoidPods"],
        ),
        (
            _OLD_AVOIDED,
            '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":false}}}]}',
            [
                f"metadata.annotations.{_OLD_AVOIDED}[0].PodSignature.PodController.Controller: "
                "must point to a controller"
            ],
        ),
    ],
)
def test_annotations_that_were_fields_of_a_node_are_read(key: str, text: str, told: list[str]) -> None:
    obj = build("Node")
    obj["metadata"]["annotations"] = {key: text}
    assert [shown(problem) for problem in strategy_of(KINDS["Node"]).validate(obj, [])] == told


def test_a_new_node_is_not_configured_by_a_config_map() -> None:
    obj = build("Node", spec={"configSource": {}}, status={"config": {"error": "x"}})
    strategy_of(KINDS["Node"]).prepare_for_create(obj)
    assert "configSource" not in obj["spec"]
    assert "config" not in obj["status"]


def test_the_spec_of_a_node_is_warned_of_with_its_status_no_more() -> None:
    obj = build("Node", spec={"externalID": "e"})
    obj["metadata"] |= {"uid": "u", "resourceVersion": "1"}
    for subresource, count in (("", 1), ("status", 0)):
        told: list[str] = []
        assert strategy_of(KINDS["Node"], subresource).validate_update(obj, obj, told) == []
        assert len(told) == count


def test_features_that_a_node_declares_are_in_order() -> None:
    status = {"declaredFeatures": ["B", "A", "A", "a"], "nodeInfo": {"swap": {"capacity": 0}}}
    assert [problem.partition(":")[0] for problem in refusals("Node", status=status)] == [
        "metadata.nodeSwapStatus.capacity",
        "status.declaredFeatures[1]",
        "status.declaredFeatures[2]",
        "status.declaredFeatures[3]",
    ]


@pytest.mark.parametrize(("name", "what"), [(None, "nil"), ("", "empty string")])
def test_the_class_of_a_volume_is_not_taken_from_its_claim(name: str | None, what: str) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}, "volumeName": "v"}
    status = {"phase": "Bound", "currentVolumeAttributesClassName": "gold"}
    old = {"spec": {**spec, "volumeAttributesClassName": "gold"}, "status": status}
    new = {"spec": spec if name is None else {**spec, "volumeAttributesClassName": name}, "status": status}
    text = f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    assert refusals_of_update("PersistentVolumeClaim", new, old) == [f"spec.volumeAttributesClassName: {text}"]


def test_the_ranges_of_a_node_tell_what_its_one_range_does() -> None:
    spec = build("Node", spec={"podCIDR": "10.1.0.0/16"})["spec"]
    assert spec == {"podCIDR": "10.1.0.0/16", "podCIDRs": ["10.1.0.0/16"]}
    assert build("Node", spec={"podCIDRs": ["10.1.0.0/16"]})["spec"] == spec
    status = build("Node", status={"capacity": {"cpu": "1"}})["status"]
    assert status["allocatable"] == {"cpu": "1"}


def test_an_empty_map_of_what_is_allocatable_of_a_node_is_not_looked_at() -> None:
    half = {"capacity": {"pods": "1500m"}}
    wrong = [f"status.{member}.pods: must be an integer" for member in ("allocatable", "capacity")]
    assert refusals("Node", status=half) == wrong
    assert refusals_of_update("Node", {"status": half}, {}, "status") == wrong
    empty = {**half, "allocatable": {}}
    assert refusals("Node", status=empty) == wrong[1:]
    assert refusals_of_update("Node", {"status": empty}, {}, "status") == wrong[1:]
    assert build("Node", status={"capacity": {"pods": "1"}, "allocatable": {}})["status"]["allocatable"] == {
        "pods": "1"
    }


def test_an_amount_of_a_node_without_a_name_is_shown_as_an_index() -> None:
    problem = "must be greater than or equal to 0"
    expected = [f"status.{member}[]: {problem}" for member in ("allocatable", "capacity")]
    assert refusals("Node", status={"capacity": {"": "-1"}}) == expected


def test_what_was_set_once_of_a_node_stays() -> None:
    old = {"spec": {"podCIDRs": ["10.1.0.0/16"], "providerID": "x://y"}}
    assert refusals_of_update("Node", old, {}) == []
    assert refusals_of_update("Node", {"spec": {"externalID": "e"}}, old) == [
        "spec.externalID: may not be updated",
        'spec.podCIDRs: node updates may not change podCIDR except from "" to valid',
        'spec.providerID: node updates may not change providerID except from "" to valid',
    ]
    twice = {"status": {"addresses": [{"type": "InternalIP", "address": "10.1.1.1"}] * 2}}
    assert refusals_of_update("Node", twice, {}, "status") == ["status.addresses[1]: "]


VOLUME: Object = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
HOST: Object = {**VOLUME, "hostPath": {"path": "/x"}}


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        (HOST, []),
        (VOLUME, ["spec: must specify a volume type"]),
        (
            {"capacity": {"cpu": "1", "storage": "0"}, "accessModes": ["Odd"], "hostPath": {"path": "/.."}},
            [
                'spec.accessModes: supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",'
                ' "ReadWriteOncePod"',
                'spec.capacity: supported values: "storage"',
                "spec.capacity[storage]: must be greater than zero",
                "spec.hostPath.path: must not contain '..'",
            ],
        ),
        (
            {**HOST, "nfs": {"path": "a"}, "cephfs": {}},
            [
                "spec.cephFS: may not specify more than 1 volume type",
                "spec.nfs: may not specify more than 1 volume type",
            ],
        ),
        ({**VOLUME, "local": {"path": "/x"}}, ["spec.nodeAffinity: Local volume requires node affinity"]),
        (
            {**VOLUME, "hostPath": {"path": "/a/.."}, "persistentVolumeReclaimPolicy": "Recycle"},
            [
                "spec.hostPath.path: must not contain '..'",
                "spec.persistentVolumeReclaimPolicy: may not be 'recycle' for a hostPath mount of '/'",
            ],
        ),
        (
            {**HOST, "volumeAttributesClassName": "", "volumeMode": "Odd"},
            [
                "spec.csi: has to be specified when using volumeAttributesClassName",
                "spec.volumeAttributesClassName: an empty string is disallowed",
                'spec.volumeMode: supported values: "Block", "Filesystem"',
            ],
        ),
        (
            {**VOLUME, "csi": {"driver": "D", "nodePublishSecretRef": {"name": "s"}}},
            ["spec.csi.nodePublishSecretRef.namespace: ", "spec.csi.volumeHandle: "],
        ),
        ({**VOLUME, "iscsi": {"targetPortal": "p", "iqn": "x"}}, ["spec.iscsi.iqn: must be valid format"]),
        (
            {**VOLUME, "glusterfs": {"endpoints": "e", "path": "p", "endpointsNamespace": ""}},
            ["spec.glusterfs.endpointsNamespace: if the endpointnamespace is set, it must be a valid namespace name"],
        ),
        (
            {**HOST, "capacity": {"storage": "-500m"}},
            [
                "spec.capacity[storage]: must be a valid resource quantity",
                "spec.capacity[storage]: must be greater than zero",
            ],
        ),
        ({**HOST, "capacity": {"storage": "-1e30"}}, ["spec.capacity[storage]: must be greater than zero"]),
    ],
)
def test_volumes_are_in_one_place(spec: Object, wrong: list[str]) -> None:
    assert refusals("PersistentVolume", spec=spec) == wrong


def test_the_place_of_a_volume_stays() -> None:
    found = refusals_of_update(
        "PersistentVolume", {"spec": {**VOLUME, "hostPath": {"path": "/y"}, "volumeMode": "Block"}}, {"spec": HOST}
    )
    assert [each.partition("\n")[0] for each in found] == [
        "spec.persistentvolumesource: spec.persistentvolumesource is immutable after creation",
        "volumeMode: field is immutable",
    ]
    assert '-  "Path": "/x",\n+  "Path": "/y",\n' in found[0]


def test_node_labels_of_a_volume_may_be_renamed() -> None:
    def within(key: str) -> Object:
        expression = {"key": key, "operator": "In", "values": ["a"]}
        return {
            "spec": {**HOST, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}
        }

    old, new = within("failure-domain.beta.kubernetes.io/zone"), within("topology.kubernetes.io/zone")
    assert refusals_of_update("PersistentVolume", new, old) == []
    assert refusals_of_update("PersistentVolume", old, new) == [
        "nodeAffinity: field is immutable, except for updating from beta label to GA"
    ]


def test_a_new_phase_of_a_volume_begins_now() -> None:
    strategy = strategy_of(KINDS["PersistentVolume"], "status")
    old = build(
        "PersistentVolume", spec=HOST, status={"phase": "Pending", "lastPhaseTransitionTime": "2024-01-01T00:00:00Z"}
    )
    same = build("PersistentVolume", spec=HOST, status={"phase": "Pending"})
    strategy.prepare_for_update(same, old)
    assert same["status"]["lastPhaseTransitionTime"] == "2024-01-01T00:00:00Z"
    bound = build("PersistentVolume", spec=HOST, status={"phase": "Bound"})
    strategy.prepare_for_update(bound, old)
    assert bound["status"]["lastPhaseTransitionTime"] > "2024-01-01T00:00:00Z"


ZERO = "0001-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("phase", "known", "sent", "kept"),
    [
        ("Pending", "2024-01-01T00:00:00Z", ZERO, True),
        ("Bound", "2024-01-01T00:00:00Z", ZERO, True),
        ("Bound", ZERO, ZERO, False),
        ("Bound", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z", False),
        ("Bound", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z", True),
    ],
)
def test_a_phase_of_a_volume_begins_when_a_client_says_so(phase: str, known: str, sent: str, kept: bool) -> None:
    def in_phase(phase: str, begin: str) -> Object:
        return build("PersistentVolume", spec=HOST, status={"phase": phase, "lastPhaseTransitionTime": begin})

    old, new = in_phase("Pending", known), in_phase(phase, sent)
    before = new["status"]["lastPhaseTransitionTime"]
    strategy_of(KINDS["PersistentVolume"], "status").prepare_for_update(new, old)
    assert (new["status"]["lastPhaseTransitionTime"] == before) == kept


CLAIM: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        (CLAIM, []),
        ({}, ["spec.accessModes: at least 1 access mode is required", "spec.resources[storage]: "]),
        (
            {**CLAIM, "accessModes": ["ReadWriteOncePod", "ReadOnlyMany"], "storageClassName": "A"},
            [
                "spec.accessModes: may not use ReadWriteOncePod with other access modes",
                "spec.storageClassName: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric"
                " characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com',"
                " regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            ],
        ),
        (
            {
                **CLAIM,
                "dataSource": {"kind": "PersistentVolumeClaim", "name": "a"},
                "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "b"},
            },
            ["spec: must match dataSourceRef"],
        ),
    ],
)
def test_claims_say_how_much_and_how(spec: Object, wrong: list[str]) -> None:
    assert refusals("PersistentVolumeClaim", spec=spec) == wrong


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"dataSource": {"kind": "Pod", "name": "p"}}, set()),
        ({"dataSource": {"kind": "PersistentVolumeClaim", "name": "p"}}, {"dataSource", "dataSourceRef"}),
        ({"dataSourceRef": {"apiGroup": "a.dev", "kind": "K", "name": "p"}}, {"dataSource", "dataSourceRef"}),
        ({"dataSourceRef": {"apiGroup": "a.dev", "kind": "K", "name": "p", "namespace": "n"}}, set()),
    ],
)
def test_the_source_of_a_claim_is_told_twice(given: Object, kept: set[str]) -> None:
    obj = build("PersistentVolumeClaim", spec={**CLAIM, **given})
    strategy_of(KINDS["PersistentVolumeClaim"]).prepare_for_create(obj)
    assert obj["spec"].keys() - {*CLAIM, "volumeMode"} == kept


def test_a_claim_is_stored_without_the_phase_that_whoever_reads_it_sees() -> None:
    """So that the next write, which changes nothing, is stored."""
    claim = build("PersistentVolumeClaim", spec=CLAIM)
    strategy = strategy_of(KINDS["PersistentVolumeClaim"])
    strategy.prepare_for_create(claim)
    assert claim["status"] == {}  # which is what admission sees
    assert strategy.is_stored_with_less(claim, is_new=True, dry_run=False)
    assert claim["status"] == {"phase": "Pending"}


def test_a_bound_claim_may_grow() -> None:
    def sized(size: str, phase: str, **more: Any) -> Object:
        spec = {**CLAIM, "resources": {"requests": {"storage": size}}, **more}
        return {"spec": spec, "status": {"phase": phase, "capacity": {"storage": "1Gi"}}}

    assert refusals_of_update("PersistentVolumeClaim", sized("2Gi", "Bound"), sized("1Gi", "Bound")) == []
    (refused,) = refusals_of_update("PersistentVolumeClaim", sized("2Gi", "Pending"), sized("1Gi", "Pending"))
    assert refused.startswith("spec: spec is immutable after creation except resources.requests and volumeAttributes")
    assert refusals_of_update("PersistentVolumeClaim", sized("1Gi", "Bound"), sized("2Gi", "Bound")) == [
        "spec.resources.requests.storage: field can not be less than status.capacity"
    ]
    named, nameless = sized("1Gi", "Bound", volumeName="v", storageClassName="s"), sized("1Gi", "Bound")
    assert refusals_of_update("PersistentVolumeClaim", named, nameless) == []
    assert len(refusals_of_update("PersistentVolumeClaim", nameless, named)) == 1


def test_the_status_of_a_claim_counts_storage() -> None:
    status = {
        "capacity": {"storage": "-1"},
        "allocatedResources": {"cpu": "1"},
        "allocatedResourceStatuses": {"storage": "X"},
    }
    found = refusals_of_update("PersistentVolumeClaim", {"spec": CLAIM, "status": status}, {"spec": CLAIM}, "status")
    assert [each.partition(":")[0] for each in found] == [
        "status.allocatedResourceStatuses",
        "status.allocatedResources",
        "status.capacity[storage]",
    ]


def test_a_container_is_told_no_signal() -> None:
    hook = {"exec": {"command": ["a"]}}
    containers = [
        {"name": "c", "lifecycle": lifecycle} for lifecycle in ({"stopSignal": "SIGKILL"}, {"postStart": hook})
    ]
    made = BuiltinKind(KINDS["PodTemplate"]).create({"template": {"spec": {"containers": containers}}})
    found = made["template"]["spec"]["containers"]
    assert [each.get("lifecycle") for each in found] == [None, {"postStart": hook}]


def test_service_accounts_warn_of_an_old_annotation_once() -> None:
    strategy = strategy_of(KINDS["ServiceAccount"])
    plain, odd = build("ServiceAccount"), build("ServiceAccount")
    odd["metadata"]["annotations"] = {"kubernetes.io/enforce-mountable-secrets": "maybe"}
    warnings: list[str] = []
    strategy.validate(odd, warnings)
    for old in (plain, odd):
        for obj in (odd, old):
            obj["metadata"] |= {"uid": "u", "resourceVersion": "1"}
        strategy.validate_update(odd, old, warnings)
    told = "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate"
    assert warnings == [f"{told} namespaces to isolate access to mounted secrets"] * 2


def test_a_key_for_ssh_is_not_empty() -> None:
    key = {"ssh-privatekey": ""}
    assert refusals("Secret", type="kubernetes.io/ssh-auth", data=key) == ["data[ssh-privatekey]: "]
    assert refusals("Secret", type="kubernetes.io/ssh-auth", data={"ssh-privatekey": "YQ=="}) == []


def test_a_config_map_that_is_too_large_is_told_of_without_a_name() -> None:
    assert refusals("ConfigMap", data={"a": "x" * 1024 * 1024}) == []
    assert refusals("ConfigMap", data={"a": "x" * (1024 * 1024 + 1)}) == ["[]: may not be more than 1048576 bytes"]


def test_sources_of_persistent_volumes_get_defaults() -> None:
    made: dict[str, Any] = {"iscsi": {}, "rbd": {}, "scaleIO": {}, "azureDisk": {}}
    default_volume_spec(made)
    assert (made["iscsi"]["iscsiInterface"], made["rbd"]["pool"]) == ("default", "rbd")
    assert (made["scaleIO"]["fsType"], made["azureDisk"]["cachingMode"]) == ("xfs", "ReadWrite")


@pytest.mark.parametrize(
    ("hard", "expected"),
    [
        ({"requests.cpu": "1", "limits.cpu": "500m"}, ["requests.cpu (1) should be less than limits.cpu (500m)"]),
        ({"memory": "2Gi", "limits.memory": "1Gi"}, ["memory (2Gi) should be less than limits.memory (1Gi)"]),
        ({"requests.cpu": "1", "cpu": "3", "limits.cpu": "1"}, []),
        ({"requests.cpu": "1"}, []),
        (
            {"requests.ephemeral-storage": "2", "limits.ephemeral-storage": "1"},
            ["requests.ephemeral-storage (2) should be less than limits.ephemeral-storage (1)"],
        ),
    ],
)
def test_a_new_quota_whose_limits_are_low_is_warned_of(hard: dict[str, str], expected: list[str]) -> None:
    quota = {"spec": {"hard": hard}}
    assert BuiltinKind(KINDS["ResourceQuota"]).warnings(quota) == [f"ResourceQuota {text}" for text in expected]
    assert BuiltinKind(KINDS["ResourceQuota"]).warnings_of_update(quota, {}) == []


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("ResourceQuota", {"hard": {"pods": "10000000000000000000"}}, ["spec.hard[pods]: must be an integer"]),
        ("ResourceQuota", {"hard": {"pods": "10000000000000000"}}, ["spec.hard[pods]: must be an integer"]),
        ("ResourceQuota", {"hard": {"pods": "10E"}}, []),
        ("ResourceQuota", {"hard": {"pods": "1" + "0" * 24, "secrets": "1"}}, []),
        (
            "PersistentVolume",
            {"capacity": {"storage": "10000000000000000000"}, "accessModes": ["ReadWriteOnce"], "nfs": NFS},
            ["spec.capacity[storage]: must be a valid resource quantity"],
        ),
        (
            "PersistentVolume",
            {"capacity": {"storage": "10E"}, "accessModes": ["ReadWriteOnce"], "nfs": NFS},
            [],
        ),
    ],
)
def test_amounts_beyond_64_bits_count_as_they_were_sent(kind: str, spec: Object, expected: list[str]) -> None:
    """Upstream's numbers of 64 bits overflow in other ways by how an amount is written."""
    assert refusals(kind, spec=spec) == expected
