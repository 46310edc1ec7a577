"""Flags of kube-apiserver 1.36 that this server does not have, so that a command line written for it starts this one
too (envtest appends whatever its user likes).

Most have no effect here and are named in one warning. Those that touch security are never passed over: one that cannot
be honoured is refused, unless its value asks for what the server does anyway (refused_flags.py);
tests/unit/cmd/test_flag_classes.py says of each of the others why nothing is less safe without it. A name
that kube-apiserver does not have stays an error. A flag that is given a meaning here leaves these lists.

Source: `kube-apiserver --help`; what envtest itself passes: controller-runtime/pkg/internal/testing/controlplane.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from quarterdeck.cmd.refused_flags import REFUSED, find_refusal

_GENERIC: Final = """
    emulation-forward-compatible
    external-hostname lease-reuse-duration-seconds livez-grace-period
    min-compatibility-version
    runtime-config-emulation-forward-compatible shutdown-delay-duration shutdown-send-retry-after
    shutdown-watch-termination-grace-period
"""
_STORAGE: Final = """
    delete-collection-workers enable-garbage-collector etcd-cafile
    etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval
    etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout etcd-servers etcd-servers-overrides
    storage-backend storage-initialization-timeout storage-media-type
"""
_SERVING: Final = """
    permit-address-sharing permit-port-sharing
"""
_AUTHENTICATION: Final = """
    service-account-extend-token-expiration
"""
_OBSERVATION: Final = """
    contention-profiling debug-socket-path log-flush-frequency log-json-info-buffer-size log-json-split-stream
    log-text-info-buffer-size log-text-split-stream logging-format profiling show-hidden-metrics-for-version v vmodule
"""
_CLUSTER: Final = """
    apiserver-count coordinated-leadership-lease-duration
    coordinated-leadership-renew-deadline coordinated-leadership-retry-period enable-aggregator-routing
    enable-logs-handler event-ttl kubelet-timeout kubernetes-service-node-port
    peer-advertise-ip peer-advertise-port peer-ca-file
"""

IGNORED: Final = frozenset(" ".join((_GENERIC, _STORAGE, _SERVING, _AUTHENTICATION, _OBSERVATION, _CLUSTER)).split())
_FOREIGN: Final = IGNORED | REFUSED


class RefusedFlag(Exception):
    """A flag that the server must not pass over and cannot honour. The text is for the person who gave it."""


def take_out(arguments: Sequence[str], honoured: Set[str] = frozenset()) -> tuple[list[str], list[str]]:
    """The arguments without kube-apiserver's other flags and their values, and the flags that were taken out, each
    once. `honoured`: those that have a meaning this time. Raises RefusedFlag.

    Underscores in names of flags count as dashes, as upstream has it (cliflag.WordSepNormalizeFunc).
    """
    kept: list[str] = []
    taken: dict[str, None] = {}
    waiting = ""  # the flag whose value may come next
    for argument in arguments:
        if not argument.startswith("-") or (waiting and argument == "-"):
            if waiting:
                _check(waiting, argument)
            else:
                kept.append(argument)
            waiting = ""
            continue
        if waiting:
            _check(waiting, None)
        flag, equals, value = _split(argument)
        waiting = ""
        if flag.lstrip("-") not in _FOREIGN - honoured:
            kept.append(flag + equals + value)
            continue
        taken[flag] = None
        if equals:
            _check(flag, value)
        else:
            waiting = flag
    if waiting:
        _check(waiting, None)
    return kept, list(taken)


def _split(argument: str) -> tuple[str, str, str]:
    flag, equals, value = argument.partition("=")
    if flag.startswith("--"):
        return flag.replace("_", "-"), equals, value
    if flag.startswith("-v") and flag[2:].isdigit():  # -v4
        return "-v", "=", flag[2:]
    return flag, equals, value


def _check(flag: str, value: str | None) -> None:
    """`value` None: none was given. Raises RefusedFlag."""
    reason = find_refusal(flag.lstrip("-"), value)
    if reason:
        raise RefusedFlag(f"{flag} cannot be honoured: {reason}")
