"""Kinds that no stable version has: candidates for leases, rules of taints, questions about pools, storage versions."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from quarterdeck.apimachinery import pem
from quarterdeck.registry.builtin import furtherkinds
from support.builtin_kind import BuiltinKind
from support.certificates import Certificate

CANDIDATE = BuiltinKind(furtherkinds.define("coordination.k8s.io", "leasecandidates"))
RULE = BuiltinKind(furtherkinds.define("resource.k8s.io", "devicetaintrules"))
REQUEST = BuiltinKind(furtherkinds.define("resource.k8s.io", "resourcepoolstatusrequests"))
VERSIONS = BuiltinKind(furtherkinds.define("internal.apiserver.k8s.io", "storageversions"))
BUNDLE = BuiltinKind(furtherkinds.define("certificates.k8s.io", "clustertrustbundles"))
MIGRATION = BuiltinKind(furtherkinds.define("storagemigration.k8s.io", "storageversionmigrations"))

GOOD = {
    "leaseName": "l",
    "binaryVersion": "1.36.0",
    "emulationVersion": "1.35.0",
    "strategy": "OldestEmulationVersion",
}
SEMANTIC = "must be a valid semantic version"
ABOVE = "must be greater than or equal to `emulationVersion`"
NEEDED = "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"


@pytest.mark.parametrize(
    "changed, told",
    [
        ({}, []),
        ({"emulationVersion": "1.36.0-alpha.1"}, []),
        ({"emulationVersion": "1.36.0+build"}, []),
        ({"leaseName": ""}, ["spec.leaseName: Required value"]),
        ({"binaryVersion": ""}, ["spec.binaryVersion: Required value"]),
        ({"binaryVersion": "1.34.9"}, [f'spec.binaryVersion: Invalid value: "1.34.9": {ABOVE}']),
        (
            {"binaryVersion": "v1.2.3"},
            [
                f'spec.binaryVersion: Invalid value: "v1.2.3": {SEMANTIC}',
                f'spec.binaryVersion: Invalid value: "v1.2.3": {ABOVE}',
            ],
        ),
        ({"emulationVersion": ""}, [NEEDED]),
        ({"emulationVersion": "x"}, [f'spec.emulationVersion: Invalid value: "x": {SEMANTIC}', NEEDED]),
        ({"emulationVersion": "", "strategy": "a.b/c"}, []),
        ({"strategy": ""}, ["spec.strategy: Required value"]),
        (
            {"strategy": "foo"},
            ['spec.strategy.strategy: Unsupported value: "foo": supported values: "OldestEmulationVersion"'],
        ),
    ],
)
def test_a_candidate_tells_its_versions_and_how_to_pick(changed: dict[str, Any], told: list[str]) -> None:
    assert CANDIDATE.refusals({"spec": {**GOOD, **changed}}) == told


def test_a_candidate_keeps_its_lease() -> None:
    found = CANDIDATE.refusals_of_update({"spec": {**GOOD, "leaseName": "m"}}, {"spec": GOOD})
    assert found == ['spec.leaseName: Invalid value: "m": field is immutable']


TAINT: dict[str, Any] = {"key": "a/b", "effect": "NoSchedule", "timeAdded": "2025-01-01T00:00:00Z"}


def test_the_time_of_a_taint_follows_its_effect() -> None:
    before = {"spec": {"taint": TAINT}, "status": {"conditions": []}}
    made = RULE.create({"spec": {"taint": {"key": "k", "effect": "None"}}})
    assert made["metadata"]["generation"] == 1
    assert made["spec"]["taint"]["timeAdded"]
    same = RULE.update({"spec": {"taint": {**TAINT, "value": "v"}}}, before)
    assert same["spec"]["taint"]["timeAdded"] == TAINT["timeAdded"]
    moved = RULE.update({"spec": {"taint": {**TAINT, "effect": "NoExecute"}}}, before)
    assert moved["spec"]["taint"]["timeAdded"] > TAINT["timeAdded"]
    told = {**TAINT, "effect": "NoExecute", "timeAdded": "2025-02-02T00:00:00Z"}
    assert RULE.update({"spec": {"taint": told}}, before)["spec"]["taint"]["timeAdded"] == told["timeAdded"]


def test_a_rule_of_a_taint_names_devices_and_an_effect() -> None:
    selector = {"driver": "", "pool": "x//y", "device": "A"}
    found = RULE.refusals({"spec": {"deviceSelector": selector, "taint": {"key": "k", "effect": "X"}}})
    assert [each.partition(":")[0] for each in found] == [
        "spec.deviceSelector.driver",
        "spec.deviceSelector.pool",
        "spec.deviceSelector.device",
        "spec.taint.effect",
    ]
    # What was stored with another effect may stay.
    old = {"spec": {"taint": {"key": "k", "effect": "X"}}}
    assert RULE.refusals_of_update(old, old) == []


def test_the_status_of_a_rule_has_few_conditions() -> None:
    conditions = [
        {"type": f"A{i}", "status": "True", "reason": "R", "message": "", "lastTransitionTime": TAINT["timeAdded"]}
        for i in range(9)
    ]
    old = {"spec": {"taint": TAINT}}
    found = RULE.refusals_of_update({**old, "status": {"conditions": conditions}}, old, "status")
    assert found == ["status.conditions: Too many: 9: must have at most 8 items"]


@pytest.mark.parametrize(
    "spec, told",
    [
        ({"driver": "A.b", "poolName": "p/q"}, []),
        ({}, ["spec.driver: Required value"]),
        ({"driver": "d", "limit": 1001}, ["spec.limit: Invalid value: 1001: must be less than or equal to 1000"]),
        ({"driver": "d", "limit": 0}, ["spec.limit: Invalid value: 0: must be greater than or equal to 1"]),
        ({"driver": "d", "poolName": "a//b"}, ['spec.poolName: Invalid value: "a//b": segment 1: must not be empty']),
    ],
)
def test_a_question_names_a_driver(spec: dict[str, Any], told: list[str]) -> None:
    assert REQUEST.create({"spec": spec})["spec"].get("limit") == spec.get("limit", 100)
    assert REQUEST.refusals({"spec": spec}) == told


def test_a_driver_of_a_question_may_have_capital_letters() -> None:
    (found,) = REQUEST.refusals({"spec": {"driver": "a b"}})
    assert "an RFC 1123 subdomain must consist of alphanumeric characters" in found
    (found,) = REQUEST.refusals({"spec": {"driver": "d" * 254}})
    assert found.endswith(": must be no more than 253 bytes")


def test_a_question_stays_as_it_is() -> None:
    found = REQUEST.refusals_of_update({"spec": {"driver": "d"}}, {"spec": {"driver": "e"}})
    assert found == ["spec: Invalid value: null: field is immutable"]


def test_a_question_is_answered_once() -> None:
    asked = {"spec": {"driver": "d"}}
    pool = {"driver": "d", "poolName": "p", "generation": 1}
    answered = {**asked, "status": {"poolCount": 1, "pools": [pool]}}
    assert REQUEST.create(answered).get("status") is None
    assert REQUEST.refusals_of_update(answered, asked, "status") == []
    assert REQUEST.refusals_of_update(answered, answered, "status") == []
    (found,) = REQUEST.refusals_of_update({**asked, "status": {"poolCount": 2}}, answered, "status")
    assert found == 'status: Invalid value: {"PoolCount":2,"Pools":null,"Conditions":null}: field is immutable'
    bad = {**asked, "status": {"pools": [{**pool, "totalDevices": -1, "driver": ""}]}}
    assert REQUEST.refusals_of_update(bad, asked, "status") == [
        "status.poolCount: Required value",
        "status.pools[0].driver: Required value",
        "status.pools[0].totalDevices: Invalid value: -1: must be greater than or equal to 0",
    ]


def test_a_condition_that_is_there_twice_is_told_whole() -> None:
    condition = {"type": "A", "status": "True", "lastTransitionTime": TAINT["timeAdded"], "reason": "R", "message": "m"}
    asked = {"spec": {"driver": "d"}}
    answered = {**asked, "status": {"poolCount": 1, "conditions": [condition, condition]}}
    found = REQUEST.refusals_of_update(answered, asked, "status")
    assert found[0] == 'status.conditions[1].type: Duplicate value: "A"'
    assert found[1].startswith('status.conditions[1]: Duplicate value: {"type":"A","status":"True"')


SERVER = {"apiServerID": "a", "encodingVersion": "v1", "decodableVersions": ["v1", "g/v1"]}


@pytest.mark.parametrize(
    "name, told",
    [
        ("core.pods", []),
        ("x", ["name must be in the form of <group>.<resource>"]),
    ],
)
def test_a_storage_version_is_named_by_its_resource(name: str, told: list[str]) -> None:
    found = VERSIONS.refusals({"metadata": {"name": name}})
    assert found == [f'metadata.name: Invalid value: "{name}": {each}' for each in told]


@pytest.mark.parametrize(
    "status, told",
    [
        ({"storageVersions": [SERVER], "commonEncodingVersion": "v1"}, []),
        ({"storageVersions": [SERVER]}, ["Invalid value: null: the common encoding version is v1"]),
        (
            {"storageVersions": [SERVER], "commonEncodingVersion": "v2"},
            ['Invalid value: "v2": the actual common encoding version is v1'],
        ),
        (
            {"storageVersions": [SERVER, {**SERVER, "apiServerID": "b", "encodingVersion": "g/v1"}]},
            [],
        ),
        (
            {"commonEncodingVersion": "v1"},
            [
                'Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there '
                "is no server reporting the supported versions yet"
            ],
        ),
    ],
)
def test_servers_agree_on_a_version_or_tell_none(status: dict[str, Any], told: list[str]) -> None:
    name = {"metadata": {"name": "g.r"}}
    found = VERSIONS.refusals_of_update({**name, "status": status}, name, "status")
    assert found == [f"status.commonEncodingVersion: {each}" for each in told]


def test_refusals_of_what_a_server_cannot_read_are_bounded() -> None:
    server = {"apiServerID": "a", "encodingVersion": "v1", "decodableVersions": ["v1"], "servedVersions": ["v3"] * 500}
    status = {"storageVersions": [server], "commonEncodingVersion": "v1"}
    name = {"metadata": {"name": "x.y"}}
    assert len(VERSIONS.refusals_of_update({**name, "status": status}, name, "status")) == 100


def test_a_server_reads_what_it_writes() -> None:
    server = {"apiServerID": "a", "encodingVersion": "v1", "decodableVersions": ["v2"], "servedVersions": ["v3"]}
    name = {"metadata": {"name": "g.r"}}
    status = {"storageVersions": [server], "commonEncodingVersion": "v1"}
    found = VERSIONS.refusals_of_update({**name, "status": status}, name, "status")
    path = "status.storageVersions[0]"
    assert found == [
        f'{path}.decodableVersions: Invalid value: ["v2"]: decodableVersions must include encodingVersion v1',
        f'{path}.servedVersions[0]: Invalid value: "v3": individual served version : v3 must be included in '
        "decodableVersions : [v2]",
    ]


AUTHORITY = Certificate("a", is_authority=True).pem.decode()
OTHER = Certificate("b", is_authority=True).pem.decode()
LEAF = Certificate("c").pem.decode()
AUTHORITY_DER = next(pem.blocks(AUTHORITY.encode())).content
UNKNOWN_VERSION = AUTHORITY_DER.replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x05", 1)
WITH_HEADERS = AUTHORITY.replace("CERTIFICATE-----\n", "CERTIFICATE-----\nX: y\n\n", 1)


def as_pem(der: bytes) -> str:
    return f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(der).decode()}\n-----END CERTIFICATE-----\n"


def refusals_of_bundle(text: str, name: str = "x", signer: str = "") -> list[str]:
    spec = {"signerName": signer, "trustBundle": text}
    return BUNDLE.refusals({"metadata": {"name": name}, "spec": spec})


@pytest.mark.parametrize(
    "text, told",
    [
        (f"words\n{AUTHORITY}{OTHER}", []),
        ("", ["at least one trust anchor must be provided"]),
        (f"{AUTHORITY}{LEAF}", ["entry 1 does not have the CA bit set"]),
        (WITH_HEADERS, ["entry 0 has PEM block headers"]),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", ["entry 0 does not parse as X.509"]),
        (as_pem(UNKNOWN_VERSION), ["entry 0 does not parse as X.509"]),
        ("-----BEGIN FOO-----\nAAAA\n-----END FOO-----\n", ["entry 0 has bad block type: FOO"]),
        (AUTHORITY + OTHER + AUTHORITY, ["duplicate trust anchor (indices [0 2])"]),
    ],
)
def test_a_bundle_holds_authorities(text: str, told: list[str]) -> None:
    shown = 'spec.trustBundle: Invalid value: "<value omitted>": '
    assert refusals_of_bundle(text) == [shown + each for each in told]


def test_a_large_bundle_is_not_read() -> None:
    assert refusals_of_bundle("x" * (1024 * 1024 + 1)) == [
        "spec.trustBundle: Too long: may not be more than 1048576 bytes"
    ]


def test_a_bundle_is_named_by_its_signer() -> None:
    assert refusals_of_bundle(AUTHORITY, "ex.com:s:x", "ex.com/s") == []
    (found,) = refusals_of_bundle(AUTHORITY, "x", "ex.com/s")
    assert found.endswith("ClusterTrustBundle for signerName ex.com/s must be named with prefix ex.com:s:")
    (found,) = refusals_of_bundle(AUTHORITY, "a:b")
    assert found.endswith('ClusterTrustBundle without signer name must not have ":" in its name')
    old = {"spec": {"trustBundle": "no certificate"}}
    assert BUNDLE.refusals_of_update(old, old) == []  # what is stored is not read again


def test_a_migration_names_a_resource_for_good() -> None:
    def migrate(name: str, group: str = "") -> dict[str, Any]:
        return {"spec": {"resource": {"group": group, "resource": name}}}

    assert MIGRATION.refusals(migrate("deployments", "apps")) == []
    (found,) = MIGRATION.refusals(migrate(""))
    assert found == "spec.resource.resource: Required value: resource is required to be set"
    found = MIGRATION.refusals_of_update(migrate("pods"), migrate("secrets"))
    assert found == ['spec: Invalid value: {"Resource":{"group":"","resource":"pods"}}: field is immutable']


def test_the_outcome_of_a_migration_stays() -> None:
    def told(version: str, *kinds: str) -> dict[str, Any]:
        conditions = [
            {"type": kind, "status": "True", "reason": "R", "message": "", "lastTransitionTime": TAINT["timeAdded"]}
            for kind in kinds
        ]
        spec = {"resource": {"group": "", "resource": "pods"}}
        return {"spec": spec, "status": {"resourceVersion": version, "conditions": conditions}}

    assert MIGRATION.refusals_of_update(told("12", "Succeeded"), told("", "Running"), "status") == []
    (found,) = MIGRATION.refusals_of_update(told("05"), told(""), "status")
    assert found == 'status.resourceVersion: Invalid value: "05": resource version is not well formed: 05'
    found = MIGRATION.refusals_of_update(told("13"), told("12", "Succeeded"), "status")
    assert found == [
        'status.resourceVersion: Invalid value: "13": field is immutable',
        "status.conditions: Invalid value: []: Success condition cannot be set to false once it is true",
    ]
    (found,) = MIGRATION.refusals_of_update(told("1", "Succeeded", "Failed"), told("1"), "status")
    assert found.endswith("Both success and failed conditions cannot be true at the same time")
