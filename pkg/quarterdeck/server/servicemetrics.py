"""How many addresses and node ports services have, and how often they got some.

Differs from upstream: there is no allocation_duration_seconds, and the gauges tell of now.

Source: pkg/registry/core/service/{ipallocator,portallocator}/metrics.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from quarterdeck.metrics.registry import LabelValues, Read, Registry, read_one
from quarterdeck.registry.builtin.core.service.allocation import Allocators
from quarterdeck.registry.builtin.core.service.strategy import ServiceHooks
from quarterdeck.registry.scope import Builtin

_ADDRESSES = "kube_apiserver_clusterip_allocator_"
_PORTS = "kube_apiserver_nodeport_allocator_"


def register(registry: Registry, served: Builtin) -> None:
    def find() -> Allocators:
        """Not before somebody asks: services may not have been built yet."""
        hooks = served["", "v1", "services"][""].strategy.hooks
        assert isinstance(hooks, ServiceHooks)
        return hooks.allocators

    _register_addresses(registry, find)
    _register_ports(registry, find)


def _register_addresses(registry: Registry, find: Callable[[], Allocators]) -> None:
    by_range, by_scope = ("cidr",), ("cidr", "scope")

    def read(*, is_free: bool) -> Read:
        return lambda: _count_addresses(find(), is_free=is_free)

    text = "[ALPHA] Gauge measuring the number of"
    registry.read_gauge(
        _ADDRESSES + "allocated_ips", f"{text} allocated IPs for Services", read(is_free=False), by_range
    )
    registry.read_gauge(
        _ADDRESSES + "available_ips", f"{text} available IPs for Services", read(is_free=True), by_range
    )
    registry.read_counter(
        _ADDRESSES + "allocation_total",
        "[ALPHA] Number of Cluster IPs allocations",
        lambda: _each(find().address_counts.given),
        by_scope,
    )
    registry.read_counter(
        _ADDRESSES + "allocation_errors_total",
        "[ALPHA] Number of errors trying to allocate Cluster IPs",
        lambda: _each(find().address_counts.refused),
        by_scope,
    )


def _register_ports(registry: Registry, find: Callable[[], Allocators]) -> None:
    text = "[ALPHA] Gauge measuring the number of"
    registry.read_gauge(
        _PORTS + "allocated_ports",
        f"{text} allocated NodePorts for Services",
        read_one(lambda: _count_ports(find())),
    )
    registry.read_gauge(
        _PORTS + "available_ports",
        f"{text} available NodePorts for Services",
        read_one(lambda: len(find().port_range) - _count_ports(find())),
    )
    registry.read_counter(
        _PORTS + "allocation_total",
        "[ALPHA] Number of NodePort allocations",
        lambda: [((scope,), count) for (_, scope), count in find().port_counts.given.items()],
        ("scope",),
    )
    registry.read_counter(
        _PORTS + "allocation_errors_total",
        "[ALPHA] Number of errors trying to allocate NodePort",
        lambda: [((scope,), count) for (_, scope), count in find().port_counts.refused.items()],
        ("scope",),
    )


def _each(counts: Counter[tuple[str, str]]) -> list[tuple[LabelValues, float]]:
    return list(counts.items())


def _count_addresses(allocators: Allocators, *, is_free: bool) -> Iterator[tuple[LabelValues, float]]:
    ranges = [each for family in allocators.families for each in allocators.ranges(family)]
    held = allocators.addresses
    for each in ranges:
        # Where there is one range all are of it, and none has to be looked at.
        taken = len(held) if len(ranges) == 1 else sum(address in each for address in held)
        yield (each.text,), len(each) - taken if is_free else taken


def _count_ports(allocators: Allocators) -> int:
    """Those of the range: services may have kept others from when it was another one."""
    return sum(int(port) in allocators.port_range for port in allocators.node_ports)
