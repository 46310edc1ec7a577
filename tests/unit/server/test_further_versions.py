"""Versions that are off until --runtime-config names them: the same objects, in the words of each version."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apis import runtimeconfig
from support.certificates import Certificate
from support.in_process import InProcess, running

MERGE_PATCH = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
CLAIMS = "/apis/resource.k8s.io/{}/namespaces/default/resourceclaims"
SLICES = "/apis/resource.k8s.io/{}/resourceslices"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@asynccontextmanager
async def serving(folder: Path, keys: str, **changed: Any) -> AsyncIterator[InProcess]:
    enablement = runtimeconfig.parse(dict.fromkeys(keys.split(","), "true"))
    enablement = enablement._replace(features=frozenset(changed.pop("features", ())))
    async with running(folder, enablement=enablement, **changed) as server:
        yield server


async def ask(server: InProcess, method: str, path: str, body: Any = None, content_type: str = "", **more: str) -> Any:
    answer = await server.call(method, path, body, content_type or "application/json", **more)
    assert answer.status in (200, 201), (method, path, answer.body)
    return json.loads(bytes(answer.body) if isinstance(answer.body, bytes) else b"".join(answer.body))


def warnings(answer: Any) -> list[str]:
    return [value for name, value in answer.headers if name == "Warning"]


def address(version: str, name: str = "10.0.0.9") -> dict[str, Any]:
    parent = {"resource": "services", "namespace": "default", "name": "s"}
    return {
        "apiVersion": f"networking.k8s.io/{version}",
        "kind": "IPAddress",
        "metadata": {"name": name},
        "spec": {"parentRef": parent},
    }


async def versions_of(server: InProcess, group: str) -> list[str]:
    return [each["version"] for each in (await ask(server, "GET", f"/apis/{group}"))["versions"]]


async def names_of(server: InProcess, version: str) -> set[str]:
    return {each["name"] for each in (await ask(server, "GET", f"/apis/{version}"))["resources"]}


def test_they_are_nowhere_until_they_are_named(tmp_path: Path) -> None:
    async def check() -> None:
        async with running(tmp_path) as server:
            for path in ("networking.k8s.io/v1beta1", "resource.k8s.io/v1beta1", "internal.apiserver.k8s.io"):
                assert (await server.call("GET", f"/apis/{path}")).status == 404
            assert (await server.call("GET", "/apis/networking.k8s.io/v1beta1/ipaddresses")).status == 404
            assert await versions_of(server, "resource.k8s.io") == ["v1"]
            told = (await ask(server, "GET", "/openapi/v3"))["paths"]
            assert not [path for path in told if "beta" in path or "alpha" in path]

    asyncio.run(check())


def test_all_are_told_of(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/all") as server:
            assert await versions_of(server, "resource.k8s.io") == ["v1", "v1beta2", "v1beta1", "v1alpha3"]
            assert await versions_of(server, "coordination.k8s.io") == ["v1", "v1beta1", "v1alpha2"]
            assert await versions_of(server, "admissionregistration.k8s.io") == ["v1", "v1beta1", "v1alpha1"]
            policies = {"mutatingadmissionpolicies", "mutatingadmissionpolicybindings"}
            assert await names_of(server, "admissionregistration.k8s.io/v1beta1") == policies
            assert await names_of(server, "storage.k8s.io/v1beta1") == {"volumeattributesclasses"}
            assert await names_of(server, "coordination.k8s.io/v1beta1") == {"leasecandidates"}
            of_addresses = {"ipaddresses", "servicecidrs", "servicecidrs/status"}
            assert await names_of(server, "networking.k8s.io/v1beta1") == of_addresses
            assert await names_of(server, "internal.apiserver.k8s.io/v1alpha1") == {
                "storageversions",
                "storageversions/status",
            }
            # Of what they have nothing is left.
            for version in ("apps/v1beta1", "storage.k8s.io/v1alpha1", "certificates.k8s.io/v1beta1"):
                assert (await server.call("GET", f"/apis/{version}")).status == 404
            server.server.on_ready()
            path = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta2.resource.k8s.io"
            await server.until_served(path)
            spec = (await ask(server, "GET", path))["spec"]
            assert (spec["groupPriorityMinimum"], spec["versionPriority"]) == (16200, 15)

    asyncio.run(check())


def test_one_resource_may_be_on_alone(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "networking.k8s.io/v1beta1/ipaddresses") as server:
            assert await names_of(server, "networking.k8s.io/v1beta1") == {"ipaddresses"}
            assert (await server.call("GET", "/apis/networking.k8s.io/v1beta1/servicecidrs")).status == 404

    asyncio.run(check())


def test_objects_are_the_same_in_each_version(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/beta") as server:
            old, new = ("/apis/networking.k8s.io/v1beta1/ipaddresses", "/apis/networking.k8s.io/v1/ipaddresses")
            made = await ask(server, "POST", old, address("v1beta1"))
            assert made["apiVersion"] == "networking.k8s.io/v1beta1"
            found = await ask(server, "GET", f"{new}/10.0.0.9")
            assert found["apiVersion"] == "networking.k8s.io/v1"
            assert found["metadata"]["uid"] == made["metadata"]["uid"]
            assert found["spec"] == made["spec"]
            path = f"{new}/10.0.0.9?fieldManager=other"
            await ask(server, "PATCH", path, {"metadata": {"labels": {"a": "b"}}}, MERGE_PATCH)
            listed = await ask(server, "GET", old)
            metadata = next(each for each in listed["items"] if each["metadata"]["name"] == "10.0.0.9")["metadata"]
            assert metadata["labels"] == {"a": "b"}
            versions = {each["apiVersion"] for each in metadata["managedFields"]}
            assert versions == {"networking.k8s.io/v1", "networking.k8s.io/v1beta1"}
            refused = await server.call("PUT", f"{old}/10.0.0.9", address("v1"))
            assert b"does not match the expected API version (networking.k8s.io/v1beta1)" in refused.body
            assert (await server.call("DELETE", f"{old}/10.0.0.9")).status == 200
            assert (await server.call("GET", f"{new}/10.0.0.9")).status == 404

    asyncio.run(check())


def test_answers_warn_of_what_will_go(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/all") as server:
            told = {
                "networking.k8s.io/v1beta1/ipaddresses": "networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, "
                "unavailable in v1.37+",
                "storage.k8s.io/v1beta1/volumeattributesclasses": "storage.k8s.io/v1beta1 VolumeAttributesClass is "
                "deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass",
                "coordination.k8s.io/v1beta1/leasecandidates": "coordination.k8s.io/v1beta1 LeaseCandidate is "
                "deprecated in v1.36+, unavailable in v1.39+",
                "resource.k8s.io/v1alpha3/devicetaintrules": "resource.k8s.io/v1alpha3 DeviceTaintRule is deprecated "
                "in v1.36+, unavailable in v1.39+",
                "resource.k8s.io/v1beta2/devicetaintrules": "",
                "admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies": "",
                "networking.k8s.io/v1/ipaddresses": "",
            }
            for path, text in told.items():
                answer = await server.call("GET", f"/apis/{path}")
                assert warnings(answer) == ([f'299 - "{text}"'] if text else []), path
            metrics = (await server.call("GET", "/metrics")).body
            label = b'{group="networking.k8s.io",removed_release="1.37",resource="ipaddresses",subresource="",'
            assert b"apiserver_requested_deprecated_apis" + label in metrics

    asyncio.run(check())


def claim(version: str, **request: Any) -> dict[str, Any]:
    asked = {"name": "r", **request} if version == "v1beta1" else {"name": "r", "exactly": request}
    others = {"name": "s", "firstAvailable": [{"name": "t", "deviceClassName": "c"}]}
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceClaim",
        "metadata": {"name": "x"},
        "spec": {"devices": {"requests": [asked, others]}},
    }


def test_a_version_may_have_members_of_its_own(tmp_path: Path) -> None:
    """In v1beta1 a request says itself what it asks for, and a device stands in its `basic`."""

    async def check() -> None:
        async with serving(tmp_path, "api/beta") as server:
            tolerations = [{"key": "k"}]
            sent = claim("v1beta1", deviceClassName="c", tolerations=tolerations)
            made = (await ask(server, "POST", CLAIMS.format("v1beta1"), sent))["spec"]["devices"]["requests"]
            known = {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}
            known["tolerations"] = [{"key": "k", "operator": "Equal"}]
            other = {"name": "t", "deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}
            assert made == [{"name": "r", **known}, {"name": "s", "deviceClassName": "", "firstAvailable": [other]}]
            for version in ("v1", "v1beta2"):
                found = (await ask(server, "GET", f"{CLAIMS.format(version)}/x"))["spec"]["devices"]["requests"]
                assert found == [{"name": "r", "exactly": known}, {"name": "s", "firstAvailable": [other]}]
            same = claim("v1", deviceClassName="c", tolerations=tolerations)
            assert (await ask(server, "PUT", f"{CLAIMS.format('v1')}/x", same))["metadata"]["name"] == "x"

            device = {"attributes": {"a": {"string": "b"}}, "allNodes": None}
            spec = {"driver": "d.e", "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}
            body = {
                "apiVersion": "resource.k8s.io/v1beta1",
                "kind": "ResourceSlice",
                "metadata": {"name": "x"},
                "spec": {**spec, "devices": [{"name": "a", "basic": device}]},
            }
            await ask(server, "POST", SLICES.format("v1beta1"), body)
            found = (await ask(server, "GET", f"{SLICES.format('v1')}/x"))["spec"]
            assert found["devices"] == [{"name": "a", "attributes": {"a": {"string": "b"}}}]
            listed = await ask(server, "GET", f"{SLICES.format('v1beta1')}?fieldSelector=spec.nodeName%3Dn")
            assert listed["items"][0]["spec"]["devices"] == [
                {"name": "a", "basic": {"attributes": {"a": {"string": "b"}}}}
            ]
            table = await ask(server, "GET", SLICES.format("v1beta1"), accept=TABLE)
            assert table["rows"][0]["cells"][:4] == ["x", "n", "d.e", "p"]

    asyncio.run(check())


def test_times_in_templates_are_those_of_the_request(tmp_path: Path) -> None:
    """What was sent in one version says nothing of the next request in another."""
    path = "/apis/resource.k8s.io/{}/namespaces/default/resourceclaimtemplates"

    def template(version: str, name: str, **metadata: str) -> dict[str, Any]:
        body = claim(version, deviceClassName="c")
        spec = {"metadata": metadata, "spec": body["spec"]}
        return {**body, "kind": "ResourceClaimTemplate", "metadata": {"name": name}, "spec": spec}

    async def check() -> None:
        async with serving(tmp_path, "api/beta") as server:
            zero = {"creationTimestamp": "0001-01-01T00:00:00Z"}
            for version in ("v1", "v1beta1"):
                refused = await server.call("POST", path.format(version), template(version, "x", **zero))
                assert refused.status == 422, version
                assert (await server.call("POST", path.format("v1beta1"), template("v1beta1", version))).status == 201

    asyncio.run(check())


def test_what_is_refused_is_told_of_the_stored_form(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/beta") as server:
            body = claim("v1beta1", deviceClassName="no class")
            refused = await server.call("POST", CLAIMS.format("v1beta1"), body)
            assert refused.status == 422
            causes = json.loads(refused.body)["details"]["causes"]
            assert [each["field"] for each in causes] == ["spec.devices.requests[0].exactly.deviceClassName"]
            unknown = await server.call("GET", f"{SLICES.format('v1beta2')}?fieldSelector=foo%3Dn")
            text = "field label not supported for resource.k8s.io/v1beta2, Kind=ResourceSlice: foo"
            assert json.loads(unknown.body)["message"] == text

    asyncio.run(check())


@pytest.mark.parametrize("version, action", [("v1alpha1", "Deny"), ("v1beta1", None)])
def test_a_version_has_defaults_of_its_own(tmp_path: Path, version: str, action: str | None) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/all") as server:
            path = f"/apis/admissionregistration.k8s.io/{version}/mutatingadmissionpolicybindings"
            body = {
                "apiVersion": f"admissionregistration.k8s.io/{version}",
                "kind": "MutatingAdmissionPolicyBinding",
                "metadata": {"name": "x"},
                "spec": {"policyName": "p", "paramRef": {"name": "q"}},
            }
            answer = await server.call("POST", path, body)
            if action is None:
                assert b'"field":"spec.paramRef.parameterNotFoundAction"' in answer.body
            else:
                assert json.loads(answer.body)["spec"]["paramRef"]["parameterNotFoundAction"] == action

    asyncio.run(check())


def test_who_owns_a_text_in_another_version_keeps_it(tmp_path: Path) -> None:
    """A patch spells the parameters otherwise (without blanks), and takes them in its own version alone: in another
    they are compared as they are read again."""

    async def check() -> None:
        async with serving(tmp_path, "api/beta") as server:
            path = "/apis/resource.k8s.io/{}/deviceclasses"
            body = (
                b'{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"x"},'
                b'"spec":{"config":[{"opaque":{"driver":"a.b","parameters":{"x": 1}}}]}}'
            )
            await ask(server, "POST", path.format("v1") + "?fieldManager=one", body)
            patch = {"metadata": {"labels": {"a": "b"}}}
            found = await ask(server, "PATCH", path.format("v1beta2") + "/x?fieldManager=two", patch, MERGE_PATCH)
            owners = {each["manager"]: each["fieldsV1"].get("f:spec") for each in found["metadata"]["managedFields"]}
            assert owners == {"one": {"f:config": {}}, "two": {"f:config": {}}}

    asyncio.run(check())


def test_a_write_of_the_spec_leaves_who_owns_the_status_in_another_version(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/beta") as server:
            path = "/apis/networking.k8s.io/{}/servicecidrs"
            body = {"metadata": {"name": "x"}, "spec": {"cidrs": ["10.9.0.0/24"]}}
            await ask(server, "POST", path.format("v1"), body)
            condition = {"type": "A", "status": "True", "reason": "R", "message": "m"}
            condition["lastTransitionTime"] = "2025-01-01T00:00:00Z"
            status = {**body, "status": {"conditions": [condition]}}
            await ask(server, "PUT", path.format("v1") + "/x/status?fieldManager=s", status)
            found = await ask(server, "PUT", path.format("v1beta1") + "/x", body)
            assert "s" in {each["manager"] for each in found["metadata"]["managedFields"]}

    asyncio.run(check())


def test_what_lacks_its_feature_gate_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/all", features=["ClusterTrustBundle"]):
            pass

    asyncio.run(check())
    told = "storageversionmigrations.storagemigration.k8s.io/v1beta1 is not served: the feature gate "
    assert [text for text in caplog.messages if "feature gate" in text] == [told + "StorageVersionMigrator is off"]


def test_a_kind_is_stored_in_one_version_whether_that_is_served_or_not(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "resource.k8s.io/v1beta2") as server:
            path = "/apis/resource.k8s.io/{}/devicetaintrules"
            body = {"metadata": {"name": "x"}, "spec": {"taint": {"key": "k", "effect": "NoSchedule"}}}
            made = await ask(server, "POST", path.format("v1beta2"), body)
            assert made["apiVersion"] == "resource.k8s.io/v1beta2"
            assert made["spec"]["taint"]["timeAdded"]
            assert (await server.call("GET", path.format("v1alpha3"))).status == 404
            applied = {**body, "apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule"}
            applied["metadata"] = {"name": "x", "labels": {"a": "b"}}
            found = await ask(server, "PATCH", path.format("v1beta2") + "/x?fieldManager=m", applied, APPLY)
            assert found["metadata"]["labels"] == {"a": "b"}

    asyncio.run(check())


def test_openapi_describes_them(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/all") as server:
            document = await ask(server, "GET", "/openapi/v3/apis/resource.k8s.io/v1beta1")
            schemas = document["components"]["schemas"]
            request = schemas["io.k8s.api.resource.v1beta1.DeviceRequest"]["properties"]
            assert "exactly" not in request
            assert "deviceClassName" in request
            assert all(field["description"] for field in request.values())
            assert "io.k8s.api.resource.v1.DeviceRequest" not in schemas
            assert "/apis/resource.k8s.io/v1beta1/resourceslices" in document["paths"]
            described = await ask(server, "GET", "/openapi/v2")
            assert "io.k8s.api.coordination.v1beta1.LeaseCandidate" in described["definitions"]
            empty = described["definitions"]["io.k8s.api.apiserverinternal.v1alpha1.StorageVersionSpec"]
            assert "properties" not in empty

    asyncio.run(check())


BUNDLES = "/apis/certificates.k8s.io/{}/clustertrustbundles"


def bundle(name: str, signer: str = "", *certificates: str) -> dict[str, Any]:
    spec = {"signerName": signer, "trustBundle": "".join(certificates)}
    return {"metadata": {"name": name}, "spec": spec}


def test_some_need_a_feature_beside_their_version(tmp_path: Path) -> None:
    async def check() -> None:
        async with serving(tmp_path, "api/all", features=["ClusterTrustBundle"]) as server:
            assert await versions_of(server, "certificates.k8s.io") == ["v1", "v1beta1", "v1alpha1"]
            assert await names_of(server, "certificates.k8s.io/v1beta1") == {"clustertrustbundles"}
            assert (await server.call("GET", "/apis/storagemigration.k8s.io/v1beta1")).status == 404
            path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:cluster-trust-bundle-discovery"
            assert (await server.call("GET", path)).status == 200

    asyncio.run(check())


def test_a_signer_has_to_let_its_trust_anchors_be_published(tmp_path: Path) -> None:
    users = "one-token,one,one-uid\n"
    authority = Certificate("a", is_authority=True).pem.decode()

    async def check() -> None:
        async with serving(tmp_path, "api/all", features=["ClusterTrustBundle"], users=users) as server:
            rules = [
                {"apiGroups": ["certificates.k8s.io"], "resources": ["clustertrustbundles"], "verbs": ["*"]},
                {
                    "apiGroups": ["certificates.k8s.io"],
                    "resources": ["signers"],
                    "resourceNames": ["ex.com/may"],
                    "verbs": ["attest"],
                },
            ]
            roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
            await ask(server, "POST", roles, {"metadata": {"name": "r"}, "rules": rules})
            role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r"}
            subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "one"}
            binding = {"metadata": {"name": "r"}, "roleRef": role, "subjects": [subject]}
            await ask(server, "POST", f"{roles[:-1]}bindings", binding)

            for name, signer, status in (
                ("plain", "", 201),
                ("ex.com:may:x", "ex.com/may", 201),
                ("ex.com:not:x", "ex.com/not", 403),
            ):
                answer = await server.call(
                    "POST", BUNDLES.format("v1beta1"), bundle(name, signer, authority), authorization="Bearer one-token"
                )
                assert answer.status == status, answer.body
            assert b'user not permitted to attest for signerName \\"ex.com/not\\"' in answer.body
            selected = await ask(
                server, "GET", f"{BUNDLES.format('v1alpha1')}?fieldSelector=spec.signerName%3Dex.com/may"
            )
            assert [each["metadata"]["name"] for each in selected["items"]] == ["ex.com:may:x"]

    asyncio.run(check())
