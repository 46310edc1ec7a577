"""Services as a resource."""

from __future__ import annotations

from functools import partial

from quarterdeck.apis.resource import PROXY_VERBS, GroupVersionKind, Subresource
from quarterdeck.registry.builtin.core.service.allocation import Allocators, ServiceRanges
from quarterdeck.registry.builtin.core.service.families import complete_stored
from quarterdeck.registry.builtin.core.service.fields import default_service
from quarterdeck.registry.builtin.core.service.ranges import own
from quarterdeck.registry.builtin.core.service.strategy import (
    ServiceStatusStrategy,
    ServiceStrategy,
    select_service_fields,
)
from quarterdeck.registry.builtin.definition import Definition, describe
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.storage.cacher import Cacher


def definition(cacher: Cacher, ranges: ServiceRanges) -> Definition:
    """Addresses and ports that are taken are read from what `cacher` holds. `ranges`: the server's own."""
    allocators = Allocators(
        cacher.resource("", "services", select_service_fields),
        cacher.resource("networking.k8s.io", "servicecidrs"),
        cacher.resource("networking.k8s.io", "ipaddresses"),
        own(ranges.addresses),
        ranges.node_ports,
    )
    return Definition(
        describe(
            "",
            "services",
            "Service",
            has_status=True,
            more=(Subresource("proxy", GroupVersionKind("", "v1", "ServiceProxyOptions"), PROXY_VERBS),),
            short_names=("svc",),
            categories=("all",),
        ),
        ServiceStrategy(allocators),
        {"status": ServiceStatusStrategy(), "proxy": BuiltinStrategy(namespaced=True)},
        default=default_service,
        select_fields=select_service_fields,
        selectable=("spec.clusterIP", "spec.type"),
        returns_deleted=True,
        complete_stored=partial(complete_stored, families=allocators.families),
    )
