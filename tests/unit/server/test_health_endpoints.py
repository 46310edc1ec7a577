"""/healthz, /livez, /readyz: the texts that probes and people compare."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from quarterdeck.controllers import hooks
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.server import health
from support import in_process

OK = {"ping": health.always_healthy, "etcd": health.always_healthy}


def ask(path: str, query: str = "", checks: dict[str, health.Check] | None = None) -> tuple[int, str]:
    response = health.answer(
        path, query, health.build_checks(health.always_healthy, health.always_healthy, {}) if checks is None else checks
    )
    assert response is not None
    assert ("Content-Type", "text/plain; charset=utf-8") in response.headers
    assert isinstance(response.body, bytes)
    return response.status, response.body.decode()


@pytest.mark.parametrize("endpoint", ["healthz", "livez", "readyz"])
def test_healthy_is_ok(endpoint: str) -> None:
    assert ask(f"/{endpoint}") == (200, "ok")
    assert ask(f"/{endpoint}", "verbose", OK) == (200, f"[+]ping ok\n[+]etcd ok\n{endpoint} check passed\n")
    assert ask(f"/{endpoint}", "verbose=false", OK)[1] != "ok", "its presence counts, as upstream"


def test_a_failure_is_500_and_says_no_reason() -> None:
    checks = {**OK, "etcd": lambda: "disk on fire", "log": health.always_healthy}
    text = "[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\nlivez check failed\n"
    assert ask("/livez", "", checks) == (500, text)
    assert ask("/livez/etcd", "", checks) == (500, "internal server error: disk on fire\n")
    assert ask("/livez/ping", "", checks) == (200, "ok")


def test_checks_may_be_excluded() -> None:
    checks = {**OK, "etcd": lambda: "no"}
    assert ask("/healthz", "exclude=etcd", checks) == (200, "ok")
    text = (
        "[+]ping excluded: ok\n[+]etcd excluded: ok\n"
        'warn: some health checks cannot be excluded: no matches for "a","z z"\nhealthz check passed\n'
    )
    assert ask("/healthz", "verbose&exclude=etcd&exclude=z%20z&exclude=ping&exclude=a", checks) == (200, text)


def test_names_and_order_are_upstreams() -> None:
    checks = health.build_checks(
        health.always_healthy,
        health.always_healthy,
        {"poststarthook/start-apiextensions-controllers": health.always_healthy},
    )
    ready = ask("/readyz", "verbose", checks)[1].splitlines()
    hook = "[+]poststarthook/start-apiextensions-controllers ok"
    assert ready[:3] == ["[+]ping ok", "[+]log ok", "[+]etcd ok"]
    assert ready[3:] == ["[+]etcd-readiness ok", "[+]informer-sync ok", hook, "[+]shutdown ok", "readyz check passed"]
    loopback = "[+]loopback-serving-certificate ok"
    lines = [*ready[:2], loopback, ready[2], hook]
    for endpoint in ("livez", "healthz"):
        assert ask(f"/{endpoint}", "verbose", checks)[1].splitlines() == [*lines, f"{endpoint} check passed"]
    assert ask("/livez/poststarthook/start-apiextensions-controllers", "", checks) == (200, "ok")


@pytest.mark.parametrize(
    "path", ["/healthz/", "/healthz/nothing", "/livez/shutdown", "/healthzz", "/", "healthz", "/readyz/ping/x"]
)
def test_other_paths_are_not_answered(path: str) -> None:
    assert health.answer(path, "", health.build_checks(health.always_healthy, health.always_healthy, {})) is None


def test_readiness_ends_when_the_server_stops() -> None:
    checks = health.build_checks(health.always_healthy, health.always_healthy, {})
    checks["shutdown"] = lambda: "process is shutting down"
    assert ask("/readyz", "", checks)[0] == 500
    assert ask("/livez", "", checks)[0] == 200


def test_a_server_that_has_yet_to_register_its_versions_lives() -> None:
    hooks = {"autoregister-completion": lambda: "missing APIService: [v1.]"}
    checks = health.build_checks(health.always_healthy, health.always_healthy, hooks)
    assert ask("/readyz", "", checks)[0] == 500
    assert ask("/livez", "", checks) == ask("/healthz", "", checks) == (200, "ok")
    assert ask("/livez/autoregister-completion", "", checks) == (200, "ok")


def test_the_store_of_most_resources_stands_for_those_of_others() -> None:
    checks = health.build_checks(health.always_healthy, health.always_healthy, {})
    health.add_overrides(checks, [(lambda: "gone", lambda: "gone")])
    lines = ask("/readyz", "verbose&exclude=etcd&exclude=etcd-readiness", checks)[1].splitlines()
    assert lines[2:6] == [
        "[+]etcd excluded: ok",
        "[+]etcd-readiness excluded: ok",
        "[+]etcd-override-0 excluded with etcd: ok",
        "[+]etcd-override-readiness-0 excluded with etcd-readiness: ok",
    ]
    assert lines[-1] == "readyz check passed"


def test_the_paths_that_are_listed_are_those_that_are_answered() -> None:
    checks = health.build_checks(
        health.always_healthy, health.always_healthy, {"autoregister-completion": lambda: None}
    )
    checks["kms-providers"] = health.always_healthy
    health.add_overrides(checks, [(health.always_healthy, health.always_healthy)])
    listed = health.list_paths(checks)
    assert {"/livez/ping", "/readyz/shutdown", "/readyz/autoregister-completion"} <= {*listed}
    every = [f"/{endpoint}/{name}" for endpoint in ("healthz", "livez", "readyz") for name in checks]
    answered = [path for path in every if health.answer(path, "", checks) is not None]
    assert sorted(listed) == sorted([*answered, "/healthz", "/livez", "/readyz"])
    assert len(answered) < len(every)


def test_what_a_server_starts_is_told_by_upstreams_names(tmp_path: Path) -> None:
    """Those that test/e2e/apimachinery/health_handlers.go asks of every kube-apiserver."""
    wanted = [
        "ping",
        "log",
        "etcd",
        "poststarthook/start-apiserver-admission-initializer",
        "poststarthook/generic-apiserver-start-informers",
        "poststarthook/start-apiextensions-informers",
        "poststarthook/start-apiextensions-controllers",
        "poststarthook/crd-informer-synced",
        "poststarthook/bootstrap-controller",
        "poststarthook/start-system-namespaces-controller",
        "poststarthook/start-service-ip-repair-controllers",
        "poststarthook/scheduling/bootstrap-system-priority-classes",
        "poststarthook/start-cluster-authentication-info-controller",
        "poststarthook/start-kube-aggregator-informers",
        "poststarthook/apiservice-registration-controller",
        "poststarthook/apiservice-status-local-available-controller",
        "poststarthook/apiservice-status-remote-available-controller",
        "poststarthook/kube-apiserver-autoregistration",
        "poststarthook/apiservice-openapi-controller",
    ]

    async def run() -> None:
        async with in_process.running(tmp_path) as server:
            for endpoint in ("healthz", "livez", "readyz"):
                answer = await server.call("GET", f"/{endpoint}?verbose")
                lines = answer.body.decode().splitlines()
                missing = [name for name in wanted if f"[+]{name} ok" not in lines]
                assert not missing, lines
                for name in wanted:
                    assert (await server.call("GET", f"/{endpoint}/{name}")).status == 200, name

    asyncio.run(run())


def test_a_hook_that_has_not_run_is_told() -> None:
    queue = Controller("slow", lambda _key: None)
    controllers = SimpleNamespace(
        **{name: SimpleNamespace(controller=queue) for name in ("naming", "establishing", "nonstructural", "approval")},
        **{name: SimpleNamespace(controller=queue) for name in ("finalizer", "availability")},
        registration=SimpleNamespace(controller=queue, check=lambda: None),
        network=SimpleNamespace(hooks={"bootstrap-controller": [queue]}),
    )
    checks = hooks.checks(controllers)
    assert "poststarthook/priority-and-fairness-filter" in checks
    assert "poststarthook/max-in-flight-filter" not in checks
    late = [name for name, check in checks.items() if check() is not None]
    assert "poststarthook/bootstrap-controller" in late
    assert "poststarthook/start-apiextensions-controllers" in late
    assert checks["poststarthook/bootstrap-controller"]() == "not finished"
    without = hooks.checks(controllers, has_flow_control=False)
    assert {*checks} ^ {*without} == {
        "poststarthook/max-in-flight-filter",
        "poststarthook/priority-and-fairness-config-consumer",
        "poststarthook/priority-and-fairness-filter",
    }
