"""Every flag of kube-apiserver 1.36 is of one class: honoured, refused, or without effect for a reason told here.

A flag that touches security is never taken and passed over. The names are those that `kube-apiserver --help` prints.
"""

from __future__ import annotations

import argparse

from quarterdeck.cmd import options, upstream_flags

# What nothing is less safe without, and why.
WITHOUT_EFFECT = {
    "there is no etcd, and so no connection to it that could be unsafe": """
        etcd-cafile etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval
        etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout etcd-servers etcd-servers-overrides
        lease-reuse-duration-seconds storage-backend storage-initialization-timeout""",
    "kubelets are only called for clients, who wait as long as they like": "kubelet-timeout",
    "no peer is called, and services are always called at their endpoints": """
        apiserver-count coordinated-leadership-lease-duration coordinated-leadership-renew-deadline
        coordinated-leadership-retry-period enable-aggregator-routing peer-advertise-ip peer-advertise-port
        peer-ca-file""",
    "what it would open is never open: profiles, logs and metrics of the process": """
        contention-profiling debug-socket-path enable-logs-handler profiling show-hidden-metrics-for-version""",
    "what it would switch off or limit is not there: shared ports, longer lives of tokens": """
        permit-address-sharing permit-port-sharing
        service-account-extend-token-expiration""",
    "what is told to clients, or counted and logged": """
        external-hostname log-flush-frequency log-json-info-buffer-size log-json-split-stream
        log-text-info-buffer-size log-text-split-stream logging-format v vmodule""",
    "how the server works inside, or ends": """
        delete-collection-workers emulation-forward-compatible enable-garbage-collector event-ttl
        kubernetes-service-node-port livez-grace-period min-compatibility-version
        runtime-config-emulation-forward-compatible shutdown-delay-duration
        shutdown-send-retry-after shutdown-watch-termination-grace-period storage-media-type""",
    "lets in fewer than it would": "enable-bootstrap-token-auth",
}

# What decides who may do what, what others may read, and what is written down of it: honoured or refused.
SECURITY_TEXT = """
    aggregator-reject-forwarding-redirect proxy-client-cert-file proxy-client-key-file
    admission-control admission-control-config-file allow-privileged anonymous-auth api-audiences audit-log-path
    audit-policy-file audit-webhook-config-file authentication-config authentication-token-webhook-config-file
    authorization-config authorization-mode authorization-policy-file authorization-webhook-config-file bind-address
    cert-dir client-ca-file cors-allowed-origins disable-admission-plugins egress-selector-config-file
    enable-admission-plugins encryption-provider-config oidc-ca-file oidc-client-id oidc-groups-claim
    oidc-groups-prefix oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim
    oidc-username-prefix requestheader-allowed-names requestheader-client-ca-file requestheader-extra-headers-prefix
    requestheader-group-headers requestheader-uid-headers requestheader-username-headers secure-port
    service-account-issuer service-account-jwks-uri service-account-key-file service-account-lookup
    service-account-max-token-expiration service-account-signing-endpoint service-account-signing-key-file
    strict-transport-security-directives tls-cert-file tls-cipher-suites tls-curve-preferences tls-min-version
    tls-private-key-file tls-sni-cert-key token-auth-file
"""
SECURITY = frozenset(SECURITY_TEXT.split())


def honoured() -> set[str]:
    commands = next(each for each in options.build_parser()._actions if isinstance(each, argparse._SubParsersAction))
    return {name[2:] for action in commands.choices["serve"]._actions for name in action.option_strings}


def test_what_touches_security_is_honoured_or_refused() -> None:
    assert not SECURITY & upstream_flags.IGNORED
    assert honoured() | upstream_flags.REFUSED >= SECURITY
    assert not honoured() & upstream_flags.REFUSED


def test_of_what_is_passed_over_a_reason_is_known() -> None:
    explained = {flag for flags in WITHOUT_EFFECT.values() for flag in flags.split()}
    assert explained >= upstream_flags.IGNORED
    assert not explained & SECURITY
