"""/metrics of a real server: what dashboards ask for is there, under upstream's names and labels."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import time
from collections.abc import Iterator

import pytest

from support.metrics_text import sort_labels
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

# Before any server of this test; process times are whole ticks of a hundredth of a second.
_BEGIN_S = time.time() - 0.1

NAMESPACES = 'group="",version="v1",resource="namespaces",subresource="",scope="{scope}",component="apiserver"'


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def send(server: Server, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    if body is not None:
        headers = {"Content-Type": "application/json", **headers}
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def scrape(server: Server, path: str = "/metrics") -> dict[str, float]:
    """Series and values. The text's form is checked on the way."""
    status, text = send(server, "GET", path)
    assert status == 200
    found: dict[str, float] = {}
    told: set[str] = set()
    for line in text.splitlines():
        if line.startswith("# "):
            kind, name = line.split(" ")[1:3]
            assert kind in ("HELP", "TYPE")
            assert (kind, name) not in told
            told.add((kind, name))
            continue
        match = re.fullmatch(r'([a-z_]+)(\{(?:[a-z_]+="[^"]*",?)*\})? (\S+)', line)
        assert match, line
        family = re.sub("_(bucket|sum|count)$", "", match[1])
        assert ("TYPE", match[1]) in told or ("TYPE", family) in told
        series = match[1] + (match[2] or "")
        assert series not in found
        found[series] = float(match[3])
    return found


def test_requests_are_counted_and_timed_by_what_they_are(server: Server) -> None:
    before = scrape(server)
    assert send(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "counted"}})[0] == 201
    assert send(server, "POST", "/api/v1/namespaces?dryRun=All", {"metadata": {"name": "dry"}})[0] == 201
    assert send(server, "GET", "/api/v1/namespaces/counted")[0] == 200
    assert send(server, "GET", "/api/v1/namespaces/absent")[0] == 404
    assert send(server, "GET", "/api/v1/namespaces?fieldSelector=metadata.name%3Dcounted")[0] == 200
    patch = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "counted", "labels": {"a": "b"}}}
    path = "/api/v1/namespaces/counted?fieldManager=x"
    assert send(server, "PATCH", path, patch, **{"Content-Type": "application/apply-patch+yaml"})[0] == 200
    after = scrape(server)

    def rise(series: str) -> float:
        shown = sort_labels(series)
        return after.get(shown, 0) - before.get(shown, 0)

    one, every = (NAMESPACES.format(scope=scope) for scope in ("resource", "cluster"))
    assert rise(f'apiserver_request_total{{verb="POST",dry_run="",{one},code="201"}}') == 1
    assert rise(f'apiserver_request_total{{verb="POST",dry_run="All",{one},code="201"}}') == 1
    assert rise(f'apiserver_request_total{{verb="GET",dry_run="",{one},code="200"}}') == 1
    assert rise(f'apiserver_request_total{{verb="GET",dry_run="",{one},code="404"}}') == 1
    assert rise(f'apiserver_request_total{{verb="LIST",dry_run="",{every},code="200"}}') == 1
    assert rise(f'apiserver_request_total{{verb="APPLY",dry_run="",{one},code="200"}}') == 1
    assert rise(f'apiserver_request_duration_seconds_count{{verb="GET",dry_run="",{one}}}') == 2
    assert rise(f'apiserver_request_sli_duration_seconds_bucket{{verb="GET",{one},le="30"}}') == 2
    assert rise(f'apiserver_response_sizes_count{{verb="GET",{one}}}') == 2
    assert rise('apiserver_request_body_size_bytes_count{group="",resource="namespaces",verb="create"}') == 2
    assert rise('apiserver_storage_objects{resource="namespaces"}') == 1
    admitted = 'type="admit",operation="CREATE",rejected="false"'
    assert rise(f"apiserver_admission_step_admission_duration_seconds_count{{{admitted}}}") >= 2
    name = 'name="NamespaceLifecycle"'
    assert rise(f"apiserver_admission_controller_admission_duration_seconds_count{{{name},{admitted}}}") >= 2


_CONFIGMAPS = 'group="",version="v1",resource="configmaps",subresource="",scope="{}",component="apiserver"'
_NOTHING = 'group="",version="",resource="",subresource="{}",scope="",component="{}"'


@pytest.mark.parametrize(
    ("method", "path", "labels"),
    [
        ("DELETE", "configmaps", f'verb="DELETE",dry_run="",{_CONFIGMAPS.format("namespace")},code="200"'),
        ("GET", "configmaps?dryRun=x", f'verb="LIST",dry_run="invalid",{_CONFIGMAPS.format("namespace")},code="200"'),
        ("GET", "configmaps/a?watch=1", f'verb="WATCH",dry_run="",{_CONFIGMAPS.format("resource")},code="404"'),
        ("PUT", "configmaps", f'verb="PUT",dry_run="",{_NOTHING.format("", "apiserver")},code="405"'),
        (
            "GET",
            "pods/a/log",
            'verb="CONNECT",dry_run="",group="",version="v1",resource="pods",subresource="log",scope="resource",'
            'component="apiserver",code="404"',
        ),
        ("GET", "/apis", f'verb="GET",dry_run="",{_NOTHING.format("apis", "apiserver")},code="200"'),
        ("GET", "/openapi/v3", f'verb="GET",dry_run="",{_NOTHING.format("openapi/v3", "")},code="200"'),
        ("GET", "/openapi/v3/api/v1", f'verb="GET",dry_run="",{_NOTHING.format("openapi/v3/", "")},code="200"'),
    ],
)
def test_verbs_and_scopes_have_the_words_of_kube_apiserver(server: Server, method: str, path: str, labels: str) -> None:
    series = sort_labels(f"apiserver_request_total{{{labels}}}")
    before = scrape(server).get(series, 0)
    send(server, method, path if path.startswith("/") else f"/api/v1/namespaces/default/{path}")
    assert scrape(server).get(series, 0) == before + 1


def test_the_work_of_controllers_is_counted(server: Server) -> None:
    series = 'workqueue_adds_total{name="namespace"}'
    before = scrape(server).get(series, 0)
    assert send(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "emptied"}})[0] == 201
    assert send(server, "DELETE", "/api/v1/namespaces/emptied")[0] == 200
    wait_for(lambda: scrape(server).get(series, 0) != before)


def test_a_watch_is_long_running_until_it_ends(server: Server) -> None:
    labels = NAMESPACES.format(scope="cluster")
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request("GET", "/api/v1/namespaces?watch=1&timeoutSeconds=1")
    response = connection.getresponse()
    gauge = sort_labels(f'apiserver_longrunning_requests{{verb="WATCH",{labels}}}')
    assert scrape(server)[gauge] == 1
    response.read()
    connection.close()
    after = scrape(server)
    assert after[gauge] == 0
    assert after[sort_labels(f'apiserver_request_total{{verb="WATCH",dry_run="",{labels},code="200"}}')] == 1
    assert after[sort_labels(f'apiserver_request_duration_seconds_sum{{verb="WATCH",dry_run="",{labels}}}')] > 0.5


def test_what_clients_make_up_does_not_become_a_label(server: Server) -> None:
    send(server, "FROB", "/nowhere")
    send(server, "GET", "/apis/no.such.group/v1/things/0")
    send(server, "GET", "/nowhere/0")
    before = {series for series in scrape(server) if "_consistency_" not in series}
    for number in range(50):
        send(server, f"FROB{number}", "/nowhere")
        send(server, "GET", f"/nowhere/{number}", **{"User-Agent": f"odd/{number}"})
        send(server, "GET", f"/apis/no.such.group/v{number}/things/{number}")
    assert {series for series in scrape(server) if "_consistency_" not in series} == before


def test_process_and_build_are_told(server: Server) -> None:
    found = scrape(server)
    assert 10e6 < found["process_resident_memory_bytes"] < 500e6
    assert _BEGIN_S <= found["process_start_time_seconds"] <= time.time()
    assert found["process_open_fds"] > 5
    assert found["process_cpu_seconds_total"] > 0
    build = [series for series in found if series.startswith("kubernetes_build_info{")]
    assert len(build) == 1
    assert 'git_version="v1.36' in build[0]
    assert found['authentication_attempts{result="success"}'] > 0


@pytest.mark.parametrize("path", ["/metrics", "/metrics/slis"])
def test_when_the_process_began_stands_in_a_header(server: Server, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    try:
        connection.request("HEAD", path)
        told = connection.getresponse().getheader("Process-Start-Time-Unix")
    finally:
        connection.close()
    assert told is not None and int(_BEGIN_S) <= int(told) <= time.time()


def test_health_checks_have_their_own_page(server: Server) -> None:
    assert send(server, "GET", "/livez")[0] == 200
    found = scrape(server, "/metrics/slis")
    assert _BEGIN_S <= found["process_start_time_seconds"] <= time.time()
    assert found['kubernetes_healthcheck{name="ping",type="livez"}'] == 1
    assert found['kubernetes_healthchecks_total{name="ping",status="success",type="livez"}'] >= 1


def test_metrics_are_for_the_administrator(server: Server) -> None:
    assert send(server, "POST", "/metrics")[0] == 405
    assert "/metrics" in send(server, "GET", "/")[1]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", server.secure_port, context=context, timeout=PATIENCE_S)
    connection.request("GET", "/metrics")
    assert connection.getresponse().status == 403
    connection.close()


def test_the_watch_cache_tells_what_it_was_fed_and_asked(server: Server) -> None:
    path, labels = "/api/v1/namespaces/default/secrets", 'group="",resource="secrets"'
    before = scrape(server)
    for n in range(3):
        secret = {"metadata": {"name": f"told-{n}", "labels": {"n": str(n)}}}
        assert send(server, "POST", path, secret)[0] == 201
    assert send(server, "GET", f"{path}?labelSelector=n%3D1")[0] == 200
    assert send(server, "GET", f"{path}?watch=true&resourceVersion=0&timeoutSeconds=1")[0] == 200
    after = scrape(server)

    def grown(name: str, more: str = "") -> float:
        series = sort_labels(f"{name}{{{labels}{more}}}")
        return after[series] - before.get(series, 0)

    assert grown("apiserver_watch_cache_events_received_total") == 3
    assert grown("apiserver_watch_cache_events_dispatched_total") == 3
    assert grown("apiserver_init_events_total") == 3
    assert grown("apiserver_cache_list_total", ',index=""') == 1
    assert grown("apiserver_cache_list_fetched_objects_total", ',index=""') >= 3
    assert grown("apiserver_cache_list_returned_objects_total") == 1
    assert after[f"watch_cache_capacity{{{labels}}}"] == 100
    assert f"watch_cache_capacity_increase_total{{{labels}}}" in after


def test_the_cache_is_compared_with_the_store_while_the_server_runs(server: Server) -> None:
    """tests/conftest.py asks for it every second."""
    name = "apiserver_storage_consistency_checks_total"
    series = f'{name}{{group="",resource="namespaces",status="success"}}'
    wait_for(lambda: scrape(server).get(series))
    assert not [found for found in scrape(server) if found.startswith(name) and "failure" in found]


def test_commits_are_timed(server: Server) -> None:
    before = scrape(server)
    assert send(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "committed"}})[0] == 201
    after = scrape(server)
    timed = 'quarterdeck_storage_commit_duration_seconds_count{storage_cluster_id="sqlite-0"}'
    assert after[timed] > before[timed]
    assert after[timed.replace("_count", "_sum")] > before[timed.replace("_count", "_sum")]


def test_sizes_of_watch_events_are_told(server: Server) -> None:
    labels = 'group="",resource="namespaces",version=""'
    count, total = (f"apiserver_watch_events_sizes_{name}{{{labels}}}" for name in ("count", "sum"))
    listed = json.loads(send(server, "GET", "/api/v1/namespaces?limit=1")[1])
    path = f"/api/v1/namespaces?watch=1&resourceVersion={listed['metadata']['resourceVersion']}"
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    connection.request("GET", path)
    response = connection.getresponse()
    before = scrape(server)
    assert send(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "sized"}})[0] == 201
    line = response.readline()
    connection.close()
    after = scrape(server)
    # Others may watch namespaces too, and the controller adds to the new one.
    assert after[count] > before.get(count, 0)
    assert after[total] - before.get(total, 0) >= len(line)


def test_flags_leave_out_metrics_and_values_of_labels() -> None:
    allowed = '"apiserver_request_total,code=201,500","apiserver_request_duration_seconds,verb=LIST"'
    flags = ("--disabled-metrics=apiserver_request_sli_duration_seconds", f"--allow-metric-labels={allowed}")
    with Server(None, *flags) as limited:
        for _ in range(2):
            assert send(limited, "GET", "/api/v1/namespaces")[0] == 200
            assert send(limited, "GET", "/api/v1/namespaces/default")[0] == 200
        told = scrape(limited)
    assert not any("sli_duration" in name for name in told)
    requests = [name for name in told if name.startswith("apiserver_request_total{")]
    assert {code for name in requests for code in re.findall(r'code="(\w+)"', name)} == {"unexpected"}
    durations = [name for name in told if name.startswith("apiserver_request_duration_seconds_count{")]
    assert {verb for name in durations for verb in re.findall(r'verb="(\w+)"', name)} == {"LIST", "unexpected"}
    assert told["disabled_metrics_total"] == 1
    assert told["cardinality_enforcement_unexpected_categorizations_total"] >= 6
