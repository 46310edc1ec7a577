"""Wiring of the filters: all that a request passes before somebody works on it, in upstream's order.

Source: apiserver/pkg/server/config.go (DefaultBuildHandlerChain).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from quarterdeck.endpoints.application import Filter
from quarterdeck.endpoints.filters.authentication import AuthenticationFilter
from quarterdeck.endpoints.filters.authorization import AuthorizationFilter
from quarterdeck.endpoints.filters.deadline import DeadlineFilter
from quarterdeck.endpoints.filters.impersonation import ImpersonationFilter
from quarterdeck.endpoints.filters.impersonation_metrics import ImpersonationMetrics
from quarterdeck.endpoints.filters.insecure import check_insecure
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.metrics.registry import Registry
from quarterdeck.server import instruments
from quarterdeck.server.access import Access
from quarterdeck.server.config import Config
from quarterdeck.transport.messages import Request

if TYPE_CHECKING:  # loaded where something is audited
    from quarterdeck.server.audit import Auditing


def build_auditing(config: Config, metrics: Registry) -> Auditing | None:
    """None: nothing is audited. Raises ConfigError, so that it is called before anything is open that would have to be
    closed."""
    if config.audit is None:
        return None
    from quarterdeck.server import audit

    return audit.build(config.audit, metrics)


class FilterChain(NamedTuple):
    """`large_body_refused` is told of what the transport refuses."""

    filters: tuple[Filter, ...]
    large_body_refused: Callable[[Request], None] | None = None


def build(
    config: Config,
    access: Access,
    auditing: Auditing | None,
    metrics: Registry,
    requests: RequestMetrics,
    flow_control: Filter,
    known: tuple[Filter, ...],
) -> FilterChain:
    """`known`: filters that come when it is known who asks."""
    deadline = DeadlineFilter(config.request_timeout_s)
    authentication = AuthenticationFilter(access.authenticator, instruments.time_authentication(metrics))
    impersonation = ImpersonationFilter(access.authorizer, ImpersonationMetrics(metrics))
    authorization = AuthorizationFilter(access.authorizer, instruments.time_authorization(metrics))
    instruments.register_gates(metrics, requests, authentication, lambda: impersonation.refusals, authorization)
    early: tuple[Filter, ...] = (check_insecure, deadline, authentication, *known)
    if auditing is None:
        return FilterChain((*early, impersonation, flow_control, authorization))
    return FilterChain(
        auditing.around(early, impersonation, flow_control, authorization, access.authorizer),
        auditing.notes_large_bodies(authentication),
    )
