"""What a pod may not say: each case changes one place of a good pod and names what kube-apiserver objects to."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.core.pod import PodStatusStrategy, PodStrategy
from quarterdeck.registry.builtin.core.poddefaults import default_pod
from quarterdeck.registry.builtin.core.podspec import default_pod_spec
from quarterdeck.registry.strategy import copy_value
from quarterdeck.schema import gotypes

CONTAINER: dict[str, Any] = {
    "name": "c",
    "image": "img:1",
    "ports": [{"containerPort": 80, "name": "web"}],
    "env": [{"name": "A", "value": "1"}],
    "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    "livenessProbe": {"httpGet": {"path": "/", "port": "web"}},
    "resources": {"limits": {"cpu": "1"}},
}
SPEC: dict[str, Any] = {"containers": [CONTAINER], "volumes": [{"name": "v", "emptyDir": {}}]}


def build(path: str = "", value: Any = None, **metadata: Any) -> dict[str, Any]:
    """A pod as it comes out of decoding, with another value at a path such as `containers.0.image`."""
    body: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "spec": copy_value(SPEC)}
    body["metadata"] = {"name": "p", "namespace": "n", **metadata}
    place: Any = body["spec"]
    *steps, last = path.split(".") if path else ["none"]
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    if path:
        place[int(last) if isinstance(place, list) else last] = value
    BuiltinCodec("v1", "Pod", lambda: gotypes.struct_of("v1", "Pod"), default_pod).normalize(body, report_unknown=False)
    PodStrategy(namespaced=True).prepare_for_create(body)
    return body


def refusals(pod: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in PodStrategy(namespaced=True).check(pod)]


def test_a_good_pod_is_let_in() -> None:
    assert refusals(build()) == []


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("containers.0.ports.0.name", "1Gi", "spec.containers[0].ports[0].name: Invalid value"),
        ("containers.0.ports.0.hostPort", -1, "spec.containers[0].ports[0].hostPort: Invalid value: -1"),
        ("containers.0.env.0.name", "a=b", "spec.containers[0].env[0].name: Invalid value"),
        ("containers.0.env.0.valueFrom", {}, "spec.containers[0].env[0].valueFrom: Invalid value"),
        ("containers.0.volumeMounts.0.name", "x", 'spec.containers[0].volumeMounts[0].name: Not found: "x"'),
        ("containers.0.volumeMounts.0.subPath", "/x", "spec.containers[0].volumeMounts.subPath: Invalid value"),
        ("containers.0.livenessProbe", {}, "spec.containers[0].livenessProbe: Required value: must specify a handler"),
        ("containers.0.livenessProbe.successThreshold", 2, "spec.containers[0].livenessProbe.successThreshold: Inv"),
        ("containers.0.livenessProbe.httpGet.scheme", "X", "spec.containers[0].livenessProbe.httpGet.scheme: Unsup"),
        ("containers.0.readinessProbe", {"exec": {}}, "spec.containers[0].readinessProbe.exec.command: Required"),
        ("containers.0.lifecycle", {"preStop": {"sleep": {"seconds": 31}}}, "spec.containers[0].lifecycle.preStop."),
        ("containers.0.resources.requests", {"cpu": "2"}, 'spec.containers[0].resources.requests: Invalid value: "2"'),
        ("containers.0.resources.limits", {"x": "1"}, "spec.containers[0].resources.limits[x]: Invalid value"),
        ("containers.0.restartPolicyRules", [{}], "spec.containers[0].restartPolicy: Required value"),
        ("containers.0.securityContext", {"runAsUser": -1}, "spec.containers[0].securityContext.runAsUser: Invalid"),
        ("containers.0.terminationMessagePolicy", "X", "spec.containers[0].terminationMessagePolicy: Unsupported"),
        ("initContainers", [{"name": "c", "image": "i"}], 'spec.initContainers[0].name: Duplicate value: "c"'),
        ("initContainers", [{**CONTAINER, "name": "d"}], "spec.initContainers[0].livenessProbe: Forbidden"),
        ("ephemeralContainers", [{"name": "e", "image": "i"}], "spec.ephemeralContainers: Forbidden: cannot be set on"),
        ("volumes.0.hostPath", {"path": "/"}, "spec.volumes[0].hostPath: Forbidden: may not specify more than 1"),
        ("volumes.0.name", "V", "spec.volumes[0].name: Invalid value"),
        ("volumes.0", {"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}, "spec.volu"),
        ("volumes.0", {"name": "v", "nfs": {"server": "s", "path": "p"}}, "spec.volumes[0].nfs.path: Invalid value"),
        ("restartPolicy", "Sometimes", 'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Alw'),
        ("dnsPolicy", "None", "spec.dnsConfig: Required value: must provide `dnsConfig`"),
        ("nodeSelector", {"a": "-1"}, 'spec.nodeSelector: Invalid value: "-1"'),
        ("nodeName", "N", "spec.nodeName: Invalid value"),
        ("serviceAccountName", "-1", 'spec.serviceAccountName: Invalid value: "-1"'),
        ("activeDeadlineSeconds", 0, "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647"),
        ("tolerations", [{"value": "x"}], 'spec.tolerations[0].operator: Invalid value: "": operator must be Exists'),
        ("tolerations", [{"key": "k", "operator": "In"}], 'spec.tolerations[0].operator: Unsupported value: "In"'),
        ("hostAliases", [{"ip": "x"}], "spec.hostAliases[0].ip: Invalid value"),
        ("overhead", {"cpu": "-1"}, "spec.overhead.limits[cpu]: Invalid value"),
        ("topologySpreadConstraints", [{"topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}], "spec.topologySpr"),
        ("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution", {}, "spec.affinity.nodeAffinity.req"),
        ("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution", [{}], "spec.affinity.podAffinity.pre"),
        ("securityContext.sysctls", [{"name": "-"}], "spec.securityContext.sysctls[0].name: Invalid value"),
        ("securityContext.seccompProfile", {}, "spec.securityContext.seccompProfile.type: Required value"),
        ("os", {"name": "plan9"}, 'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'),
        ("schedulingGates", [{"name": "a"}, {"name": "a"}], 'spec.schedulingGates[1]: Duplicate value: "a"'),
        ("preemptionPolicy", "X", 'spec.preemptionPolicy: Unsupported value: "X": supported values: "PreemptLower'),
        ("resourceClaims", [{"name": "r"}], 'spec.resourceClaims[0]: Invalid value: {"Name":"r","ResourceClaimName"'),
    ],
)
def test_what_a_pod_may_not_say(path: str, value: Any, expected: str) -> None:
    found = refusals(build(path, value))
    assert any(problem.startswith(expected) for problem in found), found


def test_the_account_stands_under_its_old_name_too() -> None:
    assert build("serviceAccount", "sa")["spec"]["serviceAccountName"] == "sa"
    assert build("serviceAccountName", "sa")["spec"]["serviceAccount"] == "sa"


def test_amounts_have_no_less_than_thousandths() -> None:
    resources = build("containers.0.resources", {"limits": {"cpu": "0.1m", "memory": "1Gi"}})["spec"]["containers"][0]
    assert resources["resources"] == {
        "limits": {"cpu": "1m", "memory": "1Gi"}, "requests": {"cpu": "1m", "memory": "1Gi"},
    }  # fmt: skip


def test_the_ports_of_a_pod_in_the_network_of_its_host_are_the_hosts() -> None:
    assert build("hostNetwork", True)["spec"]["containers"][0]["ports"][0]["hostPort"] == 80
    template = copy_value(SPEC) | {"hostNetwork": True}
    default_pod_spec(template)
    assert "hostPort" not in template["containers"][0]["ports"][0]


def test_volumes_have_defaults() -> None:
    claim = {"metadata": {}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    volumes = [
        {"name": "v"},
        {"name": "i", "image": {"reference": "a:1"}},
        {"name": "e", "ephemeral": {"volumeClaimTemplate": claim}},
    ]
    bare, image, ephemeral = build("volumes", volumes)["spec"]["volumes"]
    assert bare == {"name": "v", "emptyDir": {}}
    assert image["image"] == {"reference": "a:1", "pullPolicy": "IfNotPresent"}
    assert ephemeral["ephemeral"]["volumeClaimTemplate"]["spec"]["volumeMode"] == "Filesystem"


def update(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in PodStrategy(namespaced=True).check_update(new, old)]


def test_an_image_may_change() -> None:
    assert update(build("containers.0.image", "img:2"), build()) == []


def test_what_may_not_change_is_shown_as_a_difference() -> None:
    (found,) = update(build("nodeSelector", {"x": "y"}), build("nodeSelector", {"a": "b"}))
    lines = found.splitlines()
    assert [line for line in lines if line[:1] in "+-"] == ['-  "a": "b"', '+  "x": "y"']
    assert lines[-3:] == ["  },", '  "ServiceAccountName": "",', '  "AutomountServiceAccountToken": null,']


def test_the_status_of_a_pod_is_checked() -> None:
    old = build()
    new = {**old, "status": {**old["status"], "podIPs": [{"ip": "x"}], "nominatedNodeName": "N"}}
    found = [problem.path for problem in PodStatusStrategy(namespaced=True).check_update(new, old)]
    assert found == ["status.nominatedNodeName", "status.podIPs[0]"]


def test_warnings_of_a_new_pod() -> None:
    pod = build("containers.0.env", [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}], name="a.b")
    pod["metadata"] |= {"uid": "u", "creationTimestamp": "2024-01-01T00:00:00Z"}
    warnings: list[str] = []
    assert PodStrategy(namespaced=True).validate(pod, warnings) == []
    assert warnings[0].startswith("metadata.name: this is used in the Pod's hostname")
    assert warnings[1:] == [
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'
    ]


def test_a_body_is_read_in_its_own_order() -> None:
    codec = BuiltinCodec("v1", "Pod", lambda: gotypes.struct_of("v1", "Pod"), None)
    body = json_codec.load(b'{"spec":{"volumes":[{"emptyDir":1}],"containers":"x"},"metadata":{"name":1}}')
    with pytest.raises(BadRequest) as refusal:
        codec.normalize(body, report_unknown=False)
    assert "number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1." in refusal.value.message
