"""Wiring of faults: the rules, the two places around requests, and the client of webhooks. Loaded where asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quarterdeck.endpoints.faults.application import FaultyApplication
from quarterdeck.endpoints.faults.filter import FaultFilter, Places
from quarterdeck.endpoints.faults.path import FaultsPath
from quarterdeck.faults import parsing
from quarterdeck.faults.reading import BadRule
from quarterdeck.faults.ruleset import RuleSet
from quarterdeck.server.config import ConfigError
from quarterdeck.transport.client.failures import DEADLINE, CallFailed
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.messages import Application
from quarterdeck.webhook import client as webhook


def build_rules(file: Path | None, step: Callable[[float], None] | None) -> RuleSet:
    """`step`: see RuleSet. Raises ConfigError."""
    rules = RuleSet()
    rules.step = step
    if file is not None:
        try:
            rules.put(parsing.load(file, rules.name))
        except BadRule as error:
            raise ConfigError(f"--fault-rules-file: {error}") from error
    return rules


class Faults:
    """`revision`: see FaultFilter. `rules` outlive it."""

    def __init__(self, rules: RuleSet, revision: Callable[[], int]) -> None:
        rules.revision = revision
        self._rules = rules
        self._places = Places()
        self.filter = FaultFilter(rules, self._places, revision)
        self.path = FaultsPath(rules)

    def wrap(self, application: Application) -> Application:
        return FaultyApplication(application, self._rules, self._places)

    def build_webhook_client(self, http: HTTPClient, resolve: webhook.ServiceResolver) -> webhook.WebhookClient:
        return _FaultyWebhookClient(http, resolve, self._rules)


class _FaultyWebhookClient(webhook.WebhookClient):
    def __init__(self, http: HTTPClient, resolve: webhook.ServiceResolver, rules: RuleSet) -> None:
        super().__init__(http, resolve)
        self._rules = rules

    async def ask(self, call: webhook.Call) -> bytes:
        target = call.target
        rule = self._rules.choose_for_webhook(f"{webhook.scheme_of(target)}://{target.authority}{target.path}")
        if rule is not None:
            rule.fired += 1
            raise webhook.describe(CallFailed(DEADLINE), call)
        return await super().ask(call)
