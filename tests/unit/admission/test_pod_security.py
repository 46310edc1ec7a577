"""Pod security standards: labels of namespaces, what each level forbids in each of its versions, and settings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.podsecurity import PodSecurity
from quarterdeck.admission.pluginsettings import PodSecuritySettings
from quarterdeck.admission.podsecurity import evaluator
from quarterdeck.admission.podsecurity.counts import Counts
from quarterdeck.admission.podsecurity.levels import LevelVersion, Policy, parse
from quarterdeck.apimachinery import errors
from quarterdeck.metrics import exposition
from quarterdeck.metrics.registry import Registry

PREFIX = "pod-security.kubernetes.io/"
GOOD = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def pod(security: dict[str, Any] | None = None, container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    made = {"name": "c", "securityContext": {**GOOD, **(security or {})}, **(container or {})}
    return {"containers": [made], **spec}


def found(spec: dict[str, Any], level: str = "restricted", version: str = "latest", **annotations: str) -> str:
    findings = evaluator.evaluate(LevelVersion(level, version), {"annotations": annotations}, spec)
    return evaluator.details(findings)


def test_a_good_pod_fits_every_level() -> None:
    assert found(pod()) == ""
    assert found({"containers": [{"name": "c"}]}, "baseline") == ""
    assert found({"containers": [], "hostPID": True}, "privileged") == ""


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (pod(hostNetwork=True, hostPID=True), "host namespaces (hostNetwork=true, hostPID=true)"),
        (pod({"privileged": True}), 'privileged (container "c" must not set securityContext.privileged=true)'),
        (
            pod({"capabilities": {"add": ["SYS_TIME", "CHOWN"]}}),
            'non-default capabilities (container "c" must not include "SYS_TIME" in securityContext.capabilities.add)',
        ),
        (
            pod({"capabilities": {"add": [""]}}),
            'non-default capabilities (container "c" must not include "" in securityContext.capabilities.add)',
        ),
        (pod(volumes=[{"name": "h", "hostPath": {}}]), 'hostPath volumes (volume "h")'),
        (pod(container={"ports": [{"hostPort": 80}]}), 'hostPort (container "c" uses hostPort 80)'),
        (
            pod(container={"livenessProbe": {"httpGet": {"host": "x"}}}),
            'probe or lifecycle host (container "c" uses probe or lifecycle host "x")',
        ),
        (
            pod({"seLinuxOptions": {"type": "t", "user": "u"}}),
            'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "t"; '
            "user may not be set)",
        ),
        (
            pod({"seccompProfile": {"type": "Unconfined"}}),
            'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
        ),
        (pod(securityContext={"sysctls": [{"name": "a.b"}]}), "forbidden sysctls (a.b)"),
        (
            pod(securityContext={"appArmorProfile": {"type": "Unconfined"}}),
            'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
        ),
        (
            pod({"procMount": "Unmasked"}),
            'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
        ),
        (
            pod({"windowsOptions": {"hostProcess": True}}),
            'hostProcess (container "c" must not set securityContext.windowsOptions.hostProcess=true)',
        ),
    ],
)
def test_what_baseline_forbids(spec: dict[str, Any], expected: str) -> None:
    assert found(spec, "baseline") == expected


@pytest.mark.parametrize(
    ("spec", "version", "expected"),
    [
        (pod({"runAsNonRoot": None}), "latest", "runAsNonRoot != true"),
        (pod({"runAsNonRoot": False}, hostUsers=False), "latest", ""),
        (pod({"runAsNonRoot": False}, hostUsers=False), "v1.34", "runAsNonRoot != true"),
        (pod({"runAsUser": 0}), "v1.22", ""),
        (pod({"runAsUser": 0}), "v1.23", "runAsUser=0"),
        (pod({"capabilities": None}), "v1.21", ""),
        (pod({"capabilities": None}), "v1.22", "unrestricted capabilities"),
        (pod({"allowPrivilegeEscalation": True}, os={"name": "windows"}), "v1.24", "allowPrivilegeEscalation != false"),
        (pod({"allowPrivilegeEscalation": True}, os={"name": "windows"}), "v1.25", ""),
        (pod(volumes=[{"name": "n", "nfs": {}}]), "latest", "restricted volume types"),
        (pod({"seccompProfile": None}), "v1.18", ""),
        (pod({"seccompProfile": None}), "v1.99", "seccompProfile"),
    ],
)
def test_what_restricted_forbids_by_version(spec: dict[str, Any], version: str, expected: str) -> None:
    findings = evaluator.evaluate(LevelVersion("restricted", version), {}, spec)
    assert evaluator.reasons(findings) == expected


def test_a_warning_is_as_strict_as_what_is_enforced() -> None:
    policy, problems = parse({f"{PREFIX}enforce": "baseline", f"{PREFIX}enforce-version": "v1.20"})
    assert (str(policy.warn), str(policy.audit), problems) == ("baseline:v1.20", "privileged:latest", [])


def test_labels_that_cannot_be_read() -> None:
    policy, problems = parse({f"{PREFIX}enforce": "odd", f"{PREFIX}warn-version": "x"})
    assert (policy.enforce.level, policy.warn.level) == ("restricted", "privileged")
    assert [str(each) for each in problems] == [
        f'metadata.labels[{PREFIX}enforce]: Invalid value: "odd": must be one of privileged, baseline, restricted',
        f'metadata.labels[{PREFIX}warn-version]: Invalid value: "x": must be "latest" or "v1.x"',
    ]


DEFAULTS = Policy(LevelVersion("baseline", "v1.30"), LevelVersion("restricted", "v1.22"), LevelVersion("restricted"))
SETTINGS = PodSecuritySettings(DEFAULTS, frozenset(["alice"]), frozenset(["kept"]), frozenset(["kata"]))
HOST = {"containers": [{"name": "c"}], "hostNetwork": True}


@pytest.mark.parametrize(
    ("labels", "policy"),
    [
        ({}, DEFAULTS),
        ({"a": "b"}, DEFAULTS),
        ({f"{PREFIX}enforce": "privileged"}, DEFAULTS._replace(enforce=LevelVersion("privileged", "v1.30"))),
        ({f"{PREFIX}audit-version": "latest"}, DEFAULTS._replace(audit=LevelVersion("restricted"))),
        ({f"{PREFIX}warn": "odd"}, DEFAULTS._replace(warn=LevelVersion())),
    ],
)
def test_what_labels_do_not_say_is_as_settings_say(labels: dict[str, str], policy: Policy) -> None:
    assert parse(labels, DEFAULTS)[0] == policy


def asked(
    spec: dict[str, Any], resource: str = "pods", namespace: str = "ns", user: str = "bob", **more: Any
) -> SimpleNamespace:
    annotations: dict[str, str] = {}
    group = "" if resource == "pods" else "apps"
    obj = {"metadata": {"name": "p"}, "spec": spec if resource == "pods" else {"template": {"spec": spec}}}
    given = {"operation": "CREATE", "obj": obj, "old": None, "subresource": "", "name": "p", **more}
    return SimpleNamespace(
        resource=SimpleNamespace(group=group, name=resource),
        user=SimpleNamespace(name=user),
        namespace=namespace,
        annotations=annotations,
        warnings=[],
        **given,
    )


def judge(attributes: Any, labels: dict[str, str] | None = None, registry: Registry | None = None) -> str:
    try:
        PodSecurity(lambda _: labels or {}, lambda _: [], Counts(registry or Registry()), SETTINGS).validate(attributes)
    except errors.Forbidden as refused:
        return str(refused)
    return ""


def test_pods_of_namespaces_without_labels_are_judged_by_the_settings() -> None:
    attributes = asked(HOST)
    assert judge(attributes) == (
        'pods "p" is forbidden: violates PodSecurity "baseline:v1.30": host namespaces (hostNetwork=true)'
    )
    assert set(attributes.annotations) == {f"{PREFIX}enforce-policy", f"{PREFIX}audit-violations"}
    template = asked(HOST, "deployments")
    assert judge(template) == ""
    assert template.warnings[0].startswith('would violate PodSecurity "restricted:latest": host namespaces')


@pytest.mark.parametrize(
    ("more", "spec", "reason"),
    [
        ({"namespace": "kept"}, {}, "namespace"),
        ({"user": "alice"}, {}, "user"),
        ({}, {"runtimeClassName": "kata"}, "runtimeClass"),
    ],
)
@pytest.mark.parametrize("resource", ["pods", "deployments"])
def test_who_and_what_is_exempt(more: dict[str, str], spec: dict[str, str], reason: str, resource: str) -> None:
    attributes = asked({**HOST, **spec}, resource, **more)
    assert judge(attributes) == ""
    assert (attributes.annotations, attributes.warnings) == ({f"{PREFIX}exempt": reason}, [])


def namespace(name: str, labels: dict[str, str], old: dict[str, str] | None = None) -> SimpleNamespace:
    obj = {"metadata": {"name": name, "labels": labels}}
    before = None if old is None else {"metadata": {"name": name, "labels": old}}
    operation = "CREATE" if old is None else "UPDATE"
    return SimpleNamespace(
        resource=SimpleNamespace(group="", name="namespaces"),
        operation=operation,
        obj=obj,
        old=before,
        subresource="",
        warnings=[],
        name=name,
        namespace=name,
        annotations={},
        user=SimpleNamespace(name="bob"),
    )


@pytest.mark.parametrize(
    ("name", "labels", "old", "shown"),
    [
        ("kept", {f"{PREFIX}enforce": "restricted"}, None, "enforce=restricted:v1.30"),
        (
            "kept",
            {f"{PREFIX}enforce": "restricted", f"{PREFIX}audit-version": "v1.9"},
            {},
            "enforce=restricted:v1.30, audit=restricted:v1.9",
        ),
        ("kept", {f"{PREFIX}enforce": "baseline"}, None, ""),
        ("kept", {}, None, ""),
        ("other", {f"{PREFIX}enforce": "restricted"}, None, ""),
    ],
)
def test_labels_of_an_exempt_namespace_are_told_to_be_ignored(
    name: str, labels: dict[str, str], old: dict[str, str] | None, shown: str
) -> None:
    attributes = namespace(name, labels, old)
    assert judge(attributes) == ""
    told = f'namespace "{name}" is exempt from Pod Security, and the policy ({shown}) will be ignored'
    assert attributes.warnings == ([told] if shown else [])


def test_pods_of_an_exempt_class_are_no_reason_to_warn_of_a_stricter_level() -> None:
    pods = [
        {"metadata": {"name": name}, "spec": {**HOST, **more}}
        for name, more in (("a", {"runtimeClassName": "kata"}), ("b", {}))
    ]
    attributes: Any = namespace("ns", {f"{PREFIX}enforce": "restricted"}, {})
    PodSecurity(lambda _: {}, lambda _: pods, Counts(Registry()), SETTINGS).validate(attributes)
    assert [warning.partition(":")[0] for warning in attributes.warnings[1:]] == ["b"]


def counted(registry: Registry) -> set[str]:
    text = b"".join(exposition.format_pieces(registry)).decode()
    return {line for line in text.splitlines() if line.startswith("pod_security") and not line.endswith(" 0")}


def test_what_is_counted() -> None:
    registry = Registry()
    of_pod = 'request_operation="create",resource="pod",subresource=""'
    judge(asked(HOST), None, registry)
    for _ in range(2):
        judge(asked(pod()), {f"{PREFIX}{mode}": "privileged" for mode in ("enforce", "audit", "warn")}, registry)
    judge(asked(HOST, user="alice"), None, registry)
    judge(asked(pod(), "deployments"), {f"{PREFIX}warn": "odd"}, registry)
    judge(asked(pod()), {f"{PREFIX}enforce-version": "v1.99"}, registry)
    evaluated = 'pod_security_evaluations_total{decision="%s",mode="%s",policy_level="%s",policy_version="%s",%s} 1'
    assert counted(registry) == {
        evaluated % ("deny", "enforce", "baseline", "v1.30", of_pod),
        evaluated % ("deny", "audit", "restricted", "v1.22", of_pod),
        (evaluated % ("allow", "enforce", "privileged", "latest", of_pod))[:-1] + "2",
        evaluated % ("allow", "enforce", "baseline", "future", of_pod),
        f"pod_security_exemptions_total{{{of_pod}}} 1",
        f'pod_security_errors_total{{fatal="false",{of_pod.replace("pod", "controller")}}} 1',
    }
