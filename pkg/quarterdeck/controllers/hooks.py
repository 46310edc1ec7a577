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
FAIRNESS: Final = ("priority-and-fairness-config-consumer", "priority-and-fairness-filter")
LIMITS: Final = "max-in-flight-filter"  # what a server has in place of those two, where priority and fairness are off
REGISTRATION: Final = "autoregister-completion"  # no hook: its name has no prefix
# In upstream's order.
_NAMES: Final = (
    "start-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    *FAIRNESS,
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    "peer-endpoint-reconciler-controller",
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
    "apiservice-wait-for-first-sync",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
    REGISTRATION,
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


def checks(controllers: Controllers, has_flow_control: bool = True) -> dict[str, Check]:
    """Why something is not done yet; None where it is."""
    running = _running(controllers)
    told: dict[str, Check] = {}
    for name in _NAMES if has_flow_control else _without_fairness():
        if name == REGISTRATION:
            told[name] = controllers.registration.check
        else:
            told[PREFIX + name] = partial(_check, tuple(running.get(name, ())))
    return told


def _without_fairness() -> list[str]:
    names = [name for name in _NAMES if name not in FAIRNESS]
    names.insert(_NAMES.index(FAIRNESS[0]), LIMITS)
    return names


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
