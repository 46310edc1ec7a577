"""ServiceAccount: a new pod acts for an account that is there, and gets the account's token and pull secrets.

Source: plugin/pkg/admission/serviceaccount/admission.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors, gofmt, meta, podreferences

Object = dict[str, Any]
Find = Callable[[str, str], Object | None]  # (namespace, name)

DEFAULT: Final = "default"
MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
# A controller makes the account of a new namespace: wait for it so often, so long.
ATTEMPTS: Final = 10
PAUSE_S: Final = 0.15

_ENFORCES: Final = "kubernetes.io/enforce-mountable-secrets"
_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")
_VOLUME: Final = "kube-api-access-"
_TOKEN_S: Final = 3607
_ROOT_CA: Final = "kube-root-ca.crt"
_EPHEMERAL: Final = "ephemeralcontainers"


class ServiceAccount:
    """`find` looks an account up in the watch cache."""

    def __init__(self, find: Find) -> None:
        self._find = find

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        pod = attributes.obj
        if pod is None or attributes.operation != CREATE or attributes.subresource:
            return None
        if podreferences.is_mirror(pod):
            _check_mirror(attributes, pod)
            return None
        spec = pod["spec"]
        name = spec.get("serviceAccountName") or DEFAULT
        pod["spec"] = {**spec, "serviceAccountName": name, "serviceAccount": name}
        account = self._find(attributes.namespace, name)
        if account is None:
            return self._admit_later(attributes, pod, name)
        _give(pod, account)
        _check_secrets(attributes, pod, account, only_ephemeral=False)
        return None

    async def _admit_later(self, attributes: Attributes, pod: Object, name: str) -> None:
        for _ in range(ATTEMPTS if name == DEFAULT else 0):
            await asyncio.sleep(PAUSE_S)
            account = self._find(attributes.namespace, name)
            if account is not None:
                _give(pod, account)
                _check_secrets(attributes, pod, account, only_ephemeral=False)
                return
        raise _not_found(attributes, name)

    def validate(self, attributes: Attributes) -> None:
        """Raises Forbidden; Unreasoned, as upstream, for the secrets of an ephemeral container."""
        pod = attributes.obj
        is_ephemeral = attributes.operation == UPDATE and attributes.subresource == _EPHEMERAL
        is_new = attributes.operation == CREATE and not attributes.subresource
        if pod is None or not (is_new or is_ephemeral):
            return
        if is_new and podreferences.is_mirror(pod):
            _check_mirror(attributes, pod)
            return
        name = pod["spec"].get("serviceAccountName")
        if not name:
            where = f"{attributes.namespace}/{meta.name(pod)}"
            raise forbidden(attributes, f"no service account specified for pod {where}")
        account = self._find(attributes.namespace, name)
        if account is None:
            raise _not_found(attributes, name)
        _check_secrets(attributes, pod, account, only_ephemeral=is_ephemeral)


def _check_secrets(attributes: Attributes, pod: Object, account: Object, *, only_ephemeral: bool) -> None:
    if (account["metadata"].get("annotations") or {}).get(_ENFORCES) in _TRUE:
        text = _find_strange_secret(pod["spec"], account, only_ephemeral=only_ephemeral)
        if text:
            raise errors.Unreasoned(text) if only_ephemeral else forbidden(attributes, text)


def _check_mirror(attributes: Attributes, pod: Object) -> None:
    spec = pod["spec"]
    if spec.get("serviceAccountName"):
        raise forbidden(attributes, "a mirror pod may not reference service accounts")
    if next(podreferences.secrets_of(pod), None) is not None:
        raise forbidden(attributes, "a mirror pod may not reference secrets")
    for volume in spec.get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "serviceAccountToken" in source:
                raise forbidden(attributes, "a mirror pod may not use ServiceAccountToken volume projections")


def _give(pod: Object, account: Object) -> None:
    """The account's token and pull secrets, where the pod has none. The lists of `pod` may be the live object's."""
    spec = pod["spec"]
    automounts = spec.get("automountServiceAccountToken", account.get("automountServiceAccountToken"))
    if automounts is not False:
        _mount(spec)
    if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
        spec["imagePullSecrets"] = [{"name": each.get("name", "")} for each in account["imagePullSecrets"]]


def _mount(spec: Object) -> None:
    volumes = spec.get("volumes") or []
    there = next((each["name"] for each in volumes if each["name"].startswith(_VOLUME)), None)
    name = there or meta.generate_name(_VOLUME)
    mount = {"name": name, "readOnly": True, "mountPath": MOUNT_PATH}
    has_mounted = False
    for member in ("initContainers", "containers"):
        containers = []
        for container in spec.get(member) or ():
            mounts = container.get("volumeMounts") or []
            if any(each.get("mountPath") == MOUNT_PATH for each in mounts):
                containers.append(container)
                continue
            containers.append({**container, "volumeMounts": [*mounts, dict(mount)]})
            has_mounted = True
        if containers:
            spec[member] = containers
    if has_mounted and there is None:
        spec["volumes"] = [*volumes, {"name": name, "projected": _build_token_volume()}]


def _build_token_volume() -> Object:
    own_namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    return {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": _TOKEN_S, "path": "token"}},
            {"configMap": {"name": _ROOT_CA, "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [own_namespace]}},
        ],
        "defaultMode": 0o644,
    }


def _find_strange_secret(spec: Object, account: Object, *, only_ephemeral: bool) -> str:
    """Why the pod may not have a secret that it refers to; empty where it may have all."""
    known = {each.get("name") or "" for each in account.get("secrets") or ()}
    unless = f"is not allowed because service account {account['metadata']['name']} does not reference that"
    kinds: tuple[tuple[str, str], ...] = (("ephemeral container", "ephemeralContainers"),)
    if not only_ephemeral:
        kinds = (("init container", "initContainers"), ("container", "containers"))
        for volume in spec.get("volumes") or ():
            name = (volume.get("secret") or {}).get("secretName") or ""
            if "secret" in volume and name not in known:
                return f'volume with secret.secretName="{name}" {unless} secret'
    for noun, member in kinds:
        for container in spec.get(member) or ():
            text = _find_strange_variable(noun, container, known, unless)
            if text:
                return text
    if only_ephemeral:
        return ""
    pulls = {each.get("name") or "" for each in account.get("imagePullSecrets") or ()}
    for index, each in enumerate(spec.get("imagePullSecrets") or ()):
        if (name := each.get("name") or "") not in pulls:
            return f'imagePullSecrets[{index}].name="{name}" {unless} imagePullSecret'
    return ""


def _find_strange_variable(noun: str, container: Object, known: set[str], unless: str) -> str:
    where = f"{noun} {container.get('name', '')} with"
    for variable in container.get("env") or ():
        reference = (variable.get("valueFrom") or {}).get("secretKeyRef")
        if reference is not None and (name := reference.get("name") or "") not in known:
            return f'{where} envVar {variable.get("name", "")} referencing secret.secretName="{name}" {unless} secret'
    for source in container.get("envFrom") or ():
        reference = source.get("secretRef")
        if reference is not None and (name := reference.get("name") or "") not in known:
            return f'{where} envFrom referencing secret.secretName="{name}" {unless} secret'
    return ""


def _not_found(attributes: Attributes, name: str) -> errors.Forbidden:
    account = f"service account {attributes.namespace}/{name}"
    return forbidden(attributes, f"error looking up {account}: serviceaccount {gofmt.quote(name)} not found")
