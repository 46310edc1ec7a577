"""What plugins of admission are told by the file of --admission-control-config-file and by flags of their own; without
them, the defaults.

server/admissionconfig reads it. Source: the types of upstream's plugins, named there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarterdeck.admission.podsecurity.levels import Policy

if TYPE_CHECKING:  # loaded where a file names them
    from quarterdeck.webhook.kubeconfig import Remote
    from quarterdeck.webhook.users import Users

Object = dict[str, Any]


class PodSecuritySettings(NamedTuple):
    """`defaults` hold where labels of a namespace do not say otherwise; the others are exempt."""

    defaults: Policy = Policy()
    users: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    runtime_classes: frozenset[str] = frozenset()


class TolerationSettings(NamedTuple):
    """Tolerations for namespaces whose annotations tell none; `allowed` empty: all are."""

    default: tuple[Object, ...] = ()
    allowed: tuple[Object, ...] = ()


class EventLimit(NamedTuple):
    """So many events of a kind (Server, Namespace, User, SourceAndObject): `burst` at once, `per_s` in the long run.
    The counts of `keys_max` namespaces, users or sources are kept."""

    kind: str
    per_s: int
    burst: int
    keys_max: int


class ImagePolicySettings(NamedTuple):
    """The webhook that judges images, how long its verdicts hold, how long after a failure it is asked again first, and
    whether pods are let in where it cannot be asked."""

    remote: Remote
    allowed_s: float
    denied_s: float
    delay_s: float
    is_open: bool


class LimitedResource(NamedTuple):
    """What nobody uses without a quota that covers it: amounts whose names have one of the texts of `contains` in them,
    of objects of a resource; and pods and claims that are in one of the `scopes`."""

    group: str
    resource: str
    contains: tuple[str, ...]
    scopes: tuple[Object, ...]


class PluginSettings(NamedTuple):
    """`node_selectors`: texts by namespace, and under `clusterDefaultNodeSelector` that of the others. `mutating_users`
    and `validating_users`: as whom webhooks are called, None for nobody. `default_toleration_s`: how long pods tolerate
    that their node is not ready, and that it is not reached."""

    pod_security: PodSecuritySettings = PodSecuritySettings()
    node_selectors: Mapping[str, str] = {}
    tolerations: TolerationSettings = TolerationSettings()
    event_limits: tuple[EventLimit, ...] = ()
    image_policy: ImagePolicySettings | None = None
    limited_resources: tuple[LimitedResource, ...] = ()
    mutating_users: Users | None = None
    validating_users: Users | None = None
    default_toleration_s: tuple[int, int] = (300, 300)


DEFAULT: Final = PluginSettings()
