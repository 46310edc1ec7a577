"""Pod security standards: labels of namespaces, and what each level forbids in each of its versions."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.admission.podsecurity import evaluator
from quarterdeck.admission.podsecurity.levels import LevelVersion, parse

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
