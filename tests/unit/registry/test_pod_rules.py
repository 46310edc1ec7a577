"""Rules of pods that came late to Kubernetes: what is refused, dropped and warned of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from quarterdeck.apimachinery import names
from quarterdeck.registry.builtin.capabilities import CAPABILITIES
from quarterdeck.registry.builtin.core import resources
from quarterdeck.registry.builtin.core.podvalidation import warnings
from support.builtin_kind import BuiltinKind, Object

POD = BuiltinKind(next(each for each in resources.definitions() if each.resource.kind == "Pod"))
FILE = {"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "f", "key": "k"}}}
ENDED = {"terminated": {"exitCode": 1}}


def pod(spec: Object | None = None, /, **container: Any) -> Object:
    return {"spec": {"containers": [{"name": "c", "image": "i", **container}], **(spec or {})}}


def assert_told(found: list[str], part: str | None) -> None:
    """One refusal that has this part, or none."""
    if part is None:
        assert found == []
    else:
        assert len(found) == 1 and part in found[0], found


@pytest.fixture
def _privileged_pods() -> Iterator[None]:
    CAPABILITIES.allows_privileged = True
    yield
    CAPABILITIES.allows_privileged = False


PRIVILEGED = pod(securityContext={"privileged": True})


def test_privileged_containers_are_refused() -> None:
    assert POD.refusals(PRIVILEGED) == [
        "spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy"
    ]


@pytest.mark.usefixtures("_privileged_pods")
def test_privileged_containers_are_let_in_where_the_server_allows_them() -> None:
    assert POD.refusals(PRIVILEGED) == []


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (
            pod({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, env=[FILE]),
            'fileKeyRef.volumeName: Invalid value: "v": referenced volume must be of type emptyDir',
        ),
        (pod(env=[FILE]), 'fileKeyRef.volumeName: Not found: "v"'),
        (pod({"volumes": [{"name": "v", "emptyDir": {}}]}, env=[FILE]), None),
        (
            pod({"initContainers": [{
                "name": "i", "image": "i",
                "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
            }]}),
            "spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "
            "\"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers",
        ),
        (
            pod({"os": {"name": "windows"}, "resources": {"limits": {"cpu": "1"}}}),
            "spec.resources: Forbidden: may not be set for a windows pod",
        ),
        (
            pod({"dnsConfig": {"nameservers": ["010.0.0.1"]}}),
            'spec.dnsConfig.nameservers[0]: Invalid value: "010.0.0.1": must not have leading 0s',
        ),
        (
            {"metadata": {"annotations": {"kubernetes.io/config.mirror": "m"}},
             **pod({"nodeName": "n", "resourceClaims": [{"name": "r", "resourceClaimName": "r"}]})},
            "Forbidden: static pods do not support resource claims",
        ),
        (
            pod({"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {
                "metadata": {"uid": "u"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}},
            }}}]}),
            "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.uID: Forbidden: cannot be set",
        ),
        (
            pod({"volumes": [{"name": "v", "quobyte": {"registry": "a:1:2", "volume": "x"}}]}),
            "spec.volumes[0].quobyte.registry: Invalid value",
        ),
        (pod({"volumes": [{"name": "v", "quobyte": {"registry": "[::1]:1,b:2", "volume": "x"}}]}), None),
        (
            pod(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "status.phase"}}}]),
            'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: ',
        ),
    ],
)  # fmt: skip
def test_what_a_pod_may_not_say(members: Object, expected: str | None) -> None:
    found = POD.refusals(members)
    assert_told(found, expected)


OLD_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", None),
        ("null", None),
        ('[{"KEY":"a"}]', None),
        ("x", f"metadata.annotations: Invalid value: \"{OLD_TOLERATIONS}\": invalid character 'x' looking for"),
        ("{}", "json: cannot unmarshal object into Go value of type []core.Toleration"),
        ('[{"operator":5}]', "Go struct field Toleration.Operator of type core.TolerationOperator"),
        ('[{"tolerationSeconds":"x"}]', "into Go struct field Toleration.TolerationSeconds of type int64"),
        ("[null]", f'metadata.annotations.{OLD_TOLERATIONS}[0].operator: Invalid value: "": operator must be Exists'),
        (
            '[{"operator":"Exists","value":"v"}]',
            f'metadata.annotations.{OLD_TOLERATIONS}[0].operator: Invalid value: "v"',
        ),
    ],
)
def test_tolerations_of_an_annotation_are_checked(text: str, told: str | None) -> None:
    found = POD.refusals({"metadata": {"annotations": {OLD_TOLERATIONS: text}}, **pod({})})
    assert_told(found, told)


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("metadata.labels['a']", None),
        ("metadata.foo['x']", "field label does not support subscript: metadata.foo['x']"),
        ("metadata.name['']", "field label does not support subscript: metadata.name['']"),
        ("['x']", "field label not supported: ['x']"),
        ("x[']", "field label not supported: x[']"),
        ("metadata.labels['a'']", 'fieldRef: Invalid value: "a\'": name part must consist'),
        ("metadata.labels['a['b']", 'fieldRef: Invalid value: "a[\'b": name part must consist'),
    ],
)
def test_a_field_with_a_subscript(label: str, told: str | None) -> None:
    found = POD.refusals(
        pod({}, env=[{"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": label}}}])
    )
    assert_told(found, told)


@pytest.mark.parametrize(
    ("page", "amount", "text"),
    [
        ("2Mi", "-4Mi", 'Invalid value: "-4Mi": must be greater than or equal to 0'),
        ("1500m", "2", 'Invalid value: "2": 2 is not positive integer multiple of hugepages-1500m'),
        ("100E", "100E", 'Invalid value: "100E": 100E is not positive integer multiple of hugepages-100E'),
    ],
)
def test_huge_pages_are_whole(page: str, amount: str, text: str) -> None:
    found = POD.refusals(pod(resources={"limits": {f"hugepages-{page}": amount, "memory": "1"}}))
    assert found == [
        f"spec.containers[0].resources.{kind}[hugepages-{page}]: {text}" for kind in ("limits", "requests")
    ]


@pytest.mark.parametrize(
    ("cost", "is_taken"),
    [
        ("0", True),
        ("-0", True),
        ("-08", True),
        ("-00000000001", True),
        pytest.param("-" + "0" * 5000 + "1", True, id="more zeros than Python reads"),
        ("-2147483648", True),
        ("2147483647", True),
        ("2147483648", False),
        ("-2147483649", False),
        ("00", False),
        ("08", False),
        ("+1", False),
        ("-", False),
        ("", False),
        ("9" * 30, False),
    ],
)
def test_what_it_costs_to_delete_a_pod(cost: str, is_taken: bool) -> None:
    name = "controller.kubernetes.io/pod-deletion-cost"
    found = POD.refusals({"metadata": {"annotations": {name: cost}}, **pod()})
    text = f'metadata.annotations[{name}]: Invalid value: "{cost}": must be a 32bit integer'
    assert found == ([] if is_taken else [text])


def test_the_seccomp_profile_of_the_whole_pod_is_told_of_first() -> None:
    keys = ["container.seccomp.security.alpha.kubernetes.io/c", "seccomp.security.alpha.kubernetes.io/pod"]
    found = POD.refusals({"metadata": {"annotations": dict.fromkeys(keys, "x")}, **pod()})
    assert [each.partition(":")[0] for each in found] == [f"metadata.annotations.{key}" for key in reversed(keys)]


def test_a_claim_after_its_requests_is_told_of_each() -> None:
    claims = [{"name": "r", "request": "a"}, {"name": "r", "request": "b"}, {"name": "r"}]
    members = pod({"resourceClaims": [{"name": "r", "resourceClaimName": "r"}]}, resources={"claims": claims})
    assert POD.refusals(members) == ['spec.containers[0].resources.claims[2]: Duplicate value: "r"'] * 2


@pytest.mark.parametrize("name", ["kubernetes.io/x", "example.com/x", "ephemeral-storage"])
def test_a_pod_as_a_whole_asks_for_little_else_than_its_processors_and_memory(name: str) -> None:
    found = POD.refusals(pod({"resources": {"limits": {name: "2"}, "requests": {name: "2"}}}))
    assert {each for each in found if "Unsupported" in each} == {
        f'spec.resources.{kind}[{name}]: Unsupported value: "{name}": supported values: "cpu", "hugepages-", "memory"'
        for kind in ("limits", "requests")
    }


def test_what_is_off_by_default_is_dropped() -> None:
    sources = [{"clusterTrustBundle": {"path": "p", "name": "b"}}, {"configMap": {"name": "m"}}]
    volume = {"name": "v", "projected": {"sources": sources}}
    spec = POD.create(pod({"schedulingGroup": {"podGroupName": "g"}, "volumes": [volume]}))["spec"]
    assert "schedulingGroup" not in spec
    told = POD.decode(pod({"schedulingGroup": {"podGroupName": "g"}}, lifecycle={"stopSignal": "SIGTERM"}))["spec"]
    assert told["schedulingGroup"] == {"podGroupName": "g"}  # until it is written: who wrote it owns it
    assert told["containers"][0]["lifecycle"] == {"stopSignal": "SIGTERM"}
    assert spec["volumes"][0]["projected"]["sources"] == [{}, {"configMap": {"name": "m"}}]


def test_what_is_off_by_default_is_dropped_from_a_status() -> None:
    mount = {"name": "v", "mountPath": "/v"}
    told = container_status({"running": {}})
    told["containerStatuses"][0]["volumeMounts"] = [{**mount, "volumeStatus": {"image": {"imageRef": "x"}}}]
    told["nodeAllocatableResourceClaimStatuses"] = [{"resourceClaimName": "r"}]
    status = POD.update(with_status(told), pod(), "status")["status"]
    assert status["containerStatuses"][0]["volumeMounts"] == [mount]
    assert "nodeAllocatableResourceClaimStatuses" not in status


def test_a_name_of_a_host_is_checked_though_another_takes_its_place() -> None:
    found = POD.refusals(pod({"hostname": "-", "hostnameOverride": "a.b"}))
    assert [each.partition(":")[0] for each in found] == ["spec.hostname"]


def test_any_status_of_a_name_may_say_that_a_container_runs_again() -> None:
    old, ended = with_status(container_status(ENDED), {"restartPolicy": "Never"}), container_status(ENDED)
    again = {"containerStatuses": ended["containerStatuses"] + container_status({})["containerStatuses"]}
    assert len(POD.refusals_of_update(with_status(again, {"restartPolicy": "Never"}), old, "status")) == 1


def with_status(status: Object, /, spec: Object | None = None, **container: Any) -> Object:
    return {**pod(spec, **container), "status": status}


def container_status(state: Object) -> Object:
    return {"containerStatuses": [{"name": "c", "image": "i", "imageID": "", "state": state}]}


RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}


@pytest.mark.parametrize(
    ("container", "is_refused"),
    [
        ({}, True),
        ({"restartPolicy": "OnFailure"}, False),
        ({"restartPolicy": "Never"}, True),
        ({"restartPolicy": "Never", "restartPolicyRules": [RULE]}, False),
        ({"restartPolicy": "Never", "restartPolicyRules": [{**RULE, "action": "RestartAllContainers"}]}, False),
    ],
)
def test_an_ended_container_starts_again_only_by_its_rules(container: Object, is_refused: bool) -> None:
    never = {"restartPolicy": "Never"}
    old = with_status(container_status(ENDED), never, **container)
    new = with_status(container_status({"running": {}}), never, **container)
    text = "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"
    assert POD.refusals_of_update(new, old, "status") == ([text] if is_refused else [])


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (
            {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]},
            "status.podIPs: Invalid value",
        ),
        (
            {"hostIP": "10.0.0.1", "hostIPs": [{"ip": "10.0.0.1"}, {"ip": "FE80::1"}, {"ip": "FE80::2"}]},
            'status.hostIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"FE80::1"},{"IP":"FE80::2"}]: may specify no more',
        ),
        (
            {"resourceClaimStatuses": [{"name": "r", "resourceClaimName": "A"}]},
            'status.resourceClaimStatuses[0].resourceClaimName: Invalid value: "A"',
        ),
        (
            {"extendedResourceClaimStatus": {"resourceClaimName": "r", "requestMappings": []}},
            "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping",
        ),
        (
            {"extendedResourceClaimStatus": {"resourceClaimName": "r", "requestMappings": [
                {"containerName": "x", "resourceName": "a/b", "requestName": "q"},
            ]}},
            "status.extendedResourceClaimStatus.requestMappings[0].containerName: Invalid value",
        ),
    ],
)  # fmt: skip
def test_what_a_status_may_not_say(status: Object, expected: str) -> None:
    claimed = {"resourceClaims": [{"name": "r", "resourceClaimName": "x"}]}
    found = POD.refusals_of_update(with_status(status, claimed), pod(claimed), "status")
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_each_capability_that_needs_more_privileges_is_told_of() -> None:
    added = ["CAP_SYS_ADMIN", "NET_RAW", "CAP_SYS_ADMIN"]
    context = {"allowPrivilegeEscalation": False, "capabilities": {"add": added}}
    found = POD.refusals(pod(securityContext=context))
    assert [each.endswith("and `capabilities.Add` CAP_SYS_ADMIN") for each in found] == [True, True]


def test_each_new_gate_is_told_of_where_it_stands_last() -> None:
    gates = [{"schedulingGates": [{"name": name} for name in names]} for names in ("ab", "abcdc")]
    text = "Forbidden: only deletion is allowed, but found new scheduling gate"
    found = [each for each in POD.refusals_of_update(pod(gates[1]), pod(gates[0])) if text in each]
    assert sorted(found) == [
        f"spec.schedulingGates[3].name: {text} 'd'",
        f"spec.schedulingGates[4].name: {text} 'c'",
    ]


def test_a_bound_pod_is_nominated_for_no_node() -> None:
    bound = {"nodeName": "n"}
    found = POD.refusals_of_update(with_status({"nominatedNodeName": "m"}, bound), pod(bound), "status")
    assert found == [
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"
    ]  # fmt: skip


def test_an_address_mapped_into_the_other_family_is_of_its_own() -> None:
    mapped = {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "::ffff:10.0.0.2"}]}
    found = POD.refusals_of_update(with_status(mapped), pod(), "status")
    assert any("may specify no more than one IP for each IP family" in each for each in found)


def test_addresses_that_were_there_stay_in_any_form() -> None:
    odd = with_status({"podIP": "010.0.0.1", "podIPs": [{"ip": "010.0.0.1"}]})
    assert POD.refusals_of_update(odd, odd, "status") == []


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (
            pod({"resources": {"limits": {"cpu": "1"}}}), pod({"resources": {"limits": {"cpu": "2"}}}),
            [],
        ),
        (
            pod({"resources": {"limits": {"cpu": "1"}}}), pod({"resources": {"limits": {"cpu": "1", "memory": "1"}}}),
            ["spec.resources.requests: Forbidden: pod-level resource requests cannot be removed",
             "spec.resources.limits: Forbidden: pod-level resource limits cannot be removed"],
        ),
        (
            pod({"initContainers": [{"name": "i", "image": "i", "resources": {"limits": {"cpu": "1"}}}]}),
            pod({"initContainers": [{"name": "i", "image": "i", "resources": {"limits": {"cpu": "2"}}}]}),
            [],
        ),
    ],
)  # fmt: skip
def test_resizing_more_than_containers(new: Object, old: Object, expected: list[str]) -> None:
    assert [each for each in POD.refusals_of_update(new, old, "resize") if "QOS" not in each] == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"volumes": [{"name": "v", "configMap": {"name": "m", "items": [{"path": "a"}, {"path": "a/b"}]}}]},
            ['volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a"'],
        ),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [
                {}, {"serviceAccountToken": {"path": "t"}}, {"configMap": {"name": "m"}},
                {"secret": {"name": "s", "items": [{"path": "t"}]}},
            ]}}]},
            [
                'volume "v" (Projected) has no sources provided',
                'volume "v" (Projected): overlapping paths: "t" (Secret "s") with "t" (ServiceAccountToken)',
            ],
        ),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [
                {"clusterTrustBundle": {"signerName": "n", "path": "t/t"}},
                {"downwardAPI": {"items": [{"path": "t"}, {"path": "t-t/"}]}},
                {"podCertificate": {"keyPath": "t", "credentialBundlePath": "b"}},
            ]}}]},
            [
                'volume "v" (Projected): overlapping paths: "t" (DownwardAPI) with "t/t" (ClusterTrustBundle "n")',
                'volume "v" (Projected): overlapping paths: "t" (PodCertificate key) with "t/t" '
                '(ClusterTrustBundle "n")',
                'volume "v" (Projected): overlapping paths: "t" (PodCertificate key) with "t" (DownwardAPI)',
            ],
        ),
        (
            {"nodeSelector": {"node-role.kubernetes.io/master": ""}},
            ['spec.nodeSelector[node-role.kubernetes.io/master]: use "node-role.kubernetes.io/control-plane" instead'],
        ),
        (
            {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "preference": {"matchExpressions": [{"key": "k", "operator": "In", "values": ["-1"]}]}},
            ]}}},
            ["spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference."
             f"matchExpressions[0].values[0]: -1 is invalid, {names.label_value('-1')[0]}"],
        ),
        (
            {
                "initContainers": [{"name": "i", "image": "i", "ports": [{"containerPort": 1, "name": "n"}]}],
                "containers": [{"name": "c", "image": "i", "ports": [
                    {"containerPort": 2}, {"containerPort": 3}, {"containerPort": 4, "name": "n"},
                ]}],
            },
            ['spec.containers[0].ports[2]: duplicate port name "n" with spec.initContainers[0].ports[0], services and '
             "probes that select ports by name will use spec.initContainers[0].ports[0]"],
        ),
        (
            {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {
                "spec": {"resources": {"requests": {"storage": "100m"}}},
            }}}]},
            ["spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: "
             'fractional byte value "100m" is invalid, must be an integer'],
        ),
        (
            {"containers": [{"name": "c", "image": "i", "resources": {
                kind: {"ephemeral-storage": "1m", "memory": "2m", "cpu": "3m"} for kind in ("requests", "limits")
            }}]},
            [f"spec.containers[0].resources.{amount} is invalid, must be an integer" for amount in (
                'limits[memory]: fractional byte value "2m"',
                'requests[memory]: fractional byte value "2m"',
                'limits[ephemeral-storage]: fractional byte value "1m"',
                'requests[ephemeral-storage]: fractional byte value "1m"',
            )],
        ),
        (
            {"hostAliases": [{"ip": "2001:DB8::1"}]},
            ['spec.hostAliases[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format '
             '("2001:db8::1")'],
        ),
    ],
)  # fmt: skip
def test_what_a_pod_is_warned_of(spec: Object, expected: list[str]) -> None:
    assert warnings.of_pod({"metadata": {}, **pod(spec)}) == expected
