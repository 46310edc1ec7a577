"""Which checks make a level, in which of its versions. Source: pod-security-admission/policy/registry.go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from quarterdeck.admission.podsecurity import baseline, restricted
from quarterdeck.admission.podsecurity.levels import LevelVersion
from quarterdeck.admission.podsecurity.words import Finding, Object

LATEST_MINOR: Final = 36

_Run = Callable[[Object, dict[str, str], int], Finding | None]


class _Check(NamedTuple):
    """`since`: the minor version that it came with. `until`: the one in which a stricter one replaces it where the
    level is restricted."""

    run: _Run
    since: int = 0
    until: int = LATEST_MINOR + 1


_BASELINE: Final = (
    _Check(baseline.app_armor),
    _Check(baseline.capabilities, until=22),
    _Check(baseline.host_namespaces),
    _Check(baseline.host_path_volumes, until=0),
    _Check(baseline.host_ports),
    _Check(baseline.host_probes, since=34),
    _Check(baseline.privileged),
    _Check(baseline.proc_mount, until=35),
    _Check(baseline.selinux),
    _Check(baseline.seccomp, until=19),
    _Check(baseline.sysctls),
    _Check(baseline.windows_host_process),
)
_RESTRICTED: Final = (
    _Check(restricted.privilege_escalation, since=8),
    _Check(restricted.capabilities, since=22),
    _Check(baseline.any_proc_mount, since=35),
    _Check(restricted.volumes),
    _Check(restricted.run_as_non_root),
    _Check(restricted.run_as_user, since=23),
    _Check(restricted.seccomp, since=19),
)


def evaluate(asked: LevelVersion, metadata: Object, spec: Object) -> list[Finding]:
    if asked.level == "privileged":
        return []
    minor = min(LATEST_MINOR if asked.minor is None else asked.minor, LATEST_MINOR)
    is_restricted = asked.level == "restricted"
    checks = [each for each in _BASELINE if minor >= each.since and (minor < each.until or not is_restricted)]
    if is_restricted:
        checks += [each for each in _RESTRICTED if minor >= each.since]
    annotations = metadata.get("annotations") or {}
    results = (check.run(spec, annotations, minor) for check in checks)
    return [each for each in results if each is not None]


def reasons(findings: list[Finding]) -> str:
    return ", ".join(each.reason for each in findings)


def details(findings: list[Finding]) -> str:
    return ", ".join(f"{each.reason} ({each.detail})" if each.detail else each.reason for each in findings)
