"""Each fault as clients of other projects see it, through the control planes that tests of others use."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import kubernetes.client
import kubernetes.config
import kubernetes.watch
import pytest
import urllib3.exceptions
import yaml

from quarterdeck.cmd import kubeconfig
from quarterdeck.testing import ControlPlane, NeverFired
from quarterdeck.testing.clients import kopf_runner
from quarterdeck.testing.faults import FaultError
from support import definitions
from support.waiting import PATIENCE_S, PROCESS_PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

MAPS = "/api/v1/namespaces/default/configmaps"
GROUP = "faults.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"


@pytest.fixture(scope="module")
def started() -> Iterator[ControlPlane]:
    with ControlPlane() as running:
        running.apply(definitions.of_things(GROUP))
        yield running


@pytest.fixture
def plane(started: ControlPlane) -> Iterator[ControlPlane]:
    yield started
    started.faults.clear()
    started.call("DELETE", MAPS)


@pytest.fixture
def core(plane: ControlPlane) -> Iterator[kubernetes.client.CoreV1Api]:
    """It repeats nothing by itself."""
    configuration = kubernetes.client.Configuration()
    kubernetes.config.load_kube_config(str(plane.kubeconfig), client_configuration=configuration)
    configuration.retries = urllib3.Retry(0)
    with kubernetes.client.ApiClient(configuration) as client:
        yield kubernetes.client.CoreV1Api(client)


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def watch_maps(core: kubernetes.client.CoreV1Api) -> Iterator[Any]:
    """From the objects that there are."""
    list_maps = core.list_namespaced_config_map
    found = kubernetes.watch.Watch().stream(list_maps, "default", resource_version="0", _request_timeout=30)
    return iter(found)


def test_a_conflict(plane: ControlPlane, core: kubernetes.client.CoreV1Api) -> None:
    made = core.create_namespaced_config_map("default", config_map("one"))
    with (
        plane.faults.conflict(resources="configmaps", verbs=["update", "patch"], times=1) as fault,
        pytest.raises(kubernetes.client.ApiException) as caught,
    ):
        core.replace_namespaced_config_map("one", "default", made)
    assert caught.value.status == 409
    assert json.loads(caught.value.body)["message"] == (
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes '
        "to the latest version and try again"
    )
    assert fault.fired == 1
    assert core.replace_namespaced_config_map("one", "default", made).metadata.name == "one"


def test_errors(plane: ControlPlane, core: kubernetes.client.CoreV1Api) -> None:
    for when, is_there in (("Before", False), ("After", True)):
        with (
            plane.faults.error(500, when=when, resources="configmaps", verbs="create"),
            pytest.raises(kubernetes.client.ApiException) as caught,
        ):
            core.create_namespaced_config_map("default", config_map(when.lower()))
        assert caught.value.status == 500
        names = [each.metadata.name for each in core.list_namespaced_config_map("default").items]
        assert (when.lower() in names) is is_there


def test_too_many_requests_are_repeated_when_the_server_says(plane: ControlPlane) -> None:
    """urllib3, as the client has it, honours Retry-After by itself."""
    with kubernetes.config.new_client_from_config(str(plane.kubeconfig)) as client:
        client.configuration.retries = None
        api = kubernetes.client.CoreV1Api(client)
        begin_s = time.monotonic()
        with plane.faults.too_many_requests(retry_after_seconds=1, resources="namespaces", verbs="list", times=1) as it:
            assert api.list_namespace().items
            assert (it.fired, it.matched) == (1, 2)
        assert time.monotonic() - begin_s >= 1


@pytest.mark.parametrize("when, is_there", [("Before", False), ("After", True), ("Midway", True)])
def test_connections_break(plane: ControlPlane, core: kubernetes.client.CoreV1Api, when: str, is_there: bool) -> None:
    with (
        plane.faults.drop(when=when, resources="configmaps", verbs="create"),
        pytest.raises(urllib3.exceptions.HTTPError) as caught,
    ):
        core.create_namespaced_config_map("default", config_map(when.lower()))
    is_answered = isinstance(caught.value, urllib3.exceptions.ProtocolError) and "IncompleteRead" in str(caught.value)
    assert is_answered is (when == "Midway"), caught.value
    assert (plane.call("GET", f"{MAPS}/{when.lower()}")[0] == 200) is is_there


def test_slow_answers(plane: ControlPlane, core: kubernetes.client.CoreV1Api) -> None:
    for when, is_there in (("Before", False), ("After", True)):
        with (
            plane.faults.delay(3600, when=when, resources="configmaps", verbs="create", times=1) as fault,
            pytest.raises(urllib3.exceptions.HTTPError),
        ):
            core.create_namespaced_config_map("default", config_map(when.lower()), _request_timeout=0.5)
        wait_for(lambda fault=fault: fault.fired == 1)  # the server may be slower than the client
        if is_there:
            wait_for(lambda when=when: plane.call("GET", f"{MAPS}/{when.lower()}")[0] == 200)
        else:
            assert plane.call("GET", f"{MAPS}/{when.lower()}")[0] == 404
    with plane.faults.delay(0.2, resources="configmaps", verbs="list"):
        begin_s = time.monotonic()
        core.list_namespaced_config_map("default")
        assert time.monotonic() - begin_s >= 0.2


def test_stale_reads(plane: ControlPlane, core: kubernetes.client.CoreV1Api) -> None:
    core.create_namespaced_config_map("default", config_map("one", a="1"))
    with plane.faults.stale(resources="configmaps", user_agents="*OpenAPI-Generator*"):
        core.patch_namespaced_config_map("one", "default", {"data": {"a": "2"}})
        core.create_namespaced_config_map("default", config_map("two"))
        assert core.read_namespaced_config_map("one", "default").data == {"a": "1"}
        assert "two" not in [each.metadata.name for each in core.list_namespaced_config_map("default").items]
        assert plane.call("GET", f"{MAPS}/one")[1]["data"] == {"a": "2"}  # another client
    assert core.read_namespaced_config_map("one", "default").data == {"a": "2"}


def test_a_watch_is_told_that_its_revision_is_gone(plane: ControlPlane, core: kubernetes.client.CoreV1Api) -> None:
    """The client begins anew by itself, once."""
    names = ["a", "b", "c"]  # made in the order in which they are shown: it goes on from the last that it has seen
    for name in names:
        core.create_namespaced_config_map("default", config_map(name))
    with plane.faults.watch(events=2, end="Gone", resources="configmaps", times=1) as fault:
        seen: list[str] = []
        for event in watch_maps(core):
            seen.append(event["object"].metadata.name)
            if set(names) <= set(seen):
                break
        assert (fault.fired, fault.matched) == (1, 2)
    with plane.faults.watch(events=0, end="Gone", resources="configmaps") as fault:
        with pytest.raises(kubernetes.client.ApiException) as caught:
            next(watch_maps(core))
        assert caught.value.status == 410
        assert fault.fired == 2


def test_a_watch_is_cut(plane: ControlPlane, core: kubernetes.client.CoreV1Api) -> None:
    for name in ("one", "two", "three"):
        core.create_namespaced_config_map("default", config_map(name))
    with plane.faults.watch(events=1, resources="configmaps", times=1):
        seen = []
        with pytest.raises(urllib3.exceptions.ProtocolError):
            for event in watch_maps(core):
                seen.append(event["object"].metadata.name)
        assert len(seen) == 1


def test_events_come_late(plane: ControlPlane, core: kubernetes.client.CoreV1Api) -> None:
    with plane.faults.watch(late_seconds=0.3, resources="configmaps"):
        watch = kubernetes.watch.Watch()
        revision = core.list_namespaced_config_map("default").metadata.resource_version
        begin_s = time.monotonic()
        core.create_namespaced_config_map("default", config_map("one"))
        events = watch.stream(core.list_namespaced_config_map, "default", resource_version=revision)
        assert next(iter(events))["object"].metadata.name == "one"
        assert time.monotonic() - begin_s >= 0.3
        watch.stop()


@pytest.fixture
def http2(plane: ControlPlane) -> Iterator[httpx.Client]:
    """Two requests at once share its connection."""
    target = kubeconfig.load(plane.kubeconfig)
    assert target.tls is not None
    target.tls.set_alpn_protocols(["h2"])
    with httpx.Client(http2=True, http1=False, verify=target.tls, base_url=plane.url, timeout=PATIENCE_S) as client:
        assert client.get("/version").http_version == "HTTP/2"
        yield client


@pytest.mark.parametrize("when, is_there", [("Before", False), ("After", True), ("Midway", True)])
def test_a_stream_of_http2_breaks_and_its_connection_lives(
    plane: ControlPlane, http2: httpx.Client, when: str, is_there: bool
) -> None:
    with (
        plane.faults.drop(when=when, resources="configmaps", verbs="create"),
        pytest.raises(httpx.RemoteProtocolError, match="StreamReset"),
    ):
        http2.post(MAPS, json=config_map(when.lower()))
    assert (http2.get(f"{MAPS}/{when.lower()}").status_code == 200) is is_there


def test_watches_over_http2(plane: ControlPlane, http2: httpx.Client) -> None:
    for name in ("one", "two"):
        http2.post(MAPS, json=config_map(name))
    watch = f"{MAPS}?watch=1&resourceVersion=0"
    with plane.faults.watch(events=1, end="Gone", resources="configmaps"):
        events = [json.loads(line) for line in http2.get(watch).text.splitlines()]
        assert [each["type"] for each in events] == ["ADDED", "ERROR"]
    with (
        plane.faults.watch(events=1, resources="configmaps"),
        pytest.raises(httpx.RemoteProtocolError, match="StreamReset"),
        http2.stream("GET", watch) as answer,
    ):
        for line in answer.iter_lines():
            assert json.loads(line)["type"] == "ADDED"


def test_webhooks_time_out(plane: ControlPlane) -> None:
    def configure(policy: str) -> None:
        rule = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
        hook = {
            "name": "hook.example.com",
            "clientConfig": {"url": "https://127.0.0.1:1/hook"},
            "rules": [rule],
            "failurePolicy": policy,
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "timeoutSeconds": 7,
        }
        head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
        plane.apply({**head, "metadata": {"name": "hook"}, "webhooks": [hook]})

    try:
        for policy, status in (("Fail", 500), ("Ignore", 201)):
            configure(policy)
            with plane.faults.webhook_timeout(webhooks="https://127.0.0.1:1/*"):
                answered, answer = plane.call("POST", MAPS, config_map(policy.lower()))
                assert answered == status
                if policy == "Fail":
                    assert answer["message"] == (
                        'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: '
                        'Post "https://127.0.0.1:1/hook?timeout=7s": context deadline exceeded'
                    )
    finally:
        plane.call("DELETE", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hook")


OPERATOR = f"""
import kopf

@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False
    settings.networking.error_backoffs = [0.01] * 20
    settings.watching.reconnect_backoff = 0.01

@kopf.on.create("{GROUP}", "v1", "things")
@kopf.on.resume("{GROUP}", "v1", "things")
def paint(patch, **_):
    patch.status["painted"] = True
"""


def test_an_operator_of_kopf_lives_through_them(
    plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its watches break and are told to begin anew, its lists and patches fail now and then: its work gets done."""
    monkeypatch.setenv("KUBECONFIG", str(plane.kubeconfig))
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(plane.kubeconfig))
    operator = tmp_path / "operator.py"
    operator.write_text(OPERATOR)
    of_things: dict[str, Any] = {"resources": "things*", "user_agents": "kopf*"}
    faults = [
        plane.faults.watch(events=1, end="Gone", times=1, **of_things),
        plane.faults.watch(events=1, end="Cut", times=2, **of_things),
        plane.faults.error(503, verbs="list", times=1, after=1, **of_things),
        plane.faults.error(500, verbs="patch", times=1, **of_things),
        plane.faults.drop(verbs="patch", when="After", times=1, **of_things),
    ]
    with kopf_runner("run", "-A", "--standalone", str(operator)) as runner:
        for name in ("one", "two", "three"):
            head = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {}}
            assert plane.call("POST", THINGS, head)[0] == 201
        end = time.monotonic() + 120
        while not all(
            each.get("status", {}).get("painted") for each in plane.call("GET", THINGS)[1]["items"]
        ) or not all(each.fired for each in faults):
            assert time.monotonic() < end, plane.call("GET", "/quarterdeck/v1/faults")
            # Watches are spoiled after an event. Those that there were may all have come before the last watch began.
            seen = {"spec": {"seen": time.monotonic_ns()}}
            plane.call("PATCH", f"{THINGS}/one", seen, content_type="application/merge-patch+json")
            time.sleep(0.05)
    assert runner.exit_code == 0


def test_faults_of_a_logical_cluster_are_its_own(plane: ControlPlane) -> None:
    with plane.cluster() as one, plane.cluster() as other:
        fault = one.faults.error(503, resources="configmaps", verbs="list")
        assert [each.call("GET", MAPS)[0] for each in (one, other, plane)] == [503, 200, 200]
        assert [each["name"] for each in one.call("GET", "/quarterdeck/v1/faults")[1]["rules"]] == [fault.name]
        assert other.call("GET", "/quarterdeck/v1/faults")[1]["rules"] == []
        one.restore(one.snapshot())  # by another server than before
        assert one.call("GET", MAPS)[0] == 503
        assert fault.fired == 2
    with pytest.raises(NeverFired), plane.cluster() as one:
        one.faults.conflict()


def test_a_rule_that_never_fired_is_told_of(plane: ControlPlane) -> None:
    with (
        pytest.raises(NeverFired, match=r"fault nobody never fired.*0 requests matched"),
        plane.faults.conflict(name="nobody", resources="nothing"),
    ):
        pass
    plane.faults.clear()
    plane.faults.drop(name="later", after=10, resources="configmaps")
    plane.call("GET", MAPS)
    with pytest.raises(NeverFired, match=r"fault later never fired.*1 requests matched"):
        plane.faults.check()
    plane.faults.clear()
    plane.faults.check()
    with pytest.raises(FaultError, match=r"error.code: must be one of"):
        plane.faults.error(418)
    with pytest.raises(TypeError, match="verb"):
        plane.faults.conflict(verb="get")


def test_a_control_plane_ends_with_the_error_of_its_test() -> None:
    with pytest.raises(NeverFired), ControlPlane() as own:
        own.faults.conflict()
    with pytest.raises(ZeroDivisionError), ControlPlane() as own:
        own.faults.conflict()
        raise ZeroDivisionError


THEIRS = """
def test_without_its_fault(cluster):
    cluster.faults.conflict(resources="configmaps")

def test_with_its_fault(cluster):
    cluster.faults.error(503, resources="configmaps", times=1)
    assert cluster.call("GET", "/api/v1/configmaps")[0] == 503

def test_of_the_session(control_plane):
    control_plane.faults.drop(resources="secrets")

def test_nothing_is_left_of_it(control_plane):
    assert control_plane.call("GET", "/api/v1/secrets")[0] == 200

def test_that_fails_itself(cluster):
    cluster.faults.conflict(resources="configmaps")
    assert False, "by itself"
"""


def test_a_test_fails_whose_fault_never_fired(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(THEIRS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q -p no:cacheprovider\n")
    command = [sys.executable, "-m", "pytest"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False
    )
    assert "3 failed, 2 passed" in done.stdout, done.stdout
    assert done.stdout.count("NeverFired: fault rule-1 never fired") >= 2
    assert "AssertionError: by itself" in done.stdout


def quarterdeck(plane: ControlPlane, *arguments: str, sent: str = "") -> tuple[int, str, str]:
    command = [sys.executable, "-m", "quarterdeck", "faults", *arguments, "--kubeconfig", str(plane.kubeconfig)]
    done = subprocess.run(command, input=sent, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_command(plane: ControlPlane, tmp_path: Path) -> None:
    rules = {"rules": [{"name": "busy", "match": {"resources": ["configmaps"]}, "error": {"code": 503}}]}
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(rules))
    assert quarterdeck(plane, "add", str(tmp_path / "rules.yaml"))[0] == 0
    assert quarterdeck(plane, "check") == (1, "", "quarterdeck: error: never fired: busy\n")
    assert plane.call("GET", MAPS)[0] == 503
    assert quarterdeck(plane, "check") == (0, "", "")
    code, shown, _ = quarterdeck(plane, "list")
    assert code == 0
    assert shown.splitlines()[0].split() == ["NAME", "FIRED", "MATCHED", "RULE"]
    assert shown.splitlines()[1].split(maxsplit=3)[:3] == ["busy", "1", "1"]
    assert json.loads(quarterdeck(plane, "list", "-o", "json")[1])["rules"][0]["fired"] == 1
    assert quarterdeck(plane, "remove", "busy")[0] == 0
    code, _, told = quarterdeck(plane, "remove", "busy")
    assert code == 1
    assert 'faults \\"busy\\" not found' in told
    assert quarterdeck(plane, "add", "-", sent="{drop: {when: Never}}")[0] == 1
    assert quarterdeck(plane, "add", "-", sent="{drop: {}, match: {resources: [nothing]}}")[0] == 0
    assert quarterdeck(plane, "clear")[0] == 0
    assert plane.call("GET", "/quarterdeck/v1/faults")[1] == {"rules": []}


def test_rules_of_a_file_hold_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(
        textwrap.dedent("""
            rules:
            - match: {verbs: [list], resources: [configmaps]}
              times: 1
              tooManyRequests: {}
        """)
    )
    with ControlPlane("--fault-rules-file", str(path)) as own:
        assert [own.call("GET", MAPS)[0] for _ in range(2)] == [429, 200]
    path.write_text("rules: [{times: 1}]")
    with pytest.raises(RuntimeError, match=r"--fault-rules-file: .*rules\[0\]: must have exactly one of"):
        ControlPlane("--fault-rules-file", str(path)).__enter__()


def test_a_plain_client_of_http_sees_the_cut(plane: ControlPlane) -> None:
    """No length was told, and the last chunk is missing."""
    target = kubeconfig.load(plane.kubeconfig)
    connection = http.client.HTTPSConnection(target.host, target.port, context=target.tls, timeout=PATIENCE_S)
    with plane.faults.drop(when="Midway", non_resource_urls="/version"):
        connection.request("GET", "/version")
        answer = connection.getresponse()
        assert answer.status == 200
        with pytest.raises(http.client.IncompleteRead):
            answer.read()
    connection.close()
