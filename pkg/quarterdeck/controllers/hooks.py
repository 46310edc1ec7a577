"""What has to be done before the server is ready, by the names that kube-apiserver has for it.

A probe asks for one by its name (/readyz/poststarthook/rbac/bootstrap-roles). Of what is done before anybody is
answered, or begins with that, the check is that there is an answer; of the others, that they run.

Source: the calls of AddPostStartHook in pkg/controlplane, pkg/registry, kube-aggregator and apiextensions-apiserver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck.controllers.workqueue import Controller

PREFIX: Final = "poststarthook/"
_NOT_FINISHED: Final = "not finished"
# In upstream's order.
_NAMES: Final = (
    "start-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "storage-readiness",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kubernetes-service-cidr-controller",
    "start-kube-aggregator-informers",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "apiservice-registration-controller",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
    "apiservice-openapi-controller",
    "apiservice-openapiv3-controller",
)

Check = Callable[[], str | None]


class Controllers(Protocol):
    """What is asked of run.Controllers; each has its queue as `controller`."""

    naming: Any
    establishing: Any
    nonstructural: Any
    approval: Any
    finalizer: Any
    availability: Any
    registration: Any
    network: Any


def checks(controllers: Controllers) -> dict[str, Check]:
    """Why something is not done yet; None where it is."""
    running = _running(controllers)
    started = {PREFIX + name: partial(_check, tuple(running.get(name, ()))) for name in _NAMES}
    return {**started, "autoregister-completion": controllers.registration.check}


def _running(controllers: Controllers) -> dict[str, Sequence[Controller]]:
    """By the name of a hook, the queues that it starts."""
    definitions = (
        controllers.naming,
        controllers.establishing,
        controllers.nonstructural,
        controllers.approval,
        controllers.finalizer,
    )
    return {
        "start-apiextensions-controllers": [each.controller for each in definitions],
        "apiservice-status-local-available-controller": [controllers.availability.controller],
        "apiservice-status-remote-available-controller": [controllers.availability.controller],
        "kube-apiserver-autoregistration": [controllers.registration.controller],
        **controllers.network.hooks,
    }


def _check(started: tuple[Controller, ...]) -> str | None:
    return None if all(each.is_running for each in started) else _NOT_FINISHED
