"""Wiring of who may do what: the authorizers that flags or a file name, and those of the file when it changes."""

from __future__ import annotations

import logging
import socket
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.authorization import always, configuration
from quarterdeck.authorization.authorizer import Mode
from quarterdeck.authorization.chain import AuthorizerChain, Named
from quarterdeck.authorization.configuration import AuthorizerConfiguration
from quarterdeck.authorization.rbac.authorizer import RBACAuthorizer
from quarterdeck.authorization.rbac.resolver import Caches, Resolver
from quarterdeck.metrics.registry import Registry
from quarterdeck.registry.builtin.rbac.resources import GROUP as RBAC
from quarterdeck.registry.scope import Builtin
from quarterdeck.server.config import Config, ConfigError
from quarterdeck.server.reload import FileWatch
from quarterdeck.transport.client.pool import HTTPClient

if TYPE_CHECKING:
    from quarterdeck.authorization.configfile import Configuration
    from quarterdeck.authorization.webhook.authorizer import WebhookAuthorizer
    from quarterdeck.authorization.webhook.conditions import Condition
    from quarterdeck.authorization.webhook.metrics import WebhookMetrics
    from quarterdeck.server.configmetrics import ConfigMetrics

_LOG: Final = logging.getLogger(__name__)
_NODE_ROLE: Final = "system:node"
# What a file can name only if it did when the server started.
_OF_THE_START: Final = (configuration.NODE, configuration.ABAC, configuration.RBAC)


def build_resolver(served: Builtin) -> Resolver:
    names = ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
    return Resolver(Caches(*(served[RBAC, "v1", name][""].store.cache for name in names)))


def admits_anonymous(config: Config) -> bool:
    """Upstream takes no requests without credentials where flags allow everything to everybody."""
    if not config.is_anonymous_allowed:
        return False
    if all(each.type != configuration.ALWAYS_ALLOW for each in config.authorizers):
        return True
    _LOG.warning(
        "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should "
        "use a different authorizer"
    )
    return False


class Authorization:
    """`chain` is what is asked; `file_watches` keep it as new as its file. `http` is what webhooks are called with."""

    def __init__(self, config: Config, served: Builtin, metrics: Registry, http: HTTPClient) -> None:
        """Raises ConfigError."""
        self._served = served
        self._metrics = metrics
        self._http = http
        self._policy_file = config.authorization_policy_file
        self._features = config.enablement.features
        self._is_started = False
        self.resolver = build_resolver(served)
        self.chain = AuthorizerChain(metrics)
        self.file_watches: list[FileWatch] = []
        self._kept: dict[str, Mode] = {}  # by type: those that are not made anew when the file changes
        self._webhook_metrics: WebhookMetrics | None = None
        # Of the file: what was read last, and what is in force.
        self._taken: tuple[bytes, tuple[AuthorizerConfiguration, ...]] = b"", ()
        try:
            if config.authorization_config is None:
                self.chain.replace(self._build(config.authorizers, {}))
            else:
                self._take_file(config.authorization_config)
        except ValueError as error:
            raise ConfigError(str(error)) from error
        self._is_started = True

    def _take_file(self, path: Path) -> None:
        from quarterdeck.authorization import configfile
        from quarterdeck.controllers.identitylease import build_name
        from quarterdeck.server.configmetrics import ConfigMetrics

        try:
            data = path.read_bytes()
        except OSError as error:
            raise ConfigError(f"cannot read --authorization-config {path}: {error.strerror}") from error
        found = configfile.load(data)
        self.chain.replace(self._build(found.authorizers, found.conditions))
        self._taken = data, found.authorizers
        required = frozenset(self._kept)
        counts = ConfigMetrics(self._metrics, "authorization", build_name(socket.gethostname()))
        counts.note(data)
        self.file_watches.append(FileWatch([path], partial(self._reload, path, required, counts)))

    def _reload(self, path: Path, required: frozenset[str], counts: ConfigMetrics) -> None:
        """Raises OSError, ValueError; the authorizers stay as they were then, as they do where nothing changes."""
        from quarterdeck.authorization import configfile

        try:
            data = path.read_bytes()
            if data == self._taken[0]:
                return
            self._taken = data, self._taken[1]
            found: Configuration = configfile.load(data, required)
            if found.authorizers == self._taken[1]:
                return
            made = self._build(found.authorizers, found.conditions)
        except (OSError, ValueError):
            counts.count_failure()
            raise
        self.chain.replace(made)
        self._taken = data, found.authorizers
        counts.count_success(data)

    def _build(
        self, configured: Sequence[AuthorizerConfiguration], conditions: Mapping[str, Sequence[Condition]]
    ) -> list[Named]:
        return [self._name(each, conditions) for each in configured]

    def _name(self, configured: AuthorizerConfiguration, conditions: Mapping[str, Sequence[Condition]]) -> Named:
        if configured.webhook is not None:
            webhook = self._build_webhook(configured, conditions.get(configured.name, ()))
            return Named(configured.type, configured.name, webhook, webhook.tell)
        return Named(configured.type, configured.name, self._find(configured))

    def _find(self, configured: AuthorizerConfiguration) -> Mode:
        found = self._kept.get(configured.type)
        if found is None:
            if self._is_started and configured.type in _OF_THE_START:
                raise ValueError(
                    f"authorizer type {configured.type} is not allowed if it was not enabled at initial server startup"
                )
            found = self._kept[configured.type] = self._make(configured.type)
        return found

    def _make(self, mode: str) -> Mode:
        if mode == configuration.RBAC:
            return RBACAuthorizer(self.resolver)
        if mode == configuration.NODE:
            return _build_node_authorizer(self._served, self._features)
        if mode == configuration.ABAC:
            return _build_abac_authorizer(self._policy_file)
        return always.AlwaysAllow() if mode == configuration.ALWAYS_ALLOW else always.AlwaysDeny()

    def _build_webhook(self, configured: AuthorizerConfiguration, conditions: Sequence[Condition]) -> WebhookAuthorizer:
        """Raises BadKubeconfig."""
        from quarterdeck.authorization.webhook.authorizer import WebhookAuthorizer
        from quarterdeck.authorization.webhook.metrics import WebhookMetrics
        from quarterdeck.webhook import kubeconfig
        from quarterdeck.webhook.client import post_to

        settings = configured.webhook
        assert settings is not None
        if self._webhook_metrics is None:
            self._webhook_metrics = WebhookMetrics(self._metrics)
        remote = kubeconfig.load(settings.kubeconfig)
        post = partial(post_to, self._http, remote.target, remote.credentials.headers)
        return WebhookAuthorizer(configured.name, settings, conditions, post, self._webhook_metrics)


def _build_abac_authorizer(path: str) -> Mode:
    """Raises BadFile."""
    from quarterdeck.authorization.abac import policies
    from quarterdeck.authorization.abac.authorizer import ABACAuthorizer

    return ABACAuthorizer(policies.load(path))


def _build_node_authorizer(served: Builtin, features: Collection[str]) -> Mode:
    """It reads all pods and volumes at once: start has not ended yet."""
    from quarterdeck.authorization.node.authorizer import NodeAuthorizer
    from quarterdeck.authorization.node.following import Caches as NodeCaches
    from quarterdeck.authorization.node.following import Following
    from quarterdeck.authorization.node.graph import Graph
    from quarterdeck.controllers.rbac import policy

    graph = Graph()
    pods, volumes = (served["", "v1", name][""].store.cache for name in ("pods", "persistentvolumes"))
    attachments = served["storage.k8s.io", "v1", "volumeattachments"][""].store.cache
    slices = served["resource.k8s.io", "v1", "resourceslices"][""].store.cache
    Following(graph, NodeCaches(pods, volumes, attachments, slices))
    roles = policy.read(features)
    rules = next(role["rules"] for role in roles if role["metadata"]["name"] == _NODE_ROLE)
    return NodeAuthorizer(graph, rules)
