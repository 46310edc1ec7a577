"""What a real server writes into its audit log."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.server import NotStarted, Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: None
  nonResourceURLs: ["/healthz*"]
- level: Metadata
  resources: [{group: "", resources: [secrets]}]
- level: Request
  verbs: [get, list]
- level: RequestResponse
"""
CORE = "/api/v1/namespaces/default"
ADMIN = {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}
JSON = {"Content-Type": "application/json"}


class Audited:
    """A server, and a name for each request so that its events are found."""

    def __init__(self, server: Server, log: Path) -> None:
        self.server = server
        self._log = log
        self._requests = 0

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
        *,
        over_tls: bool = False,
        wanted: int = 1,
    ) -> tuple[int, list[dict[str, Any]]]:
        """The status of the answer, and the events of the request, once there are as many as are wanted."""
        self._requests += 1
        name = f"request-{self._requests}"
        connection: http.client.HTTPConnection
        if over_tls:
            context = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection(
                "127.0.0.1", self.server.secure_port, timeout=PATIENCE_S, context=context
            )
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.server.plain_port, timeout=PATIENCE_S)
        try:
            data = body if isinstance(body, (bytes, str)) or body is None else json.dumps(body)
            connection.request(method, path, data, {**JSON, "User-Agent": "test", "Audit-ID": name, **(headers or {})})
            response = connection.getresponse()
            assert response.headers["Audit-Id"] == name
            response.read()
        finally:
            connection.close()
        return response.status, self.wait_for(name, wanted)

    def wait_for(self, name: str, wanted: int) -> list[dict[str, Any]]:
        wait_for(lambda: len(self.events(name)) >= wanted)
        return self.events(name)

    def events(self, name: str) -> list[dict[str, Any]]:
        events = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [event for event in events if event["auditID"] == name]

    def only(self, method: str, path: str, body: object = None, **more: Any) -> dict[str, Any]:
        _, events = self.send(method, path, body, **more)
        assert len(events) == 1, events
        return events[0]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    folder = tmp_path_factory.mktemp("audit")
    (folder / "policy.yaml").write_text(POLICY)
    log = folder / "logs/audit.log"
    with Server(None, f"--audit-policy-file={folder}/policy.yaml", f"--audit-log-path={log}") as server:
        yield Audited(server, log)


def test_the_life_of_an_object(audited: Audited) -> None:
    sent = {"metadata": {"name": "a"}, "data": {"k": "v"}}
    created = audited.only("POST", f"{CORE}/configmaps?fieldManager=m", sent)
    shown = created.pop("responseObject")
    assert shown["metadata"]["uid"]
    assert "managedFields" not in shown["metadata"]
    for member in ("requestReceivedTimestamp", "stageTimestamp"):
        assert len(created.pop(member)) == len("2026-01-01T00:00:00.000000Z")
    assert created == {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "RequestResponse",
        "auditID": created["auditID"],
        "stage": "ResponseComplete",
        "requestURI": f"{CORE}/configmaps?fieldManager=m",
        "verb": "create",
        "user": ADMIN,
        "sourceIPs": ["127.0.0.1"],
        "userAgent": "test",
        "objectRef": {"resource": "configmaps", "namespace": "default", "name": "a", "apiVersion": "v1"},
        "responseStatus": {"metadata": {}, "code": 201},
        "requestObject": {"kind": "ConfigMap", "apiVersion": "v1", **sent},
        "annotations": {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""},
    }
    got = audited.only("GET", f"{CORE}/configmaps/a")
    assert (got["level"], got["verb"]) == ("Request", "get")
    assert "requestObject" not in got
    assert "responseObject" not in got
    updated = audited.only("PUT", f"{CORE}/configmaps/a", {**shown, "data": {"k": "w"}})
    assert updated["objectRef"]["uid"] == shown["metadata"]["uid"]
    assert updated["objectRef"]["resourceVersion"] == shown["metadata"]["resourceVersion"]
    assert updated["requestObject"]["data"] == {"k": "w"}
    patch = {"data": {"k": "x"}}
    merged = audited.only(
        "PATCH", f"{CORE}/configmaps/a", patch, headers={"Content-Type": "application/merge-patch+json"}
    )
    assert merged["requestObject"] == patch
    assert merged["responseObject"]["data"] == {"k": "x"}
    deleted = audited.only("DELETE", f"{CORE}/configmaps/a", {"dryRun": ["All"]})
    assert deleted["requestObject"] == {
        "kind": "DeleteOptions",
        "apiVersion": "meta.k8s.io/__internal",
        "dryRun": ["All"],
    }
    assert deleted["responseStatus"] == {
        "metadata": {},
        "status": "Success",
        "details": {"name": "a", "kind": "configmaps", "uid": shown["metadata"]["uid"]},
        "code": 200,
    }
    collection = audited.only("DELETE", f"{CORE}/configmaps")
    assert collection["verb"] == "deletecollection"
    assert collection["objectRef"] == {"resource": "configmaps", "namespace": "default", "apiVersion": "v1"}
    assert [item["metadata"]["name"] for item in collection["responseObject"]["items"]] == ["a"]


def test_errors_are_shown_in_the_forms_that_clients_take(audited: Audited) -> None:
    path = f"{CORE}/configmaps?fieldValidation=odd"
    told = audited.only("POST", path, {})
    assert (told["responseStatus"]["reason"], told["responseObject"]["kind"]) == ("Invalid", "Status")
    table = audited.only("POST", path, {}, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
    assert table["responseStatus"] == {"metadata": {}, "code": 422}, "a Status is no Table"
    assert "responseObject" not in table
    refused = audited.only("PUT", f"{CORE}/configmaps", {})
    assert refused["responseStatus"]["details"] == {}


def test_secrets_stay_out_of_it(audited: Audited) -> None:
    event = audited.only("POST", f"{CORE}/secrets", {"metadata": {"name": "s"}, "data": {"p": "aHVudGVyMg=="}})
    assert (event["level"], event["objectRef"]["name"]) == ("Metadata", "s")
    assert "aHVudGVyMg" not in json.dumps(event)


def test_what_the_policy_leaves_out_is_not_there(audited: Audited) -> None:
    assert audited.send("GET", "/healthz", wanted=0) == (200, [])


def test_a_watch_tells_its_start_and_its_end(audited: Audited) -> None:
    _, events = audited.send("GET", f"{CORE}/configmaps?watch=1&timeoutSeconds=1", wanted=2)
    assert [event["stage"] for event in events] == ["ResponseStarted", "ResponseComplete"]
    assert all(event["verb"] == "watch" and event["responseStatus"]["code"] == 200 for event in events)


def test_refusals(audited: Audited) -> None:
    missing = audited.only("GET", f"{CORE}/configmaps/none")
    assert missing["responseStatus"] == {
        "metadata": {},
        "status": "Failure",
        "message": 'configmaps "none" not found',
        "reason": "NotFound",
        "details": {"name": "none", "kind": "configmaps"},
        "code": 404,
    }
    page = audited.only("GET", "/nothing")
    assert page["responseStatus"] == {"metadata": {}, "code": 404}
    assert "objectRef" not in page

    unknown = audited.only("GET", f"{CORE}/pods", headers={"Authorization": "Bearer wrong"}, over_tls=True)
    assert (unknown["stage"], unknown["user"], unknown["responseStatus"]["code"]) == ("ResponseStarted", {}, 401)
    assert "wrong" not in json.dumps(unknown)
    late = audited.only("GET", f"{CORE}/pods?timeout=soon")
    assert (late["stage"], late["responseStatus"]["reason"]) == ("ResponseStarted", "BadRequest")

    stranger = audited.only("GET", f"{CORE}/pods", over_tls=True)
    assert stranger["user"] == {"username": "system:anonymous", "groups": ["system:unauthenticated"]}
    assert stranger["responseStatus"]["reason"] == "Forbidden"
    assert stranger["annotations"]["authorization.k8s.io/decision"] == "forbid"


def test_a_body_that_is_not_taken_in(audited: Audited) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", audited.server.plain_port, timeout=PATIENCE_S)
    connection.putrequest("POST", f"{CORE}/configmaps")
    for name, value in (("Audit-ID", "large"), ("Content-Type", "application/json"), ("Content-Length", "99999999")):
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
    event = audited.wait_for("large", 1)[0]
    assert (event["user"], event["verb"]) == (ADMIN, "create")
    assert event["responseStatus"] == {
        "metadata": {},
        "status": "Failure",
        "message": "Request entity too large: limit is 3145728",
        "reason": "RequestEntityTooLarge",
        "code": 413,
    }


def test_who_is_acted_for(audited: Audited) -> None:
    headers = {"Impersonate-User": "jane", "X-Forwarded-For": "10.1.1.1, 10.1.1.2", "X-Real-Ip": "10.1.1.1"}
    event = audited.only("GET", f"{CORE}/pods", headers=headers)
    assert event["user"] == ADMIN
    assert event["impersonatedUser"] == {"username": "jane", "groups": ["system:authenticated"]}
    assert event["authenticationMetadata"] == {"impersonationConstraint": "impersonate:user-info"}
    assert event["sourceIPs"] == ["10.1.1.1", "10.1.1.2", "127.0.0.1"]


def test_why_a_request_was_allowed(audited: Audited) -> None:
    event = audited.only("GET", "/version", over_tls=True)
    reason = (
        'RBAC: allowed by ClusterRoleBinding "system:public-info-viewer" of ClusterRole "system:public-info-viewer" to '
        'Group "system:unauthenticated"'
    )
    assert event["annotations"] == {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": reason}


def test_an_apply_in_yaml_is_one_line_of_json(audited: Audited) -> None:
    patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n  a: b\n"
    event = audited.only(
        "PATCH",
        f"{CORE}/configmaps/applied?fieldManager=m",
        patch,
        headers={"Content-Type": "application/apply-patch+yaml"},
    )
    assert event["responseStatus"]["code"] == 201
    assert event["requestObject"]["data"] == {"a": "b"}


def test_protobuf_is_shown_as_json(audited: Audited) -> None:
    event = audited.only(
        "PUT",
        f"{CORE}/configmaps/bare",
        {"metadata": {"name": "bare"}},
        headers={"Accept": "application/vnd.kubernetes.protobuf"},
    )
    assert event["responseStatus"]["code"] == 404
    event = audited.only(
        "POST",
        f"{CORE}/configmaps",
        {"metadata": {"name": "bare"}},
        headers={"Accept": "application/vnd.kubernetes.protobuf"},
    )
    assert event["responseObject"]["metadata"]["name"] == "bare"


def test_the_counts(audited: Audited) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", audited.server.plain_port, timeout=PATIENCE_S)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    counts = dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("apiserver_audit_"))
    assert float(counts["apiserver_audit_event_total"]) > 0
    assert float(counts['apiserver_audit_level_total{level="None"}']) > 0
    assert float(counts["apiserver_audit_requests_rejected_total"]) == 0


def test_a_full_disk_fails_strict_requests_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n")
    flags = [f"--audit-policy-file={tmp_path}/policy.yaml", "--audit-log-path=/dev/full"]
    with Server(None, *flags, "--audit-log-mode=blocking-strict") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
        connection.request("GET", "/api/v1/namespaces?limit=1")
        response = connection.getresponse()
        assert (response.status, response.read()) == (
            500,
            b'Internal Server Error: "/api/v1/namespaces?limit=1": failed to store audit event\n',
        )
        connection.close()
    with Server(None, *flags) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
        for _ in range(2):
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        connection.close()
        counted = next(
            line for line in text.splitlines() if line.startswith('apiserver_audit_error_total{plugin="log"}')
        )
        assert float(counted.removeprefix('apiserver_audit_error_total{plugin="log"} ')) >= 2


def test_a_policy_that_cannot_be_read_prevents_the_start(tmp_path: Path) -> None:
    with pytest.raises(NotStarted) as failed:
        Server(None, f"--audit-policy-file={tmp_path}/none", "--audit-log-path=-")
    assert failed.value.code == 1
    assert f'loading audit policy file: failed to read file path "{tmp_path}/none"' in failed.value.text


def test_what_admission_tells(audited: Audited) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/audit": "restricted"}
    audited.only("POST", "/api/v1/namespaces", {"metadata": {"name": "strict", "labels": labels}})
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "telling"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
                ]
            },
            "auditAnnotations": [{"key": "image", "valueExpression": "string(object.spec.containers[0].image)"}],
        },
    }
    binding = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "telling"},
        "spec": {"policyName": "telling", "validationActions": ["Audit"]},
    }
    group = "/apis/admissionregistration.k8s.io/v1"
    for name, made in (("policies", policy), ("policybindings", binding)):
        event = audited.only("POST", f"{group}/validatingadmission{name}", made)
        assert event["responseStatus"]["code"] == 201, event["responseStatus"]
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "busybox"}]}}
    event = audited.only("POST", "/api/v1/namespaces/strict/pods", pod)
    assert event["responseStatus"]["code"] == 201
    told = event["annotations"]
    assert told["pod-security.kubernetes.io/enforce-policy"] == "baseline:latest"
    assert told["pod-security.kubernetes.io/audit-violations"].startswith(
        'would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false'
    )
    assert told["telling/image"] == "busybox"
    refused = {**pod, "spec": {**pod["spec"], "hostPID": True}}  # type: ignore[dict-item]
    event = audited.only("POST", "/api/v1/namespaces/strict/pods", refused)
    assert event["responseStatus"]["code"] == 403
    assert "pod-security.kubernetes.io/audit-violations" in event["annotations"]


def test_deprecated_versions_and_issued_tokens_are_noted(audited: Audited) -> None:
    event = audited.only("GET", f"{CORE}/endpoints")
    assert event["annotations"]["k8s.io/deprecated"] == "true"
    audited.only("POST", f"{CORE}/serviceaccounts", {"metadata": {"name": "bot"}})
    event = audited.only("POST", f"{CORE}/serviceaccounts/bot/token", {})
    token = event["responseObject"]["status"]["token"]
    issued = event["annotations"]["authentication.kubernetes.io/issued-credential-id"]
    headers = {"Authorization": f"Bearer {token}"}
    event = audited.only("GET", f"{CORE}/pods", headers=headers, over_tls=True)
    assert event["user"]["extra"]["authentication.kubernetes.io/credential-id"] == [issued]
