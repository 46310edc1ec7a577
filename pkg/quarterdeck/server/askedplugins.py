"""Wiring of the plugins about pods and services that nobody has unless they ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from quarterdeck.admission import pluginnames
from quarterdeck.admission.assembly import Plugin
from quarterdeck.admission.plugins.antiaffinity import LimitAntiAffinity
from quarterdeck.admission.plugins.externalips import DenyServiceExternalIPs
from quarterdeck.admission.plugins.namespacetolerations import PodTolerationRestriction
from quarterdeck.admission.plugins.nodeselector import PodNodeSelector
from quarterdeck.admission.plugins.pullimages import AlwaysPullImages
from quarterdeck.registry.builtin.core import tolerations
from quarterdeck.registry.builtin.core.podamounts import quality_of_service

_PODS: Final = frozenset([("", "pods")])
_SERVICES: Final = frozenset([("", "services")])


def build(annotations_of: Callable[[str], Mapping[str, str] | None]) -> Mapping[str, Plugin]:
    """By name. `annotations_of` tells those of a namespace, None of one that is not there."""
    images = AlwaysPullImages()
    selector = PodNodeSelector(annotations_of)
    tolerated = PodTolerationRestriction(annotations_of, tolerations.read, quality_of_service)
    plugins = (
        Plugin(pluginnames.LIMIT_ANTI_AFFINITY, _PODS, None, LimitAntiAffinity()),
        Plugin(pluginnames.ALWAYS_PULL, _PODS, images, images),
        Plugin(pluginnames.POD_NODE_SELECTOR, _PODS, selector, selector),
        Plugin(pluginnames.POD_TOLERATIONS, _PODS, tolerated, tolerated),
        Plugin(pluginnames.DENY_EXTERNAL_IPS, _SERVICES, None, DenyServiceExternalIPs()),
    )
    return {plugin.name: plugin for plugin in plugins}
