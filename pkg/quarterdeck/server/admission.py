"""Wiring of admission: which plugins stand in the chain, in upstream's order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarterdeck.admission import pluginnames
from quarterdeck.admission.assembly import Plugin, assemble
from quarterdeck.admission.chain import Chain
from quarterdeck.admission.namespaced import ByNamespace
from quarterdeck.admission.namespacemetadata import NamespaceMetadata
from quarterdeck.admission.plugins import podsecurity
from quarterdeck.admission.plugins.certificates import (
    CertificateApproval,
    CertificateSigning,
    CertificateSubjectRestriction,
    ClusterTrustBundleAttest,
)
from quarterdeck.admission.plugins.claim_resize import ClaimResize
from quarterdeck.admission.plugins.extendedresources import ExtendedResourceToleration
from quarterdeck.admission.plugins.ingress import DefaultIngressClass
from quarterdeck.admission.plugins.limitranger import LimitRanger
from quarterdeck.admission.plugins.namespace_lifecycle import NamespaceLifecycle
from quarterdeck.admission.plugins.nodes import NodeTaint
from quarterdeck.admission.plugins.pods import DefaultTolerationSeconds
from quarterdeck.admission.plugins.priority import Priority
from quarterdeck.admission.plugins.resizing import NodeDeclaredFeatureValidator, PodResizeValidator
from quarterdeck.admission.plugins.runtimeclass import RuntimeClass
from quarterdeck.admission.plugins.serviceaccount import ServiceAccount
from quarterdeck.admission.plugins.storage import DefaultStorageClass, StorageProtection
from quarterdeck.admission.plugins.topology import PodTopologyLabels
from quarterdeck.admission.pluginsettings import PluginSettings, PodSecuritySettings
from quarterdeck.admission.podsecurity.counts import Counts
from quarterdeck.admission.policy.lookups import Lookups
from quarterdeck.admission.timings import Timings
from quarterdeck.admission.webhooks.counts import MUTATING, VALIDATING, WebhookCounts
from quarterdeck.admission.webhooks.hookmatcher import HookMatcher
from quarterdeck.admission.webhooks.mutating import MutatingWebhooks
from quarterdeck.admission.webhooks.source import WebhookSource
from quarterdeck.admission.webhooks.validating import ValidatingWebhooks
from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.admissionregistration.paramaccess import ParamAccess
from quarterdeck.registry.builtin.certificates.requester import Requester
from quarterdeck.registry.builtin.rbac.escalation import Escalation
from quarterdeck.registry.customresource.callers import ConversionWebhooks
from quarterdeck.registry.customresource.conversion_counts import ConversionCounts
from quarterdeck.registry.scope import Builtin, Scope
from quarterdeck.server import policies, quotas, restrictions
from quarterdeck.server.askedauthorization import Authorization
from quarterdeck.server.config import Config
from quarterdeck.server.middleware import Middleware
from quarterdeck.server.params import Params
from quarterdeck.server.restrictions import find_object
from quarterdeck.server.serviceendpoints import ServiceEndpoints
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.client import WebhookClient
from quarterdeck.webhook.config import Service
from quarterdeck.webhook.services import Services

if TYPE_CHECKING:  # loaded where something is noted, or a file names users
    from quarterdeck.coverage.data import CoverageData
    from quarterdeck.webhook.users import Users

_GROUP: Final = ("admissionregistration.k8s.io", "v1")
_NODES: Final = frozenset([("", "nodes")])
_PODS: Final = frozenset([("", "pods")])
_PODS_AND_CLASSES: Final = _PODS | {("scheduling.k8s.io", "priorityclasses")}
_ROLES_AND_BINDINGS: Final = frozenset(
    ("rbac.authorization.k8s.io", name) for name in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
)
_POLICIES: Final = frozenset(
    ("admissionregistration.k8s.io", f"{kind}admissionpolic{ending}")
    for kind in ("validating", "mutating")
    for ending in ("ies", "ybindings")
)
_REQUESTS: Final = frozenset([("certificates.k8s.io", "certificatesigningrequests")])
_TRUST_BUNDLES: Final = frozenset([("certificates.k8s.io", "clustertrustbundles")])
_CLAIMS: Final = frozenset([("", "persistentvolumeclaims")])
_INGRESSES: Final = frozenset([("networking.k8s.io", "ingresses")])
_STORES: Final = _CLAIMS | {("", "persistentvolumes"), ("storage.k8s.io", "volumeattributesclasses")}


class Admission(NamedTuple):
    """`http` is what webhooks are called with; it is closed when nothing is asked any more. `services` tells where the
    services are that webhooks and APIServices name."""

    chain: Chain
    http: HTTPClient
    services: Services
    webhooks: ConversionWebhooks
    authorization: Authorization
    escalation: Escalation


def build(
    served: Builtin,
    definitions: ServedDefinitions,
    metrics: Registry,
    config: Config,
    middleware: Middleware,
) -> Admission:
    """Call it within the event loop. Its `authorization` and `escalation` have yet to be told whom to ask."""
    http, authorization, escalation = HTTPClient(), Authorization(), Escalation()
    enabled, settings = config.admission_plugins, config.admission_settings
    services, quota = _build_services(served, config), quotas.build(served, settings.limited_resources)
    webhooks = middleware.client(http, services.resolve)
    namespaces = served["", "v1", "namespaces"][""]
    metadata, params = NamespaceMetadata(namespaces.store.cache), Params(served, definitions)
    matcher = HookMatcher(metadata.labels_of, authorization.decide)
    accounts = ServiceAccount(partial(find_object, served["", "v1", "serviceaccounts"][""]))
    priority = Priority(served["scheduling.k8s.io", "v1", "priorityclasses"][""].store.cache)
    runtime = RuntimeClass(served["node.k8s.io", "v1", "runtimeclasses"][""].store.cache, _has_empty_overhead)
    lookups = Lookups(matcher.labels_of, partial(find_object, namespaces, ""), params.find, authorization.decide)
    limits = LimitRanger(ByNamespace(served["", "v1", "limitranges"][""].store.cache))
    restricting = restrictions.build(served, definitions, metadata, config, authorization.require, http)
    callers = _build_callers(settings, http, services, webhooks)
    mutating, validating = _build_webhooks(served, callers, matcher, metrics, middleware.noted)
    mutating_policies, validating_policies = _build_policies(served, lookups, metrics, middleware.noted)
    # In upstream's order (admission/pluginnames.py).
    plugins = (
        *restricting(pluginnames.AUTO_PROVISION),
        Plugin(pluginnames.NAMESPACE_LIFECYCLE, None, _build_lifecycle(namespaces, metadata)),
        *restricting(pluginnames.LIMIT_ANTI_AFFINITY),
        Plugin(pluginnames.LIMIT_RANGER, _PODS | _CLAIMS, limits, limits),
        Plugin(pluginnames.SERVICE_ACCOUNT, _PODS, accounts, accounts),
        *restricting(pluginnames.NODE_RESTRICTION),
        Plugin(pluginnames.NODE_TAINT, _NODES, NodeTaint()),
        *restricting(pluginnames.ALWAYS_PULL, pluginnames.IMAGE_POLICY),
        _build_pod_security(served, matcher, metrics, settings.pod_security),
        *restricting(pluginnames.POD_NODE_SELECTOR),
        Plugin(pluginnames.PRIORITY, _PODS_AND_CLASSES, priority, priority),
        Plugin(pluginnames.DEFAULT_TOLERATION_SECONDS, _PODS, DefaultTolerationSeconds(*settings.default_toleration_s)),
        *restricting(pluginnames.POD_TOLERATIONS, pluginnames.EVENT_RATE_LIMIT),
        Plugin(pluginnames.EXTENDED_RESOURCES, _PODS, ExtendedResourceToleration()),
        *_of_storage(served, restricting(pluginnames.OWNER_REFERENCES)),
        Plugin(pluginnames.RUNTIME_CLASS, _PODS, runtime, runtime),
        *_of_certificates(authorization),
        _build_ingress_class(served),
        *restricting(pluginnames.DENY_EXTERNAL_IPS),
        *_build_node_lookups(served, limits, enabled),
        mutating_policies,
        mutating,
        validating_policies,
        validating,
        Plugin(pluginnames.RESOURCE_QUOTA, None, None, quota),
    )
    # Upstream asks those without a name where objects are stored: they are no plugins, and nobody can switch them off.
    own = _build_param_access(served, definitions, authorization)
    kept = [own, *(plugin for plugin in plugins if plugin.name in enabled), *_of_stored(authorization, escalation)]
    chain = assemble(kept, Timings(metrics))
    restricting.complete(chain)
    quotas.complete(quota, served, chain)
    converting = ConversionWebhooks(webhooks, ConversionCounts(metrics))
    return Admission(chain, http, services, converting, authorization, escalation)


def _build_services(served: Builtin, config: Config) -> Services:
    known = {Service(*each[:3]): (each.host, each.host_port) for each in config.webhook_services}
    return Services(partial(find_object, served["", "v1", "services"][""]), known, ServiceEndpoints(served).pick)


def _of_stored(authorization: Authorization, escalation: Escalation) -> tuple[Plugin, ...]:
    return (
        Plugin("", _ROLES_AND_BINDINGS, escalation),
        Plugin("", _REQUESTS, Requester()),
        restrictions.build_status_access(authorization.require),
    )


def _build_callers(
    settings: PluginSettings, http: HTTPClient, services: Services, inner: WebhookClient
) -> tuple[WebhookClient, WebhookClient]:
    """Of the webhooks that mutate, and of those that validate."""

    def build(users: Users | None) -> WebhookClient:
        if users is None:
            return inner
        from quarterdeck.webhook.users import SigningClient

        return SigningClient(http, services.resolve, users, inner)

    return build(settings.mutating_users), build(settings.validating_users)


def _build_webhooks(
    served: Builtin,
    clients: tuple[WebhookClient, WebhookClient],
    matcher: HookMatcher,
    metrics: Registry,
    noted: CoverageData | None,
) -> tuple[Plugin, Plugin]:
    caches = [served[*_GROUP, f"{kind}webhookconfigurations"][""].store.cache for kind in ("mutating", "validating")]
    if noted is None:
        counts = [WebhookCounts(metrics, kind) for kind in (MUTATING, VALIDATING)]
        mutating, validating = (WebhookSource(cache).hooks for cache in caches)
    else:
        from quarterdeck.server.covering import build_webhooks

        counts, (mutating, validating) = build_webhooks(noted, caches, metrics)
    mutate = MutatingWebhooks(mutating, clients[0], matcher, counts[0])
    validate = ValidatingWebhooks(validating, clients[1], matcher, counts[1])
    return (
        Plugin(pluginnames.MUTATING_WEBHOOK, None, mutate),
        Plugin(pluginnames.VALIDATING_WEBHOOK, None, None, validate),
    )


def _build_policies(
    served: Builtin, lookups: Lookups, metrics: Registry, noted: CoverageData | None
) -> tuple[Plugin, Plugin]:
    return (
        Plugin(pluginnames.MUTATING_POLICY, None, policies.build_mutating(served, lookups, metrics, noted)),
        Plugin(pluginnames.VALIDATING_POLICY, None, None, policies.build_validating(served, lookups, metrics, noted)),
    )


def _build_param_access(served: Builtin, definitions: ServedDefinitions, authorization: Authorization) -> Plugin:
    kinds = Params(served, definitions)

    def find_policy(resource: str, name: str) -> dict[str, Any] | None:
        return find_object(served[*_GROUP, resource][""], "", name)

    def find_resource(api_version: str, kind: str) -> str | None:
        found = kinds.find_resource(api_version, kind)
        return None if found is None else found.name

    return Plugin("", _POLICIES, None, ParamAccess(authorization.require, find_policy, find_resource))


def _of_storage(served: Builtin, between: tuple[Plugin, ...]) -> tuple[Plugin, ...]:
    """`between` are asked among those."""
    classes = served["storage.k8s.io", "v1", "storageclasses"][""].store.cache
    return (
        Plugin(pluginnames.DEFAULT_STORAGE_CLASS, _CLAIMS, DefaultStorageClass(classes)),
        Plugin(pluginnames.STORAGE_PROTECTION, _STORES, StorageProtection()),
        *between,
        Plugin(pluginnames.CLAIM_RESIZE, _CLAIMS, None, ClaimResize(classes)),
    )


def _of_certificates(authorization: Authorization) -> tuple[Plugin, ...]:
    may = authorization.may_as_signer
    return (
        Plugin(pluginnames.CERTIFICATE_APPROVAL, _REQUESTS, None, CertificateApproval(may)),
        Plugin(pluginnames.CERTIFICATE_SIGNING, _REQUESTS, None, CertificateSigning(may)),
        Plugin(pluginnames.TRUST_BUNDLE_ATTEST, _TRUST_BUNDLES, None, ClusterTrustBundleAttest(may)),
        Plugin(pluginnames.CERTIFICATE_SUBJECT, _REQUESTS, None, CertificateSubjectRestriction()),
    )


def _build_ingress_class(served: Builtin) -> Plugin:
    classes = served["networking.k8s.io", "v1", "ingressclasses"][""].store.cache
    return Plugin(pluginnames.DEFAULT_INGRESS_CLASS, _INGRESSES, DefaultIngressClass(classes))


def _build_pod_security(
    served: Builtin, matcher: HookMatcher, metrics: Registry, settings: PodSecuritySettings
) -> Plugin:
    pods_of = partial(_objects_in, served["", "v1", "pods"][""])
    plugin = podsecurity.PodSecurity(matcher.labels_of, pods_of, Counts(metrics), settings)
    return Plugin(pluginnames.POD_SECURITY, podsecurity.RESOURCES, None, plugin)


def _build_node_lookups(served: Builtin, limits: LimitRanger, enabled: frozenset[str]) -> tuple[Plugin, ...]:
    def has_ranges(namespace: str) -> bool:
        return pluginnames.LIMIT_RANGER in enabled and limits.has_ranges(namespace)

    find_node = partial(find_object, served["", "v1", "nodes"][""], "")
    return (
        Plugin(pluginnames.POD_TOPOLOGY_LABELS, _PODS, PodTopologyLabels(find_node)),
        Plugin(pluginnames.NODE_FEATURES, _PODS, None, NodeDeclaredFeatureValidator(find_node, has_ranges)),
        Plugin(pluginnames.POD_RESIZE, _PODS, None, PodResizeValidator(find_node)),
    )


def _has_empty_overhead() -> bool:
    return written.is_empty("spec", "overhead")


def _objects_in(scope: Scope, namespace: str) -> list[dict[str, Any]]:
    return [json_codec.load(entry.data) for entry in scope.store.cache.state.range(f"{namespace}/")]


def _build_lifecycle(namespaces: Scope, metadata: NamespaceMetadata) -> NamespaceLifecycle:
    shared = namespaces.store.cache.shared
    return NamespaceLifecycle(metadata.phase_of, metadata.exists, shared.catch_up if shared.lags else None)
