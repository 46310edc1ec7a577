"""Wiring of admission: which plugins stand in the chain, in upstream's order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from quarterdeck.admission.chain import Chain
from quarterdeck.admission.plugins.namespace_lifecycle import NamespaceLifecycle, Phase
from quarterdeck.admission.plugins.pods import PodDefaults
from quarterdeck.admission.plugins.priority import Priority
from quarterdeck.admission.plugins.runtimeclass import RuntimeClass
from quarterdeck.admission.policy import surroundings as policy_surroundings
from quarterdeck.admission.webhooks.mutating import MutatingWebhooks
from quarterdeck.admission.webhooks.selecting import Surroundings
from quarterdeck.admission.webhooks.source import WebhookSource
from quarterdeck.admission.webhooks.validating import ValidatingWebhooks
from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.cel.lib_authz import Check
from quarterdeck.registry.scope import Scope
from quarterdeck.server import policies
from quarterdeck.server.config import ServiceAddress
from quarterdeck.server.params import Params
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.client import WebhookClient
from quarterdeck.webhook.config import Service
from quarterdeck.webhook.services import Services

Builtin = Mapping[tuple[str, str, str], Mapping[str, Scope]]
_GROUP: Final = ("admissionregistration.k8s.io", "v1")


class Decision:
    """What an expression is told of a check."""

    __slots__ = ("allowed", "error", "reason")

    def __init__(self, allowed: bool, reason: str, error: str | None) -> None:
        self.allowed = allowed
        self.reason = reason
        self.error = error


class Authorization:
    """What expressions ask. The authorizer is built after the chain, of which its own requests are a part."""

    def __init__(self) -> None:
        self.authorizer: Authorizer | None = None

    def decide(self, user: User, check: Check) -> Decision:
        assert self.authorizer is not None
        if check.service_account is not None:
            user = _user_of(*check.service_account)
        asked = Attributes(
            check.verb,
            check.group,
            "",
            check.resource,
            check.subresource,
            check.namespace,
            check.name,
            check.path,
            is_resource=not check.path,
        )
        found = self.authorizer.authorize(user, asked)
        return Decision(found.is_allowed, found.reason, found.error or None)


class Admission(NamedTuple):
    """`http` is what webhooks are called with; it is closed when nothing is asked any more."""

    chain: Chain
    http: HTTPClient
    webhooks: WebhookClient
    authorization: Authorization


def build(served: Builtin, definitions: ServedDefinitions, addresses: Iterable[ServiceAddress] = ()) -> Admission:
    """Call it within the event loop. Its `authorization` has yet to be given an authorizer."""
    http, authorization = HTTPClient(), Authorization()
    known = {Service(*each[:3]): (each.host, each.host_port) for each in addresses}
    services = Services(partial(_find_object, served["", "v1", "services"][""]), known)
    webhooks = WebhookClient(http, services.resolve)
    namespaces = served["", "v1", "namespaces"][""]
    lifecycle = NamespaceLifecycle(partial(_phase_of, namespaces))
    around = Surroundings(partial(_labels_of, namespaces), authorization.decide)
    mutating, validating = (
        WebhookSource(served[*_GROUP, f"{kind}webhookconfigurations"][""].store.cache)
        for kind in ("mutating", "validating")
    )
    priority = Priority(served["scheduling.k8s.io", "v1", "priorityclasses"][""].store.cache)
    runtime = RuntimeClass(served["node.k8s.io", "v1", "runtimeclasses"][""].store.cache)
    asked = policy_surroundings.Surroundings(
        around.labels_of,
        partial(_find_object, namespaces, ""),
        Params(served, definitions).find,
        authorization.decide,
    )
    chain = Chain(
        (
            lifecycle,
            priority,
            PodDefaults(),
            runtime,
            policies.build_mutating(served, asked),
            MutatingWebhooks(mutating.hooks, webhooks, around),
        ),
        (
            priority,
            runtime,
            policies.build_validating(served, asked),
            ValidatingWebhooks(validating.hooks, webhooks, around),
        ),
    )
    return Admission(chain, http, webhooks, authorization)


def _find_object(scope: Scope, namespace: str, name: str) -> dict[str, Any] | None:
    entry = scope.store.cache.get(namespace, name)
    return None if entry is None else json_codec.load(entry.data)


def _labels_of(namespaces: Scope, name: str) -> Mapping[str, str] | None:
    found = _find_object(namespaces, "", name)
    return None if found is None else found["metadata"].get("labels") or {}


def _user_of(namespace: str, name: str) -> User:
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return User(f"system:serviceaccount:{namespace}:{name}", groups=groups)


def _phase_of(namespaces: Scope, name: str) -> Phase:
    entry = namespaces.store.cache.get("", name)
    if entry is None:
        return Phase.ABSENT
    if b'"deletionTimestamp"' in entry.data and meta.deletion_timestamp(json_codec.load(entry.data)):
        return Phase.TERMINATING
    return Phase.ACTIVE
