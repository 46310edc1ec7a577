"""Wiring of auditing: the policy, the backends, and the filters that meet requests. Loaded where it is asked for.

Source: apiserver/pkg/server/options/audit.go (ApplyTo).
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final, NamedTuple

from quarterdeck.audit import settings
from quarterdeck.audit.failures import Failures
from quarterdeck.audit.logbackend import LineWriter, LogBackend
from quarterdeck.audit.metrics import AuditMetrics
from quarterdeck.audit.policyfile import PolicyError, load
from quarterdeck.audit.rotation import RotatedFile, RotationLimits
from quarterdeck.audit.settings import AuditSettings, LogSettings, WebhookSettings
from quarterdeck.audit.sinks import Backend, Backends
from quarterdeck.audit.standardout import StandardOut
from quarterdeck.audit.webhookbackend import WebhookBackend
from quarterdeck.audit.webhookpost import WebhookPost
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.endpoints.filters.auditing import (
    AuditFilter,
    Auditor,
    AuthorizationAudit,
    Filter,
    ImpersonationAudit,
    RefusalAudit,
)
from quarterdeck.endpoints.filters.impersonation import ImpersonationFilter
from quarterdeck.endpoints.large_bodies import LargeBodies
from quarterdeck.metrics.registry import Registry
from quarterdeck.server.config import ConfigError
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.kubeconfig import BadKubeconfig, Remote
from quarterdeck.webhook.kubeconfig import load as load_kubeconfig

_LOG: Final = logging.getLogger(__name__)
_MIB: Final = 1024 * 1024


class Auditing(NamedTuple):
    """`auditor` None: nothing is recorded, for want of a policy or a place. `http` is what a webhook is called with."""

    auditor: Auditor | None
    backends: Backends
    http: HTTPClient

    async def close(self) -> None:
        """Return when every event is where it belongs, or nobody waits for that any longer."""
        await self.backends.close()
        self.http.close()

    def notes_large_bodies(self, authentication: Filter) -> LargeBodies | None:
        return LargeBodies(self.auditor, authentication) if self.auditor is not None else None

    def around(
        self,
        early: tuple[Filter, ...],
        impersonation: ImpersonationFilter,
        flow_control: Filter,
        authorization: Filter,
        authorizer: Authorizer,
    ) -> tuple[Filter, ...]:
        """The filters in order: those up to authentication are `early`."""
        if self.auditor is None:
            return (*early, impersonation, flow_control, authorization)
        return (
            *(RefusalAudit(each, self.auditor) for each in early),
            AuditFilter(self.auditor),
            ImpersonationAudit(impersonation, impersonation.last_constraint),
            flow_control,
            AuthorizationAudit(authorization, authorizer),
        )


def build(asked: AuditSettings, registry: Registry) -> Auditing:
    """Raises ConfigError."""
    metrics = AuditMetrics(registry)
    policy = None
    if asked.policy_file is not None:
        try:
            policy = load(asked.policy_file)
        except PolicyError as error:
            raise ConfigError(f"loading audit policy file: {error}") from error
    failures = Failures(metrics.count_failures)
    backends: list[Backend] = []
    if asked.log is not None:
        writer = _open_log(asked.log)
        if policy is not None:
            is_legacy = asked.log.format == settings.LEGACY
            backends.append(LogBackend(writer, asked.log.delivery, failures, is_legacy=is_legacy))
        else:
            writer.close()
            _LOG.warning("no --audit-policy-file is given: nothing is written to the audit log")
    http = HTTPClient()
    if asked.webhook is not None:
        post = WebhookPost(http, _load_remote(asked.webhook))
        if policy is not None:
            backends.append(WebhookBackend(post, asked.webhook.delivery, asked.webhook.initial_backoff_s, failures))
        else:
            _LOG.warning("no --audit-policy-file is given: nothing is sent to the audit webhook")
    if policy is not None and not backends:
        _LOG.warning("an audit policy is given, but neither --audit-log-path nor --audit-webhook-config-file")
    union = Backends(backends, metrics)
    auditor = Auditor(policy, union, metrics) if policy is not None and backends else None
    return Auditing(auditor, union, http)


def _load_remote(asked: WebhookSettings) -> Remote:
    try:
        return load_kubeconfig(asked.config_file)
    except BadKubeconfig as error:
        raise ConfigError(f"initializing audit webhook: {error}") from error


def _open_log(asked: LogSettings) -> LineWriter:
    if asked.path == "-":
        return StandardOut()
    keeping = RotationLimits(asked.size_max_mib * _MIB, asked.age_max_days, asked.backups_max, asked.is_compressed)
    try:
        return RotatedFile(Path(asked.path), keeping)
    except OSError as error:
        raise ConfigError(f"--audit-log-path: cannot write {error.filename}: {error.strerror}") from error
