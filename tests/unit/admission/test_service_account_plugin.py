"""ServiceAccount: the account, the token and the pull secrets of new pods."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins import serviceaccount
from quarterdeck.admission.plugins.serviceaccount import MOUNT_PATH, ServiceAccount
from quarterdeck.apimachinery import errors

ACCOUNT = {"metadata": {"name": "default"}, "imagePullSecrets": [{"name": "pull"}], "secrets": [{"name": "known"}]}
STRICT = {
    **ACCOUNT,
    "metadata": {"name": "default", "annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}},
}
POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}


def attributes(pod: dict[str, Any], operation: str = "CREATE", subresource: str = "") -> Any:
    resource = SimpleNamespace(group="", name="pods")
    return SimpleNamespace(
        resource=resource, obj=pod, operation=operation, subresource=subresource, namespace="n", name="p"
    )


def build(*accounts: dict[str, Any]) -> ServiceAccount:
    known = {each["metadata"]["name"]: each for each in accounts}
    return ServiceAccount(lambda _, name: known.get(name))


def give(pod: dict[str, Any], account: dict[str, Any]) -> dict[str, Any]:
    before = copy.deepcopy(pod)
    asked = attributes({**pod})
    assert build(account).admit(asked) is None
    assert pod == before, "the live object is left alone"
    return asked.obj["spec"]


def test_a_pod_gets_the_token_and_the_pull_secrets_of_its_account() -> None:
    spec = give(POD, ACCOUNT)
    assert spec["serviceAccountName"] == spec["serviceAccount"] == "default"
    assert spec["imagePullSecrets"] == [{"name": "pull"}]
    (volume,) = spec["volumes"]
    assert [next(iter(source)) for source in volume["projected"]["sources"]] == [
        "serviceAccountToken",
        "configMap",
        "downwardAPI",
    ]
    mount = {"name": volume["name"], "readOnly": True, "mountPath": MOUNT_PATH}
    assert spec["containers"] == [{"name": "c", "volumeMounts": [mount]}]


@pytest.mark.parametrize(
    ("of_pod", "of_account", "mounted"),
    [(None, None, True), (False, True, False), (True, False, True), (None, False, False)],
)
def test_the_pod_says_whether_the_token_is_mounted_then_the_account(
    of_pod: bool | None, of_account: bool | None, mounted: bool
) -> None:
    pod = copy.deepcopy(POD)
    if of_pod is not None:
        pod["spec"]["automountServiceAccountToken"] = of_pod  # type: ignore[assignment]
    account = ACCOUNT if of_account is None else {**ACCOUNT, "automountServiceAccountToken": of_account}
    assert ("volumes" in give(pod, account)) is mounted


def test_a_container_that_mounts_something_there_keeps_it() -> None:
    mount = {"name": "own", "mountPath": MOUNT_PATH}
    pod = {"metadata": {}, "spec": {"containers": [{"name": "c", "volumeMounts": [mount]}]}}
    spec = give(pod, ACCOUNT)
    assert spec["containers"] == pod["spec"]["containers"]  # type: ignore[index]
    assert "volumes" not in spec


async def test_the_account_of_a_new_namespace_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, dict[str, Any]] = {}

    async def sleep(_: float) -> None:
        known["default"] = ACCOUNT

    monkeypatch.setattr(serviceaccount.asyncio, "sleep", sleep)
    asked = attributes(copy.deepcopy(POD))
    waiting = ServiceAccount(lambda _, name: known.get(name)).admit(asked)
    assert waiting is not None
    await waiting
    assert asked.obj["spec"]["volumes"]


async def test_a_pod_of_an_account_that_is_absent_is_refused() -> None:
    pod = copy.deepcopy(POD)
    pod["spec"]["serviceAccountName"] = "absent"  # type: ignore[assignment]
    waiting = build(ACCOUNT).admit(attributes(pod))
    assert waiting is not None
    with pytest.raises(errors.Forbidden) as raised:
        await waiting
    text = 'pods "p" is forbidden: error looking up service account n/absent: serviceaccount "absent" not found'
    assert raised.value.message == text


VARIABLE = {"name": "V", "valueFrom": {"secretKeyRef": {"name": "strange", "key": "k"}}}
SOURCE = {"secretRef": {"name": "strange"}}
UNLESS = "is not allowed because service account default does not reference that"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"volumes": [{"name": "v", "secret": {"secretName": "known"}}]}, ""),
        (
            {"volumes": [{"name": "v", "secret": {"secretName": "strange"}}]},
            f'volume with secret.secretName="strange" {UNLESS} secret',
        ),
        (
            {"containers": [{"name": "c", "env": [VARIABLE]}]},
            f'container c with envVar V referencing secret.secretName="strange" {UNLESS} secret',
        ),
        (
            {"initContainers": [{"name": "c", "env": [VARIABLE]}]},
            f'init container c with envVar V referencing secret.secretName="strange" {UNLESS} secret',
        ),
        (
            {"containers": [{"name": "c", "envFrom": [SOURCE]}]},
            f'container c with envFrom referencing secret.secretName="strange" {UNLESS} secret',
        ),
        ({"imagePullSecrets": [{"name": "x"}]}, f'imagePullSecrets[0].name="x" {UNLESS} imagePullSecret'),
    ],
)
def test_a_strict_account_allows_its_own_secrets_alone(spec: dict[str, Any], text: str) -> None:
    pod = {"metadata": {}, "spec": {"serviceAccountName": "default", "containers": [], **spec}}
    build(ACCOUNT).validate(attributes(pod))
    if not text:
        build(STRICT).validate(attributes(pod))
        return
    for check in (build(STRICT).admit, build(STRICT).validate):
        with pytest.raises(errors.Forbidden) as raised:
            check(attributes({**pod, "spec": {**pod["spec"]}}))
        assert raised.value.message == f'pods "p" is forbidden: {text}'


@pytest.mark.parametrize(
    ("container", "text"),
    [({"env": [VARIABLE]}, "envVar V"), ({"envFrom": [SOURCE]}, "envFrom")],
)
def test_secrets_of_an_ephemeral_container_are_refused_without_a_reason(container: dict[str, Any], text: str) -> None:
    spec = {"serviceAccountName": "default", "ephemeralContainers": [{"name": "c", **container}]}
    asked = attributes({"metadata": {}, "spec": spec}, "UPDATE", "ephemeralcontainers")
    build(ACCOUNT).validate(asked)
    with pytest.raises(errors.Unreasoned) as raised:
        build(STRICT).validate(asked)
    told = f'ephemeral container c with {text} referencing secret.secretName="strange" {UNLESS} secret'
    assert raised.value.message == told


def test_a_pod_without_an_account_gets_no_ephemeral_container() -> None:
    metadata = {"name": "p", "annotations": {"kubernetes.io/config.mirror": "x"}}
    asked = attributes({"metadata": metadata, "spec": {}}, "UPDATE", "ephemeralcontainers")
    with pytest.raises(errors.Forbidden, match="no service account specified for pod n/p"):
        build(ACCOUNT).validate(asked)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"serviceAccountName": "default"}, "a mirror pod may not reference service accounts"),
        ({"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}, "a mirror pod may not reference secrets"),
        ({"volumes": [{"name": "v", "azureFile": {"secretName": "s"}}]}, "a mirror pod may not reference secrets"),
        ({"containers": [{"name": "c", "envFrom": [SOURCE]}]}, "a mirror pod may not reference secrets"),
        ({"imagePullSecrets": [{"name": "s"}]}, "a mirror pod may not reference secrets"),
    ],
)
def test_a_mirror_pod_has_no_account(spec: dict[str, Any], text: str) -> None:
    pod = {"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}, "spec": {"containers": [], **spec}}
    for check in (build().admit, build().validate):
        with pytest.raises(errors.Forbidden, match=text):
            check(attributes(pod))
