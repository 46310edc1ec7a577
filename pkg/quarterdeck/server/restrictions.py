"""Wiring of plugins that have to be asked for: what nodes write, who owns what, what pods may, missing namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.admission import pluginnames
from quarterdeck.admission.assembly import Plugin
from quarterdeck.admission.attributes import Attributes as Write
from quarterdeck.admission.chain import Chain
from quarterdeck.admission.namespacemetadata import NamespaceMetadata
from quarterdeck.apiextensions.served import ServedDefinitions
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.controllers import defaultnamespaces
from quarterdeck.endpoints.filters.authorization import forbidden
from quarterdeck.registry.identity import LOOPBACK, Identity
from quarterdeck.registry.scope import Builtin, Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarterdeck.admission.plugins.autoprovision import NamespaceAutoProvision
    from quarterdeck.admission.plugins.ownerreferences import AccessRequest
    from quarterdeck.server.config import Config
    from quarterdeck.transport.client.pool import HTTPClient

_REQUEST_TOKENS = "request-serviceaccounts-token-audience"
_DEVICE_CLAIMS: Final = frozenset([("resource.k8s.io", "resourceclaims")])


class AskedFor:
    """The plugins of some names, those that are asked for."""

    def __init__(
        self, plugins: Mapping[str, Plugin], provision: NamespaceAutoProvision | None, served: Builtin
    ) -> None:
        self._plugins = plugins
        self._provision = provision
        self._namespaces = served["", "v1", "namespaces"][""]

    def __call__(self, *names: str) -> tuple[Plugin, ...]:
        return tuple(self._plugins[name] for name in names if name in self._plugins)

    def complete(self, chain: Chain) -> None:
        """What a plugin itself writes goes through the whole chain."""
        if self._provision is not None:
            self._provision.create = partial(defaultnamespaces.create, Identity(chain, LOOPBACK), self._namespaces)


def build(
    served: Builtin,
    definitions: ServedDefinitions,
    namespaces: NamespaceMetadata,
    config: Config,
    authorizer: Callable[[], Authorizer],
    http: HTTPClient,
) -> AskedFor:
    """`authorizer` is called when there are requests, `http` calls the webhook that judges images."""
    enabled = config.admission_plugins
    plugins: dict[str, Plugin] = {}
    provision = None
    if pluginnames.NODE_RESTRICTION in enabled:
        plugins[pluginnames.NODE_RESTRICTION] = _build_node_restriction(served, authorizer)
    if pluginnames.OWNER_REFERENCES in enabled:
        plugins[pluginnames.OWNER_REFERENCES] = _build_owner_references(served, definitions, authorizer)
    if pluginnames.OF_CORE_KINDS & enabled:
        from quarterdeck.server import askedplugins

        plugins |= askedplugins.build(namespaces.annotations_of, config.admission_settings, http)
    if pluginnames.AUTO_PROVISION in enabled:
        from quarterdeck.admission.plugins.autoprovision import NamespaceAutoProvision

        provision = NamespaceAutoProvision(served["", "v1", "namespaces"][""].store.cache)
        plugins[pluginnames.AUTO_PROVISION] = Plugin(pluginnames.AUTO_PROVISION, None, provision)
    return AskedFor(plugins, provision, served)


def _build_node_restriction(served: Builtin, authorizer: Callable[[], Authorizer]) -> Plugin:
    from quarterdeck.admission.plugins.noderestriction import RESOURCES, Lookups, NodeRestriction
    from quarterdeck.admission.plugins.nodetokens import VolumeLookups
    from quarterdeck.authorization.node.identity import node_of

    def find(group: str, resource: str) -> Callable[[str, str], dict[str, Any] | None]:
        return partial(find_object, served[group, "v1", resource][""])

    lookups = Lookups(
        find("", "pods"),
        find("", "nodes"),
        VolumeLookups(
            find("", "persistentvolumeclaims"), find("", "persistentvolumes"), find("storage.k8s.io", "csidrivers")
        ),
        partial(_may_request, authorizer),
    )
    return Plugin(pluginnames.NODE_RESTRICTION, RESOURCES, NodeRestriction(node_of, lookups))


def build_status_access(authorizer: Callable[[], Authorizer]) -> Plugin:
    """Of claims of devices; what looks at them is loaded with the first write of one."""
    return Plugin("", _DEVICE_CLAIMS, _LateStatusAccess(partial(_refuse, authorizer)))


class _LateStatusAccess:
    def __init__(self, refuse: Callable[[User, Attributes], str]) -> None:
        self._refuse = refuse

    def admit(self, write: Write) -> None:
        from quarterdeck.registry.builtin.resource.statusaccess import StatusAccess

        StatusAccess(self._refuse).admit(write)


def _refuse(authorizer: Callable[[], Authorizer], user: User, asked: Attributes) -> str:
    is_allowed, reason, error = _decide(authorizer, user, asked)
    if is_allowed:
        return ""
    return forbidden(user, asked, ": ".join(each for each in (error, reason) if each)).message


def _build_owner_references(
    served: Builtin, definitions: ServedDefinitions, authorizer: Callable[[], Authorizer]
) -> Plugin:
    from quarterdeck.admission.plugins.ownerreferences import OwnerReferences
    from quarterdeck.server.params import Params

    kinds = Params(served, definitions)

    def find_resource(api_version: str, kind: str) -> tuple[str, bool] | None:
        found = kinds.find_resource(api_version, kind)
        return None if found is None else (found.name, found.namespaced)

    plugin = OwnerReferences(partial(_decide_wanted, authorizer), find_resource)
    return Plugin(pluginnames.OWNER_REFERENCES, None, None, plugin)


def _may_request(
    authorizer: Callable[[], Authorizer], user: User, namespace: str, name: str, audience: str
) -> tuple[bool, str]:
    asked = Attributes(_REQUEST_TOKENS, "", "v1", audience, namespace=namespace, name=name)
    is_allowed, _, error = _decide(authorizer, user, asked)
    return is_allowed, error


def _decide(authorizer: Callable[[], Authorizer], user: User, asked: Attributes) -> tuple[bool, str, str]:
    found = authorizer().authorize(user, asked)
    return found.is_allowed, found.reason, found.error


def _decide_wanted(authorizer: Callable[[], Authorizer], user: User, wanted: AccessRequest) -> tuple[bool, str, str]:
    return _decide(authorizer, user, Attributes(*wanted))


def find_object(scope: Scope, namespace: str, name: str) -> dict[str, Any] | None:
    """As the cache has it; None: there is none."""
    entry = scope.store.cache.get(namespace, name)
    return None if entry is None else json_codec.load(entry.data)
