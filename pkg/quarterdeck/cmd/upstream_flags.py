"""Flags of kube-apiserver 1.36 that are taken and have no effect here, so that a command line written for it starts
this server too (envtest appends whatever its user likes). They are named in one warning; a name that kube-apiserver
does not have stays an error. Who gives a flag a meaning takes it out of this list.

Source: `kube-apiserver --help`; what envtest itself passes: controller-runtime/pkg/internal/testing/controlplane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_GENERIC: Final = """
    advertise-address cors-allowed-origins emulation-forward-compatible enable-priority-and-fairness external-hostname
    feature-gates goaway-chance lease-reuse-duration-seconds livez-grace-period max-mutating-requests-inflight
    max-requests-inflight request-timeout runtime-config runtime-config-emulation-forward-compatible
    shutdown-delay-duration shutdown-send-retry-after shutdown-watch-termination-grace-period
    strict-transport-security-directives
"""
_STORAGE: Final = """
    delete-collection-workers enable-garbage-collector encryption-provider-config
    encryption-provider-config-automatic-reload etcd-cafile etcd-certfile etcd-compaction-interval
    etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-keyfile etcd-prefix
    etcd-readycheck-timeout etcd-servers etcd-servers-overrides storage-backend storage-initialization-timeout
    storage-media-type watch-cache
"""
_SERVING: Final = """
    disable-http2-serving http2-max-streams-per-connection permit-address-sharing permit-port-sharing tls-cipher-suites
    tls-min-version tls-sni-cert-key
"""
_AUDIT: Final = """
    audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait audit-log-batch-throttle-burst
    audit-log-batch-throttle-enable audit-log-batch-throttle-qps audit-log-compress audit-log-format audit-log-maxage
    audit-log-maxbackup audit-log-maxsize audit-log-mode audit-log-path audit-log-truncate-enabled
    audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-log-version audit-policy-file
    audit-webhook-batch-buffer-size audit-webhook-batch-max-size audit-webhook-batch-max-wait
    audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-enable audit-webhook-batch-throttle-qps
    audit-webhook-config-file audit-webhook-initial-backoff audit-webhook-mode audit-webhook-truncate-enabled
    audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size audit-webhook-version
"""
_AUTHENTICATION: Final = """
    authentication-config authentication-token-webhook-cache-ttl authentication-token-webhook-config-file
    authentication-token-webhook-version enable-bootstrap-token-auth oidc-ca-file oidc-client-id oidc-groups-claim
    oidc-groups-prefix oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix
    service-account-extend-token-expiration service-account-lookup service-account-signing-endpoint
"""
_AUTHORIZATION: Final = """
    authorization-config authorization-mode authorization-policy-file authorization-webhook-cache-authorized-ttl
    authorization-webhook-cache-unauthorized-ttl authorization-webhook-config-file authorization-webhook-version
"""
_ADMISSION: Final = """
    admission-control admission-control-config-file disable-admission-plugins enable-admission-plugins
"""
_OBSERVATION: Final = """
    allow-metric-labels allow-metric-labels-manifest contention-profiling debug-socket-path disabled-metrics
    log-flush-frequency log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size log-text-split-stream
    logging-format profiling show-hidden-metrics-for-version tracing-config-file v vmodule
"""
_CLUSTER: Final = """
    aggregator-reject-forwarding-redirects allow-privileged apiserver-count coordinated-leadership-lease-duration
    coordinated-leadership-renew-deadline coordinated-leadership-retry-period egress-selector-config-file
    enable-aggregator-routing enable-logs-handler endpoint-reconciler-type event-ttl kubelet-certificate-authority
    kubelet-client-certificate kubelet-client-key kubelet-preferred-address-types kubelet-timeout
    kubernetes-service-node-port max-connection-bytes-per-sec peer-advertise-ip peer-advertise-port peer-ca-file
    proxy-client-cert-file proxy-client-key-file service-cluster-ip-range service-node-port-range
"""

IGNORED: Final = frozenset(
    " ".join(
        (_GENERIC, _STORAGE, _SERVING, _AUDIT, _AUTHENTICATION, _AUTHORIZATION, _ADMISSION, _OBSERVATION, _CLUSTER)
    ).split()
)


def take_out(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments without ignored flags and their values, and the flags that were taken out, each once.

    Underscores in names of flags count as dashes, as upstream has it (cliflag.WordSepNormalizeFunc).
    """
    kept: list[str] = []
    ignored: dict[str, None] = {}
    is_value = False
    for argument in arguments:
        if not argument.startswith("-"):
            if not is_value:
                kept.append(argument)
            is_value = False
            continue
        flag, equals, value = argument.partition("=")
        if flag.startswith("--"):
            flag = flag.replace("_", "-")
        elif flag.startswith("-v") and flag[2:].isdigit():  # -v4
            flag, equals = "-v", "="
        is_value = flag.lstrip("-") in IGNORED
        if is_value:
            ignored[flag] = None
            is_value = not equals
        else:
            kept.append(flag + equals + value)
    return kept, list(ignored)
