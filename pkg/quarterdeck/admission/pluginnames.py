"""The names of kube-apiserver's admission plugins: their order, which are on, and what flags make of that.

Source: pkg/kubeapiserver/options/{plugins,admission}.go (AllOrderedPlugins, DefaultOffAdmissionPlugins, Validate).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

AUTO_PROVISION: Final = "NamespaceAutoProvision"
NAMESPACE_LIFECYCLE: Final = "NamespaceLifecycle"
LIMIT_RANGER: Final = "LimitRanger"
SERVICE_ACCOUNT: Final = "ServiceAccount"
NODE_RESTRICTION: Final = "NodeRestriction"
OWNER_REFERENCES: Final = "OwnerReferencesPermissionEnforcement"
NODE_TAINT: Final = "TaintNodesByCondition"
POD_SECURITY: Final = "PodSecurity"
PRIORITY: Final = "Priority"
DEFAULT_TOLERATION_SECONDS: Final = "DefaultTolerationSeconds"
EXTENDED_RESOURCES: Final = "ExtendedResourceToleration"
DEFAULT_STORAGE_CLASS: Final = "DefaultStorageClass"
STORAGE_PROTECTION: Final = "StorageObjectInUseProtection"
CLAIM_RESIZE: Final = "PersistentVolumeClaimResize"
RUNTIME_CLASS: Final = "RuntimeClass"
CERTIFICATE_APPROVAL: Final = "CertificateApproval"
CERTIFICATE_SIGNING: Final = "CertificateSigning"
TRUST_BUNDLE_ATTEST: Final = "ClusterTrustBundleAttest"
CERTIFICATE_SUBJECT: Final = "CertificateSubjectRestriction"
DEFAULT_INGRESS_CLASS: Final = "DefaultIngressClass"
LIMIT_ANTI_AFFINITY: Final = "LimitPodHardAntiAffinityTopology"
ALWAYS_PULL: Final = "AlwaysPullImages"
IMAGE_POLICY: Final = "ImagePolicyWebhook"
EVENT_RATE_LIMIT: Final = "EventRateLimit"
POD_NODE_SELECTOR: Final = "PodNodeSelector"
POD_TOLERATIONS: Final = "PodTolerationRestriction"
DENY_EXTERNAL_IPS: Final = "DenyServiceExternalIPs"
POD_TOPOLOGY_LABELS: Final = "PodTopologyLabels"
NODE_FEATURES: Final = "NodeDeclaredFeatureValidator"
POD_RESIZE: Final = "PodResizeValidator"
MUTATING_POLICY: Final = "MutatingAdmissionPolicy"
MUTATING_WEBHOOK: Final = "MutatingAdmissionWebhook"
VALIDATING_POLICY: Final = "ValidatingAdmissionPolicy"
VALIDATING_WEBHOOK: Final = "ValidatingAdmissionWebhook"
RESOURCE_QUOTA: Final = "ResourceQuota"

# In the order in which they are asked.
KNOWN: Final = (
    "AlwaysAdmit",
    AUTO_PROVISION,
    NAMESPACE_LIFECYCLE,
    "NamespaceExists",
    LIMIT_ANTI_AFFINITY,
    LIMIT_RANGER,
    SERVICE_ACCOUNT,
    NODE_RESTRICTION,
    NODE_TAINT,
    ALWAYS_PULL,
    IMAGE_POLICY,
    POD_SECURITY,
    POD_NODE_SELECTOR,
    PRIORITY,
    DEFAULT_TOLERATION_SECONDS,
    POD_TOLERATIONS,
    EVENT_RATE_LIMIT,
    EXTENDED_RESOURCES,
    DEFAULT_STORAGE_CLASS,
    STORAGE_PROTECTION,
    OWNER_REFERENCES,
    CLAIM_RESIZE,
    RUNTIME_CLASS,
    CERTIFICATE_APPROVAL,
    CERTIFICATE_SIGNING,
    TRUST_BUNDLE_ATTEST,
    CERTIFICATE_SUBJECT,
    DEFAULT_INGRESS_CLASS,
    DENY_EXTERNAL_IPS,
    POD_TOPOLOGY_LABELS,
    NODE_FEATURES,
    POD_RESIZE,
    MUTATING_POLICY,
    MUTATING_WEBHOOK,
    VALIDATING_POLICY,
    VALIDATING_WEBHOOK,
    RESOURCE_QUOTA,
    "AlwaysDeny",
)
# Those that are built in here and on unless a flag switches them off.
ON: Final = frozenset(
    (
        NAMESPACE_LIFECYCLE,
        LIMIT_RANGER,
        NODE_TAINT,
        POD_SECURITY,
        POD_TOPOLOGY_LABELS,
        NODE_FEATURES,
        POD_RESIZE,
        PRIORITY,
        DEFAULT_TOLERATION_SECONDS,
        DEFAULT_STORAGE_CLASS,
        STORAGE_PROTECTION,
        CLAIM_RESIZE,
        RUNTIME_CLASS,
        CERTIFICATE_APPROVAL,
        CERTIFICATE_SIGNING,
        TRUST_BUNDLE_ATTEST,
        CERTIFICATE_SUBJECT,
        DEFAULT_INGRESS_CLASS,
        MUTATING_POLICY,
        MUTATING_WEBHOOK,
        VALIDATING_POLICY,
        VALIDATING_WEBHOOK,
        RESOURCE_QUOTA,
    )
)
# Those that are built in here and have to be asked for; first those about pods, services and events.
OF_CORE_KINDS: Final = frozenset(
    (
        LIMIT_ANTI_AFFINITY,
        ALWAYS_PULL,
        IMAGE_POLICY,
        POD_NODE_SELECTOR,
        POD_TOLERATIONS,
        EVENT_RATE_LIMIT,
        DENY_EXTERNAL_IPS,
    )
)
# Differs from upstream: ServiceAccount is off, as the controller that makes accounts has to be asked for, too.
OFF: Final = OF_CORE_KINDS | {
    AUTO_PROVISION,
    SERVICE_ACCOUNT,
    NODE_RESTRICTION,
    OWNER_REFERENCES,
    EXTENDED_RESOURCES,
}
# The operations that upstream asks plugins about; the others about CREATE and UPDATE.
_OPERATIONS: Final = {
    AUTO_PROVISION: frozenset(("CREATE",)),
    NAMESPACE_LIFECYCLE: frozenset(("CREATE", "UPDATE", "DELETE")),
    NODE_RESTRICTION: frozenset(("CREATE", "UPDATE", "DELETE")),
    PRIORITY: frozenset(("CREATE", "UPDATE", "DELETE")),
    MUTATING_POLICY: frozenset(("CREATE", "UPDATE", "CONNECT")),
    **dict.fromkeys(
        (MUTATING_WEBHOOK, VALIDATING_POLICY, VALIDATING_WEBHOOK), frozenset(("CREATE", "UPDATE", "DELETE", "CONNECT"))
    ),
}
_WRITES: Final = frozenset(("CREATE", "UPDATE"))
# Those that do nothing without a configuration.
CONFIGURED: Final = frozenset((IMAGE_POLICY, EVENT_RATE_LIMIT))
# Asking for these changes nothing: they forbid nothing here.
HARMLESS: Final = frozenset(
    (
        "AlwaysAdmit",
        "NamespaceExists",
    )
)


def operations_of(name: str) -> frozenset[str]:
    """Which upstream asks a plugin about."""
    return _OPERATIONS.get(name, _WRITES)


def resolve(enabled: Sequence[str], disabled: Sequence[str]) -> frozenset[str]:
    """Which of the built-in plugins run. Raises ValueError with upstream's texts for unknown names and for those in
    both lists, with one of our own for a plugin that is not built in."""
    for flag, given in (("enable", enabled), ("disable", disabled)):
        for name in given:
            if name not in KNOWN:
                raise ValueError(f'{flag}-admission-plugins plugin "{name}" is unknown')
    both = sorted({*enabled} & {*disabled})
    if both:
        overlap = " ".join(both)
        raise ValueError(f"[{overlap}] in enable-admission-plugins and disable-admission-plugins overlapped")
    missing = ", ".join(name for name in enabled if name not in ON | OFF | HARMLESS)
    if missing:
        raise ValueError(f"--enable-admission-plugins cannot be honoured: nothing here does what {missing} does")
    return (ON | (OFF & {*enabled})) - {*disabled}
