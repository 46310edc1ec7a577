"""What --runtime-config switches on and off."""

from __future__ import annotations

import re

import pytest

from quarterdeck.apis import priorities, runtimeconfig
from quarterdeck.apis.enablement import Enablement
from quarterdeck.cmd import options
from quarterdeck.server.config import ConfigError


def parse(*texts: str, has_flow_control: bool = False) -> Enablement:
    flags = [f"--runtime-config={text}" for text in texts]
    flags.append(f"--enable-priority-and-fairness={has_flow_control}")
    return options.build_config(options.parse(["serve", "--data-dir=d", *flags])[0]).enablement


def test_everything_is_served_where_nothing_is_said() -> None:
    assert parse().is_usual
    assert parse("").is_usual
    assert parse("api/ga=true,apps/v1=true,/v1,api/beta=false,api/alpha=false").is_usual
    assert parse("apps/v1beta1=false,storage.k8s.io/v1beta1/csinodes=0").serves("apps", "v1", "deployments")


def test_versions_and_resources_are_switched_off() -> None:
    found = parse("apps/v1=false,/v1/nodes=F", "autoscaling/v1=0")
    assert not found.serves("apps", "v1", "deployments")
    assert not found.serves("", "v1", "nodes")
    assert not found.serves("autoscaling", "v1", "horizontalpodautoscalers")
    assert found.serves("autoscaling", "v2", "horizontalpodautoscalers")
    assert found.serves("", "v1", "pods")


def test_a_resource_counts_more_than_its_version_and_a_version_more_than_all() -> None:
    found = parse("apps/v1/deployments=true,apps/v1=false,api/all=false,batch/v1=true,batch/v1/jobs=false")
    assert found.serves("apps", "v1", "deployments")
    assert not found.serves("apps", "v1", "replicasets")
    assert found.serves("batch", "v1", "cronjobs")
    assert not found.serves("batch", "v1", "jobs")
    assert not found.serves("", "v1", "pods")
    assert parse("api/all=false,api/ga=true").is_usual


@pytest.mark.parametrize("key", ["v1", "/v1", "api/v1", "v1/pods", "api/v1/pods"])
def test_the_core_has_several_names_that_mean_all_of_it(key: str) -> None:
    assert parse(key).is_usual
    found = parse(f"{key}=false")
    assert not found.serves("", "v1", "nodes")
    assert found.serves("apps", "v1", "deployments")


def test_a_name_of_old_says_nothing() -> None:
    assert parse("api/legacy").is_usual
    assert parse("api/legacy=maybe,v1=true").is_usual


@pytest.mark.parametrize("key", ["flowcontrol.apiserver.k8s.io/v1", "api/ga", "api/all"])
def test_priority_and_fairness_keep_their_api(key: str) -> None:
    refusal = f"^--runtime-config={key}=false conflicts with --enable-priority-and-fairness=true$"
    with pytest.raises(ConfigError, match=refusal):
        parse(f"{key}=false,apps/v1=true", has_flow_control=True)
    assert not parse(f"{key}=false,apps/v1=true").serves("flowcontrol.apiserver.k8s.io", "v1", "flowschemas")


def test_what_counts_more_keeps_the_api_of_priority_and_fairness() -> None:
    for text in ("api/all=false,flowcontrol.apiserver.k8s.io/v1=true", "api/all=false,api/ga=true"):
        found = parse(text, has_flow_control=True)
        assert found.serves("flowcontrol.apiserver.k8s.io", "v1", "flowschemas")
    assert parse("flowcontrol.apiserver.k8s.io/v1=true,api/ga=false", has_flow_control=True).serves(
        "flowcontrol.apiserver.k8s.io", "v1", "flowschemas"
    )


BETA, ALPHA = ("networking.k8s.io", "v1beta1", "ipaddresses"), ("coordination.k8s.io", "v1alpha2", "leasecandidates")


def test_other_than_stable_versions_are_off_until_they_are_named() -> None:
    assert not parse().serves(*BETA)
    assert not parse("networking.k8s.io/v1=true,api/ga=true").serves(*BETA)
    assert parse("networking.k8s.io/v1beta1=true").serves(*BETA)
    assert not parse("networking.k8s.io/v1beta1=true").serves(*ALPHA)


@pytest.mark.parametrize(
    "text, has_beta, has_alpha",
    [
        ("api/all=true", True, True),
        ("api/beta=true", True, False),
        ("api/alpha=true", False, True),
        ("api/all=true,api/beta=false", False, True),
        ("api/all=true,coordination.k8s.io/v1alpha2=false", True, False),
        ("api/all=false,api/alpha=true", False, True),
        ("networking.k8s.io/v1beta1=true,networking.k8s.io/v1beta1/ipaddresses=false", False, False),
        ("networking.k8s.io/v1beta1/ipaddresses", True, False),
    ],
)
def test_levels_and_resources_switch_them_on(text: str, has_beta: bool, has_alpha: bool) -> None:
    found = parse(text)
    assert (found.serves(*BETA), found.serves(*ALPHA)) == (has_beta, has_alpha)
    assert found.serves("apps", "v1", "deployments") == ("api/all=false" not in text)


def test_versions_of_which_nothing_is_left_may_be_named() -> None:
    assert parse("apps/v1beta1=true,flowcontrol.apiserver.k8s.io/v1beta3,storage.k8s.io/v1alpha1=1").is_usual
    assert parse("batch/v1beta1=false").is_usual


def test_a_later_flag_wins() -> None:
    assert parse("apps/v1=false", " apps/v1 = true ").is_usual


def test_all_that_is_built_can_be_switched_off() -> None:
    for group, version in (*priorities.PRIORITIES, ("apiregistration.k8s.io", "v1")):
        assert not parse(f"{group}/{version}=false").serves(group, version, "things")


@pytest.mark.parametrize(
    "text, error",
    [
        ("api/all=false", "invalid runtime-config with only api/all=false"),
        ("api/all=maybe", "invalid value api/all=maybe"),
        ("api/ga", "invalid value api/ga="),
        ("v2=true", "runtime-config invalid key v2"),
        ("a/b/c/d=true", "runtime-config invalid key a/b/c/d"),
        ("foo/v1=true,api/v2=true,bar/v2/x=false", "unknown api groups api/v2,bar/v2,foo/v1"),
        ("v1=maybe", 'invalid value of /v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'),
        ("apps/v7=false", "group version apps/v7 that has not been registered"),
        ("/v2=false", "group version v2 that has not been registered"),
        ("apps/v1=2", 'invalid value of apps/v1: 2, err: strconv.ParseBool: parsing "2": invalid syntax'),
        (
            "apps/v1/Deployments=false",
            "invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "
            '"Deployments"',
        ),
    ],
)
def test_what_cannot_be_is_refused(text: str, error: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(error)}$"):
        parse(text)


def test_parts_of_a_resource_follow_it() -> None:
    assert runtimeconfig.parse({"apps/v1/deployments": "false"}).resources == {("apps", "v1", "deployments"): False}
