"""What limits a namespace, as resources."""

from __future__ import annotations

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later


def definitions() -> list[Definition]:
    return [_limitranges(), _resourcequotas()]


def _limitranges() -> Definition:
    return later(describe("", "limitranges", "LimitRange", short_names=("limits",)), _load_limit_range)


def _resourcequotas() -> Definition:
    return later(
        describe("", "resourcequotas", "ResourceQuota", has_status=True, short_names=("quota",)),
        _load_resource_quota,
        returns_deleted=True,
    )


def _load_limit_range() -> Behaviour:
    from quarterdeck.registry.builtin.core.limitrange import LimitRangeStrategy, default_limit_range

    return Behaviour(LimitRangeStrategy(namespaced=True), default=default_limit_range)


def _load_resource_quota() -> Behaviour:
    from quarterdeck.registry.builtin.core.resourcequota import (
        ResourceQuotaStatusStrategy,
        ResourceQuotaStrategy,
        default_quota,
    )

    return Behaviour(
        ResourceQuotaStrategy(namespaced=True),
        {"status": ResourceQuotaStatusStrategy(namespaced=True)},
        default=default_quota,
        note=written.note,
    )
