"""Gives aggregated cluster roles the rules of those that they select.

Source: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors, labels
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.requirements import SelectorError
from quarterdeck.controllers import ownwrites
from quarterdeck.controllers.optional.context import ControllerContext, follow
from quarterdeck.controllers.rbac.policy import API_VERSION
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.builtin.rbac.resources import GROUP
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry

MANAGER: Final = "clusterrole-aggregation-controller"
_MARK: Final = b'"aggregationRule"'


def aggregate(role: Object, roles: Iterable[Object]) -> list[Object]:
    """The rules of the roles that `role` selects, each once; of one selector after the other, by name."""
    others = [each for each in roles if each["metadata"]["name"] != role["metadata"]["name"]]
    others.sort(key=lambda each: str(each["metadata"]["name"]))
    found: dict[bytes, Object] = {}
    for selector in _selectors(role):
        for each in others:
            if selector.matches(each["metadata"].get("labels") or {}):
                for rule in each.get("rules") or ():
                    found.setdefault(json_codec.encode(rule), rule)
    return list(found.values())


def aggregate_all(roles: list[Object]) -> None:
    """Give each aggregated role of `roles` its rules, in place; one may select another."""
    aggregated = [role for role in roles if "aggregationRule" in role]
    for _ in aggregated:
        for role in aggregated:
            role["rules"] = aggregate(role, roles) or None


def own_rules(now: str) -> Object:
    """What managedFields tell of a role whose rules are the controller's."""
    return {
        "manager": MANAGER,
        "operation": "Apply",
        "apiVersion": API_VERSION,
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:rules": {}},
    }


def _selectors(role: Object) -> list[labels.Selector]:
    given = (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
    return [labels.from_label_selector(each) for each in given]


class AggregationController(Settling):
    def __init__(self, context: ControllerContext) -> None:
        self._identity = context.identity_of(MANAGER)
        self._scope = context.scope(GROUP, "clusterroles")
        self._labels: dict[str, dict[str, str]] = {}
        self._aggregated: set[str] = set()
        self._knows_all = False
        self.controller = Controller("ClusterRoleAggregator", self.sync, clock=context.clock)

    def take_up(self) -> None:
        if not self.is_settled:
            self._note_all()
            self._enqueue()
        follow(self._scope.store.cache, self._on_role)

    def _note_all(self) -> None:
        self._knows_all = True
        for entry in self._scope.store.cache.state.unordered():
            self._note(entry)

    def _on_role(self, change: Change) -> None:
        if not self._knows_all:
            self._note_all()
        elif change.entry is not None:
            self._note(change.entry)
        elif change.old is not None:
            self._labels.pop(change.old.name, None)
            self._aggregated.discard(change.old.name)
        self._enqueue()

    def _note(self, entry: Entry) -> None:
        """Most have no label that anybody selects; those that have none at all need not be kept."""
        name = entry.name
        is_labelled = b'"labels"' in entry.data
        self._labels[name] = (json_codec.load(entry.data)["metadata"].get("labels") or {}) if is_labelled else {}
        if _MARK in entry.data:
            self._aggregated.add(name)
        else:
            self._aggregated.discard(name)

    def _enqueue(self) -> None:
        """Each of them, as upstream does: one that is aggregated may be selected by another."""
        for name in sorted(self._aggregated):
            self.controller.add(name)

    async def sync(self, name: str) -> None:
        entry = self._scope.store.cache.get("", name)
        if entry is None:
            return
        role = json_codec.load(entry.data)
        if role.get("aggregationRule") is None:
            return
        try:
            rules = aggregate(role, self._select(role))
        except SelectorError:
            return  # nothing makes it a selector but another write
        if rules != (role.get("rules") or []):
            with suppress(errors.NotFound):
                fields = {"rules": rules} if rules else {}
                await ownwrites.apply(self._identity, self._scope, "", name, fields, MANAGER)

    def _select(self, role: Object) -> list[Object]:
        selectors = _selectors(role)
        selected = [name for name, found in self._labels.items() if any(each.matches(found) for each in selectors)]
        entries = [self._scope.store.cache.get("", name) for name in selected]
        return [json_codec.load(entry.data) for entry in entries if entry is not None]
