"""Wiring of the plugins about pods, services and events that nobody has unless they ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from quarterdeck.admission import pluginnames
from quarterdeck.admission.assembly import Plugin
from quarterdeck.admission.plugins.antiaffinity import LimitAntiAffinity
from quarterdeck.admission.plugins.eventlimits import EventRateLimit
from quarterdeck.admission.plugins.externalips import DenyServiceExternalIPs
from quarterdeck.admission.plugins.imagepolicy import ImagePolicy
from quarterdeck.admission.plugins.namespacetolerations import PodTolerationRestriction
from quarterdeck.admission.plugins.nodeselector import PodNodeSelector
from quarterdeck.admission.plugins.pullimages import AlwaysPullImages
from quarterdeck.admission.pluginsettings import ImagePolicySettings, PluginSettings
from quarterdeck.registry.builtin.core import tolerations
from quarterdeck.registry.builtin.core.podamounts import quality_of_service
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.client import post_to

_PODS: Final = frozenset([("", "pods")])
_SERVICES: Final = frozenset([("", "services")])
_EVENTS: Final = frozenset([("", "events")])
_IMAGES_TIMEOUT_S: Final = 30.0


def build(
    annotations_of: Callable[[str], Mapping[str, str] | None], settings: PluginSettings, http: HTTPClient
) -> Mapping[str, Plugin]:
    """By name. `annotations_of` tells those of a namespace, None of one that is not there."""
    images = AlwaysPullImages()
    selector = PodNodeSelector(annotations_of, settings.node_selectors)
    tolerated = PodTolerationRestriction(annotations_of, tolerations.read, quality_of_service, settings.tolerations)
    plugins = (
        Plugin(pluginnames.LIMIT_ANTI_AFFINITY, _PODS, None, LimitAntiAffinity()),
        Plugin(pluginnames.ALWAYS_PULL, _PODS, images, images),
        *_build_image_policy(settings.image_policy, http),
        Plugin(pluginnames.POD_NODE_SELECTOR, _PODS, selector, selector),
        Plugin(pluginnames.POD_TOLERATIONS, _PODS, tolerated, tolerated),
        Plugin(pluginnames.EVENT_RATE_LIMIT, _EVENTS, None, EventRateLimit(settings.event_limits)),
        Plugin(pluginnames.DENY_EXTERNAL_IPS, _SERVICES, None, DenyServiceExternalIPs()),
    )
    return {plugin.name: plugin for plugin in plugins}


def _build_image_policy(settings: ImagePolicySettings | None, http: HTTPClient) -> Iterator[Plugin]:
    """None where it is not asked for: it has settings where it is."""
    if settings is not None:
        remote = settings.remote
        post = partial(post_to, http, remote.target, remote.credentials.headers, timeout_s=_IMAGES_TIMEOUT_S)
        yield Plugin(pluginnames.IMAGE_POLICY, _PODS, None, ImagePolicy(settings, post))
