"""What the kinds of resource.k8s.io default, keep and refuse."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.codec import json
from quarterdeck.registry.builtin.resource import parts, requests, resources
from quarterdeck.storage.cacher import Cacher
from support.builtin_kind import BuiltinKind
from support.memory_store import MemoryStore

DEFINITIONS = {each.resource.kind: each for each in resources.definitions(Cacher(MemoryStore()))}
KINDS = {kind: BuiltinKind(each) for kind, each in DEFINITIONS.items()}
POOL = {"name": "p", "generation": 1, "resourceSliceCount": 1}
OPAQUE = {"driver": "a.dev", "parameters": {"x": 1}}
RESULT = {"request": "r", "driver": "a.dev", "pool": "p", "device": "d"}

Object = dict[str, Any]


def claim(*requests: Object, **devices: Any) -> Object:
    return {"spec": {"devices": {"requests": list(requests), **devices}}}


def exactly(name: str = "r", **members: Any) -> Object:
    return {"name": name, "exactly": {"deviceClassName": "c", **members}}


def selector(expression: str) -> Object:
    return {"spec": {"selectors": [{"cel": {"expression": expression}}]}}


def offered(*devices: Object, **spec: Any) -> Object:
    named = [{"name": f"d{position}", **each} for position, each in enumerate(devices)]
    return {"spec": {"driver": "a.dev", "pool": POOL, "nodeName": "n", "devices": named, **spec}}


def shared(**policy: Any) -> Object:
    capacity = {"m": {"value": "4", "requestPolicy": {"default": "1", **policy}}}
    return offered({"allowMultipleAllocations": True, "capacity": capacity})


def allocated(**members: Any) -> Object:
    status = {"allocation": {"devices": {"results": [RESULT]}}, **members}
    return {**claim(exactly()), "status": status}


def test_requests_ask_for_one_device_where_they_do_not_say() -> None:
    made = KINDS["ResourceClaim"].create(claim(exactly(tolerations=[{"key": "k"}]), exactly("q", allocationMode="All")))
    first, second = made["spec"]["devices"]["requests"]
    assert (first["exactly"]["allocationMode"], first["exactly"]["count"]) == ("ExactCount", 1)
    assert first["exactly"]["tolerations"] == [{"key": "k", "operator": "Equal"}]
    assert "count" not in second["exactly"]


def test_attributes_of_constraints_are_shown_by_their_type() -> None:
    found = [str(each) for each in parts.fully_qualified_name("at", "a>b")]
    assert found[0].startswith('at: Invalid value: "a>b": a valid C identifier')
    assert found[1].startswith('at: Invalid value: "a\\u003eb": a fully qualified name')


@pytest.mark.parametrize(
    ("expression", "refusal"),
    [
        ("device.driver == 'a.dev' && device.attributes['a.dev'].ok", ""),
        ("cel.bind(dra, device.attributes['a.dev'], dra.one && dra.other)", ""),
        ("device.capacity['a.dev'].m.compareTo(quantity('2')) >= 0", ""),
        ("device.attributes['a.dev'].ok", ""),
        # What says nothing of its size costs nothing to compare.
        ("device == device", ""),
        ("device.capacity['a.dev'].all(m, device.capacity['a.dev'][m] in [device.capacity['a.dev'].n])", ""),
        ("dyn(device.attributes['a.dev'].l).exists(x, x == 1)", ""),
        (
            "device.attributes['a.dev'].l.exists(x, x == 1)",
            "expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        ("type(device) == kubernetes.DRADevice", "reference to undefined type: kubernetes.DRADevice"),
        ("kubernetes.DRADevice{}", "must evaluate to bool or the unknown type, not kubernetes.DRADevice"),
        ("1 + 1", "must evaluate to bool or the unknown type, not int"),
        ("{1: [null]}", "must evaluate to bool or the unknown type, not map(int, list(null_type))"),
        ("[duration('1s')]", "must evaluate to bool or the unknown type, not list(google.protobuf.Duration)"),
        ("device.attributes", "not map(string, map(string, google.protobuf.Any))"),
        ("", "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting"),
        ("device.odd", "compilation failed: ERROR: <input>:1:7: undefined field 'odd'"),
        (
            "device.attributes.all(a, device.attributes.all(b, a.matches(b + '" + "x" * 5000 + "')))",
            "exceeds cost limit",
        ),
    ],
)
def test_selectors_are_compiled(expression: str, refusal: str) -> None:
    found = KINDS["DeviceClass"].refusals(selector(expression))
    assert refusal in found[0] if refusal else found == []


@pytest.mark.parametrize(
    ("kind", "obj", "refusals"),
    [
        (
            "ResourceClaim",
            claim({"name": "r"}, {**exactly("r"), "firstAvailable": [{"name": "s", "deviceClassName": "c"}]}),
            [
                "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
                "spec.devices.requests[1]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is"
                " required, but multiple fields are set",
                'spec.devices.requests[1]: Duplicate value: "r"',
            ],
        ),
        (
            "ResourceClaim",
            claim(exactly(count=-1), exactly("q", allocationMode="All", count=1), exactly("o", allocationMode="x")),
            [
                "spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero",
                "spec.devices.requests[1].exactly.count: Invalid value: 1: must not be specified when allocationMode"
                " is 'All'",
                'spec.devices.requests[2].exactly.allocationMode: Unsupported value: "x": supported values: "All",'
                ' "ExactCount"',
            ],
        ),
        (
            "ResourceClaim",
            claim(exactly(), constraints=[{"requests": ["r", "r", "a/b/c"]}, {"matchAttribute": "a"}]),
            [
                'spec.devices.constraints[0].requests[2]: Invalid value: "a/b/c": must be the name of a request in the'
                " claim or the name of a request and a subrequest separated by '/'",
                'spec.devices.constraints[0].requests[1]: Duplicate value: "r"',
                'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is'
                " required, but multiple fields are set",
                'spec.devices.constraints[1].matchAttribute: Invalid value: "a": a fully qualified name must be a'
                " domain"
                " and a name separated by a slash",
            ],
        ),
        (
            "ResourceClaim",
            claim(*(exactly(f"r{number}") for number in range(33))),
            ["spec.devices.requests: Too many: 33: must have at most 32 items"],
        ),
        (
            "ResourceClaim",
            claim(exactly(), config=[{}, {"opaque": {"driver": "", "parameters": "x"}}, {"opaque": OPAQUE}]),
            [
                "spec.devices.config[0].opaque: Required value",
                "spec.devices.config[1].opaque.driver: Required value",
                'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON'
                " object",
            ],
        ),
        (
            "ResourceClaimTemplate",
            {"spec": {"metadata": {"labels": {"a": "b"}, "uid": "u", "finalizers": []}, "spec": {"devices": {}}}},
            ["spec.metadata.finalizers: Forbidden: cannot be set", "spec.metadata.uID: Forbidden: cannot be set"],
        ),
        (
            "DeviceClass",
            {"spec": {"extendedResourceName": "cpu"}},
            ['spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name'],
        ),
        (
            "ResourceSlice",
            offered(allNodes=True),
            [
                'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`,'
                " `allNodes`,"
                " `perDeviceNodeSelection` is required, but multiple fields are set"
            ],
        ),
        (
            "ResourceSlice",
            offered({"attributes": {"a": {"int": 1, "bool": True}, "b": {"version": "1"}, "c/": {"int": 1}}}),
            [
                'spec.devices[0].attributes[a]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,'
                '"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}:'
                " exactly"
                " one value must be specified",
                'spec.devices[0].attributes[b].version: Invalid value: "1": must be a string compatible with semver.org'
                " spec 2.0.0",
                'spec.devices[0].attributes: Invalid value: "": the name must not be empty',
            ],
        ),
        (
            "ResourceSlice",
            offered({"bindingConditions": ["a", "a"], "bindingFailureConditions": ["a"]}),
            [
                'spec.devices[0].bindingConditions[1]: Duplicate value: "a"',
                'spec.devices[0].bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not'
                " overlap with bindingConditions",
            ],
        ),
        (
            "ResourceSlice",
            offered({"bindingConditions": ["a"]}, {"bindingConditions": [], "bindingFailureConditions": ["a"]}),
            [
                "spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required"
                " to use bindingConditions",
                "spec.devices[1].bindingConditions: Invalid value: []: bindingConditions are required to use"
                " bindingFailureConditions",
            ],
        ),
        (
            "ResourceSlice",
            shared(validRange={"min": "2", "max": "5", "step": "2"}),
            [
                'spec.devices[0].capacity[m].requestPolicy.validRange.min: Invalid value: "1": default is less than'
                " min: 2",
                'spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: "5": max is larger than'
                " capacity"
                " value: 4",
                'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "1": value is not a'
                " multiple of"
                " a given step (2) from (2)",
                'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "5": value is not a'
                " multiple of"
                " a given step (2) from (2)",
            ],
        ),
        (
            "ResourceSlice",
            shared(validValues=["3", "2", "9"]),
            [
                'spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: "2": values must be sorted in'
                " ascending order",
                'spec.devices[0].capacity[m].requestPolicy.validValues[2]: Invalid value: "9": option is larger than'
                " capacity value: 4",
                'spec.devices[0].capacity[m].requestPolicy.validValues: Invalid value: "1": default value is not valid'
                " according to the requestPolicy",
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_new_object_is_told(kind: str, obj: Object, refusals: list[str]) -> None:
    found = KINDS[kind].refusals(obj)
    assert sorted(found) == sorted(refusals)


def test_what_a_claim_asks_for_does_not_change() -> None:
    (refusal,) = KINDS["ResourceClaim"].refusals_of_update(claim(), claim(exactly()))
    assert refusal == (
        'spec: Invalid value: {"Devices":{"Requests":[],"Constraints":null,"Config":null}}: field is immutable'
    )


@pytest.mark.parametrize(
    ("before", "obj", "refusals"),
    [
        (claim(exactly()), allocated(reservedFor=[{"resource": "pods", "name": "p", "uid": "u"}]), []),
        (
            claim(exactly()),
            {**claim(), "status": {"reservedFor": [{"resource": "pods"}]}},
            [
                "status.reservedFor[0].name: Required value",
                "status.reservedFor[0].uid: Required value",
                "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
            ],
        ),
        (
            allocated(),
            allocated(devices=[{**RESULT, "device": "e", "networkData": {"ips": ["10.1.1.1", "::ffff:1.2.3.4/120"]}}]),
            [
                'status.devices[0]: Invalid value: {"Driver":"a.dev","Pool":"p","Device":"e","ShareID":""}: must be an'
                " allocated device in the claim",
                'status.devices[0].networkData.ips[0]: Invalid value: "10.1.1.1": must be a valid address in CIDR form,'
                " (e.g. 10.9.8.7/24 or 2001:db8::1/64)",
                'status.devices[0].networkData.ips[1]: Invalid value: "::ffff:1.2.3.4/120": must be in canonical form'
                ' ("1.2.3.4/24")',
            ],
        ),
        (
            claim(exactly()),
            {**claim(), "status": {"allocation": {"devices": {"results": [{**RESULT, "shareID": "U"}]}}}},
            [
                'status.allocation.devices.results[0].shareID: Invalid value: "U": error validating uid: invalid UUID'
                " length: 1"
            ],
        ),
    ],
)
def test_what_a_status_may_say(before: Object, obj: Object, refusals: list[str]) -> None:
    assert KINDS["ResourceClaim"].refusals_of_update(obj, before, "status") == refusals


def with_tolerations(*found: Object) -> Object:
    return {
        **claim(exactly()),
        "status": {"allocation": {"devices": {"results": [{**RESULT, "tolerations": [*found]}]}}},
    }


@pytest.mark.parametrize("sent", [{"key": "k"}, {"key": "k", "operator": ""}])
def test_tolerations_of_allocated_devices_have_the_default_of_requests(sent: Object) -> None:
    (result,) = KINDS["ResourceClaim"].decode(with_tolerations(sent))["status"]["allocation"]["devices"]["results"]
    assert result["tolerations"] == [{"key": "k", "operator": "Equal"}]
    assert KINDS["ResourceClaim"].refusals_of_update(with_tolerations(sent), claim(exactly()), "status") == []


def test_tolerations_of_allocated_devices_are_not_checked_again() -> None:
    odd = with_tolerations(
        {"key": "a b", "operator": "X", "effect": "z", "value": "x y"}, {"operator": "Exists", "value": "v"}
    )
    assert KINDS["ResourceClaim"].refusals_of_update(odd, claim(exactly()), "status") == []


def test_what_drivers_tell_of_freed_devices_goes_with_them() -> None:
    made = KINDS["ResourceClaim"].update(
        {**claim(exactly()), "status": {"devices": [RESULT]}}, allocated(devices=[RESULT]), "status"
    )
    assert "devices" not in made["status"]


def test_lists_that_are_written_down_empty_count_in_slices() -> None:
    found = KINDS["ResourceSlice"].refusals(offered({}, sharedCounters=[]))
    assert found == ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed']
    assert KINDS["ResourceSlice"].refusals(offered({})) == []


@pytest.mark.parametrize(
    ("time", "generation"),
    [
        ("2024-01-01T00:00:00.5Z", 8),
        ("2024-01-01T01:00:00.25+01:00", 8),
        ("2024-01-01T00:00:00Z", 7),
        ("2024-01-01T00:00:00.000Z", 7),
    ],
)
def test_fractions_of_a_second_that_nobody_writes_are_a_change(time: str, generation: int) -> None:
    def tainted(at: str) -> Object:
        return offered({"taints": [{"key": "k", "effect": "NoExecute", "timeAdded": at}]})

    before = {**tainted("2024-01-01T00:00:00Z"), "metadata": {"generation": 7}}
    made = KINDS["ResourceSlice"].update(tainted(time), before)
    assert made["metadata"].get("generation", 7) == generation
    assert made["spec"]["devices"][0]["taints"][0]["timeAdded"] == "2024-01-01T00:00:00Z"


def test_a_slice_drops_what_is_off_by_default() -> None:
    made = KINDS["ResourceSlice"].create(offered({"attributes": {"a": {"ints": [1]}}}))
    assert made["spec"]["devices"][0]["attributes"] == {"a": {}}


def test_terms_of_nodes_are_shown_with_what_is_written_down_empty() -> None:
    terms: list[Object] = [{"matchExpressions": []}, {"matchFields": []}]
    refusals = KINDS["ResourceSlice"].refusals(
        {"spec": {"driver": "a.dev", "pool": POOL, "nodeSelector": {"nodeSelectorTerms": terms}}}
    )
    shown = '[{"MatchExpressions":[],"MatchFields":null},{"MatchExpressions":null,"MatchFields":[]}]'
    assert f"spec.nodeSelector.nodeSelectorTerms: Invalid value: {shown}: must have exactly one node selector term" in (
        refusals
    )


def test_many_attributes_are_too_many_values_as_well() -> None:
    def told(count: int) -> list[str]:
        return KINDS["ResourceSlice"].refusals(offered({"attributes": {f"a{n}": {"int": n} for n in range(count)}}))

    entries = "the total number of attributes and capacities must not exceed 32"
    assert told(48) == [f"spec.devices[0]: Invalid value: 48: {entries}"]
    assert told(49) == [
        f"spec.devices[0]: Invalid value: 49: {entries}",
        "spec.devices[0]: Invalid value: 49: the total number of attribute values must not exceed 48",
    ]


def test_a_changed_allocation_is_shown_with_what_is_written_down_empty() -> None:
    changed = allocated(allocation={"devices": {"results": [{**RESULT, "device": "e"}], "config": []}})
    (refusal,) = KINDS["ResourceClaim"].refusals_of_update(changed, allocated(), "status")
    assert '"Config":[]},"NodeSelector":null' in refusal


@pytest.mark.parametrize(
    ("value", "refusal"),
    [
        ("10.9.8.7/24", ""),
        ("fe80::1/64", ""),
        ("010.9.8.7/024", 'must be in canonical form ("10.9.8.7/24")'),
        ("fe80::1%eth0/64", "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"),
        ("::ffff:01.2.3.4/120", 'must be in canonical form ("1.2.3.4/24")'),
        ("::ffff:1.2.3.4/24", 'must be in canonical form ("1.2.3.4/24")'),
        ("10.9.8.7/33", "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"),
    ],
)
def test_addresses_of_devices_are_written_as_they_are_printed(value: str, refusal: str) -> None:
    told = [{**RESULT, "networkData": {"ips": [value]}}]
    found = KINDS["ResourceClaim"].refusals_of_update(allocated(devices=told), allocated(), "status")
    prefix = f'status.devices[0].networkData.ips[0]: Invalid value: "{value}": '
    assert found == ([prefix + refusal] if refusal else [])


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("a" * 96, "a" * 96),
        ("a" * 97, "a" * 47 + "..." + "a" * 46),
        ("\u00e4" * 48, "\u00e4" * 48),
        ("\u00e4" * 49, "\u00e4" * 23 + "\ufffd..." + "\u00e4" * 23),
        ("\u20ac" * 33, "\u20ac" * 15 + "\ufffd" * 2 + "..." + "\ufffd" + "\u20ac" * 15),
    ],
)
def test_long_keys_are_cut_in_the_middle_by_bytes(key: str, shown: str) -> None:
    def check(path: str, _value: Any) -> list[Any]:
        return [field.required(path)]

    found = parts.entries("at", {key: {}}, -1, 96, lambda _path, _key: [], check)
    assert [each.path for each in found] == [f"at[{shown}]"]


@pytest.mark.parametrize("prefix", ["-a", "A_", "x" * 72 + "."])
def test_what_the_name_of_a_class_begins_with_is_not_looked_at(prefix: str) -> None:
    """Nor of the other kinds whose names declarative validation checks."""
    assert not KINDS["DeviceClass"].refusals({"metadata": {"generateName": prefix}, "spec": {}})
    template = {"metadata": {"generateName": prefix}, "spec": {"spec": {"devices": {}}}}
    assert KINDS["ResourceClaimTemplate"].refusals(template)[0].startswith("metadata.generateName: Invalid value")


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "0001-01-01T02:00:00+02:00"])
def test_a_template_may_not_tell_when_its_claims_are_made_and_deleted(time: str) -> None:
    """Not even with Go's zero time, which is kept nowhere."""
    metadata = {"creationTimestamp": time, "deletionTimestamp": time}
    template = {"metadata": {"name": "t"}, "spec": {"metadata": metadata, "spec": {"devices": {}}}}
    assert KINDS["ResourceClaimTemplate"].refusals(template) == [
        f"spec.metadata.{name}: Forbidden: cannot be set" for name in metadata
    ]
    template["spec"]["metadata"] = dict.fromkeys(metadata)
    assert KINDS["ResourceClaimTemplate"].refusals(template) == []


def test_steps_between_amounts_are_counted_in_64_bits() -> None:
    most = str(2**63)
    policy = {"default": "1", "validRange": {"min": "1", "max": most, "step": "3"}}
    device = {"allowMultipleAllocations": True, "capacity": {"c": {"value": most, "requestPolicy": policy}}}
    assert KINDS["ResourceSlice"].refusals({"metadata": {"name": "s"}, **offered(device)}) == [
        "spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "
        f'"{most}": value is not a multiple of a given step (3) from (1)'
    ]


PADDED = b"%b" + b" " * (requests.PARAMETERS_BYTES_MAX - len(b'{"x":1}')) + b"}"
TOO_LONG = "opaque.parameters: Too long: may not be more than 10240 bytes"


@pytest.mark.parametrize(
    ("kind", "members", "path"),
    [
        ("DeviceClass", {"spec": {"config": [{"opaque": OPAQUE}]}}, "spec.config[0]"),
        ("ResourceClaim", claim(config=[{"opaque": OPAQUE}]), "spec.devices.config[0]"),
        ("ResourceClaimTemplate", {"spec": claim(config=[{"opaque": OPAQUE}])}, "spec.spec.devices.config[0]"),
    ],
)
def test_parameters_are_as_long_as_they_were_sent(kind: str, members: Object, path: str) -> None:
    made, spelling, text = KINDS[kind].create(members), DEFINITIONS[kind].spelling, json.encode(members)
    assert spelling is not None
    for blank, expected in ((b"", []), (b" ", [f"{path}.{TOO_LONG}"])):
        spelling.note_text(text.replace(b'{"x":1}', PADDED % (b'{"x":1' + blank)))
        assert [str(each) for each in DEFINITIONS[kind].strategy.validate(made, [])] == expected


def test_what_a_driver_tells_of_a_device_is_as_long_as_it_was_sent() -> None:
    claims, old = DEFINITIONS["ResourceClaim"], KINDS["ResourceClaim"].decode(allocated())
    reported = allocated(devices=[{**{name: RESULT[name] for name in ("driver", "pool", "device")}, "data": {"x": 1}}])
    new = KINDS["ResourceClaim"].update(reported, allocated(), "status")
    assert claims.spelling is not None
    claims.spelling.note_text(json.encode(reported).replace(b'{"x":1}', PADDED % b'{"x":1 '))
    (refusal,) = claims.subresources["status"].validate_update(new, old, [])
    assert str(refusal) == "status.devices[0].data: Too long: may not be more than 10240 bytes"


@pytest.mark.parametrize(("blank", "expected"), [(b"", []), (b" ", [f"spec.config[0].{TOO_LONG}"])])
def test_parameters_that_are_spelled_otherwise_are_not_those_that_are_stored(blank: bytes, expected: list[str]) -> None:
    kind, members = KINDS["DeviceClass"], {"spec": {"config": [{"opaque": OPAQUE}]}}
    old, new, spelling = kind.create(members), kind.decode(members), DEFINITIONS["DeviceClass"].spelling
    assert spelling is not None
    spelling.note_text(json.encode(members).replace(b'{"x":1}', PADDED % (b'{"x":1' + blank)))
    kind.strategy().prepare_for_update(new, old)
    assert [str(each) for each in kind.strategy().validate_update(new, old, [])] == expected
