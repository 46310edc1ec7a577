"""Which values of feature gates are taken."""

from __future__ import annotations

import re

import pytest

from quarterdeck.apis import features
from quarterdeck.cmd import options
from quarterdeck.server.config import ConfigError


def take(*texts: str) -> None:
    flags = [f"--feature-gates={text}" for text in texts]
    options.build_config(options.parse(["serve", "--data-dir=d", *flags])[0])


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["WatchList=true", "CBORServingAndStorage=false,ShardedListAndWatch=0"],
        ["kube:WatchList=true, kube:GracefulNodeShutdown=false"],
        ["AllAlpha=false,StructuredAuthenticationConfiguration=true"],
        ["EventedPLEG=true", "EventedPLEG=false"],
        ["ComponentFlagz=true,ComponentStatusz=T"],
        ["NominatedNodeNameForExpectation=false,PreventStaticPodAPIReferences=false,AllowServiceExternalIPs=false"],
        ["PodSchedulingReadiness=true,ServiceCIDRStatusFieldWiping=true,KubeletRegistrationGetOnExistsOnly=true"],
    ],
)
def test_what_the_server_does_is_taken(texts: list[str]) -> None:
    take(*texts)


@pytest.mark.parametrize(
    "text, error",
    [
        ("Nothing=true,WatchList=false", "unrecognized feature gate: Nothing"),
        ("HonorPVReclaimPolicy=true", "unrecognized feature gate: HonorPVReclaimPolicy"),
        ("WatchList", "missing bool value for WatchList"),
        ("WatchList=yes", 'invalid value of WatchList=yes, err: strconv.ParseBool: parsing "yes": invalid syntax'),
        ("GitRepoVolumeDriver=true", "cannot set feature gate GitRepoVolumeDriver to true, feature is locked to false"),
        ("RetryGenerateName=false", "cannot set feature gate RetryGenerateName to false, feature is locked to true"),
        (
            "SeparateCacheWatchRPC=true,BtreeWatchCache=false",
            "[cannot set feature gate SeparateCacheWatchRPC to true, feature is locked to false, "
            "cannot set feature gate BtreeWatchCache to false, feature is locked to true]",
        ),
        ("wardle:X=true", "component not registered: wardle"),
        (
            "kube:WatchList=true,APIServerIdentity=true",
            "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
        ),
        ("WatchList=false", "--feature-gates=WatchList=false cannot be honoured: this feature cannot be switched off"),
        (
            "CBORServingAndStorage=true",
            "--feature-gates=CBORServingAndStorage=true cannot be honoured: this feature is not built",
        ),
        (
            "ComponentFlagz=false",
            "--feature-gates=ComponentFlagz=false cannot be honoured: this feature cannot be switched off",
        ),
        *(
            (
                f"{gate}",
                f"--feature-gates={gate} cannot be honoured: it stands for features that cannot be switched; "
                "name those that are meant",
            )
            for gate in ("AllAlpha=true", "AllBeta=true", "AllBeta=false")
        ),
    ],
)
def test_what_it_does_not_do_is_refused(text: str, error: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(error)}$"):
        take(text)


def test_some_can_be_switched() -> None:
    assert features.switched_on(["ClusterTrustBundle=true,StorageVersionMigrator=false", "WatchList=true"]) == {
        "ClusterTrustBundle"
    }
    config = options.build_config(
        options.parse(["serve", "--data-dir=d", "--feature-gates=StorageVersionMigrator=true"])[0]
    )
    assert config.enablement.features == {"StorageVersionMigrator"}
    assert config.enablement.is_usual


def test_every_gate_has_one_stage() -> None:
    stages = (
        features._ALPHA,
        features._BETA_OFF,
        features._BETA_ON,
        features._STABLE,
        features._DEPRECATED_OFF,
        features._DEPRECATED_ON,
    )
    names = " ".join(stages).split()
    assert len(names) == len(set(names))
    for some in (features._NOT_LOCKED, features._LOCKED, features._WITHOUT_EFFECT, features._OTHERWISE):
        assert set(some.split()) <= set(names)


def test_of_each_gate_a_value_is_taken() -> None:
    for name in features.defaults():
        if name != "AllBeta":
            assert features.is_honoured(name, is_on=True) or features.is_honoured(name, is_on=False)
