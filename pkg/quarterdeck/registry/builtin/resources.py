"""The built-in resources that are stored, group by group. Each group's package tells its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from quarterdeck.apis.enablement import USUAL, Enablement
from quarterdeck.registry.builtin.admissionregistration import resources as admissionregistration
from quarterdeck.registry.builtin.apiregistration import resources as apiregistration
from quarterdeck.registry.builtin.apps import resources as apps
from quarterdeck.registry.builtin.autoscaling import resources as autoscaling
from quarterdeck.registry.builtin.batch import resources as batch
from quarterdeck.registry.builtin.certificates import resources as certificates
from quarterdeck.registry.builtin.coordination import resources as coordination
from quarterdeck.registry.builtin.core import events
from quarterdeck.registry.builtin.core import resources as core
from quarterdeck.registry.builtin.core.service import resource as service
from quarterdeck.registry.builtin.core.service.allocation import ServiceRanges
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.registry.builtin.discovery import resources as discovery
from quarterdeck.registry.builtin.flowcontrol import resources as flowcontrol
from quarterdeck.registry.builtin.networking import resources as networking
from quarterdeck.registry.builtin.node import resources as node
from quarterdeck.registry.builtin.policy import resources as policy
from quarterdeck.registry.builtin.rbac import resources as rbac
from quarterdeck.registry.builtin.resource import resources as resource
from quarterdeck.registry.builtin.scheduling import resources as scheduling
from quarterdeck.registry.builtin.storage import resources as storage
from quarterdeck.storage.cacher import Cacher

_RANGES: Final = ServiceRanges()


def definitions(
    cacher: Cacher, service_ranges: ServiceRanges = _RANGES, enablement: Enablement = USUAL
) -> list[Definition]:
    """What allocates asks `cacher` for what is taken. `service_ranges`: what services get. `enablement`: which versions
    are served beside those that always are."""
    of_core, before_flows, after_flows, after_resources = _shared()
    usual = [
        *of_core,
        service.definition(cacher, service_ranges),
        *before_flows,
        *flowcontrol.definitions(cacher),
        *after_flows,
        *resource.definitions(cacher),
        *after_resources,
    ]
    if enablement.is_usual:
        return usual
    # Imported late: few servers have them.
    from quarterdeck.registry.builtin import further

    return further.add(usual, enablement)


@cache
def _shared() -> tuple[Sequence[Definition], ...]:
    """Those that ask no cache for anything, in the order in which they are served: around services, around those of
    flow control, behind those of devices."""
    between = (
        *events.definitions(),
        *admissionregistration.definitions(),
        *apiregistration.definitions(),
        *apps.definitions(),
        *autoscaling.definitions(),
        *batch.definitions(),
        *certificates.definitions(),
        *coordination.definitions(),
    )
    behind = (
        *discovery.definitions(),
        *networking.definitions(),
        *node.definitions(),
        *rbac.definitions(),
        *policy.definitions(),
    )
    last = *scheduling.definitions(), *storage.definitions()
    parts = core.definitions(), between, behind, last
    return tuple([each._replace(is_shared=True) for each in part] for part in parts)
