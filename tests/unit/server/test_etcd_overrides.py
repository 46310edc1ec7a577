"""What flags say of etcd: which resources another one has, how long health checks wait."""

from __future__ import annotations

import pytest

from quarterdeck.cmd import main as commands
from quarterdeck.cmd import options
from quarterdeck.server.etcdstoring import find_moved
from quarterdeck.storage.etcd3.settings import Override, Settings

ETCD = ("serve", "--data-dir", "/d", "--storage-backend=etcd3", "--etcd-servers=http://main:2379")


def read(*flags: str) -> Settings:
    arguments, _ = options.parse([*ETCD, *flags])
    etcd = options.build_config(arguments).etcd
    assert etcd is not None
    return etcd


def overrides(*flags: str) -> tuple[Override, ...]:
    return read(*flags).overrides


@pytest.mark.parametrize(("flags", "timeout_s"), [((), 2), (("0s",), 2), (("500ms",), 0.5)])
def test_health_checks_take_no_time_at_all_for_the_usual_one(flags: tuple[str, ...], timeout_s: float) -> None:
    assert read(*(f"--etcd-healthcheck-timeout={text}" for text in flags)).health_timeout_s == timeout_s


def test_several_resources_and_servers_are_read() -> None:
    assert overrides("--etcd-servers-overrides=/pods#http://a:1;http://b:2,apps/*#https://c:3") == (
        Override("", "pods", ("http://a:1", "http://b:2")),
        Override("apps", "*", ("https://c:3",)),
    )
    assert overrides("--etcd-servers-overrides=/pods#a:1", "--etcd-servers-overrides", "/events#b:2") == (
        Override("", "pods", ("http://a:1",)),
        Override("", "events", ("http://b:2",)),
    )
    assert overrides() == ()


@pytest.mark.parametrize(
    "text", ["pods", "pods#http://a:1", "/pods#", "/pods#http://a:1;", "/pods#a#b", "a/b/c#d", "#http://a:1", "/pods"]
)
def test_another_form_is_refused_in_upstreams_words(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main([*ETCD, f"--etcd-servers-overrides={text}"]) == commands.EXIT_USAGE
    told = (
        "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, "
        "semicolon separated"
    )
    assert told in capsys.readouterr().err


def test_what_names_a_resource_counts_more_than_what_names_its_group_and_the_last_most() -> None:
    a, b, c = ("http://a:1",), ("http://b:1",), ("http://c:1",)
    moved = find_moved(
        (
            Override("apps", "deployments", a),
            Override("apps", "*", b),
            Override("apps", "daemonsets", a),
            Override("apps", "daemonsets", c),
            Override("", "pods", a),
        )
    )
    assert moved == {
        ("", "pods"): a,
        ("apps", "controllerrevisions"): b,
        ("apps", "daemonsets"): c,
        ("apps", "deployments"): a,
        ("apps", "replicasets"): b,
        ("apps", "statefulsets"): b,
    }


def test_definitions_api_services_and_what_is_not_built_in_stay() -> None:
    servers = ("http://a:1",)
    names = ("apiextensions.k8s.io", "apiregistration.k8s.io", "example.com", "events.k8s.io")
    assert find_moved([Override(name, "*", servers) for name in names]) == {}
    assert find_moved([Override("apiextensions.k8s.io", "customresourcedefinitions", servers)]) == {}
    assert find_moved([Override("events.k8s.io", "events", servers)]) == {}
