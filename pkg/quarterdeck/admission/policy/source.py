"""The policies in force, read from the watch cache: what changes is compiled anew when it is first asked for.

Source: apiserver/pkg/admission/plugin/policy/generic/policy_source.go.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from quarterdeck.admission.policy.concerned import Concerned
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.requirements import SelectorError
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

if TYPE_CHECKING:
    # Not at run time: they bring the compiler of expressions, which a server without policies never loads.
    from quarterdeck.admission.policy.compiled import Binding, Policy

P = TypeVar("P", bound="Policy")

_LOG: Final = logging.getLogger(__name__)
_PLACES_MAX: Final = 1024
"""Resources of an operation, of which there are four."""


class _Changes:
    """Which objects of one resource have changed since they were last looked at."""

    def __init__(self, cache: ResourceCache) -> None:
        self.waiting: dict[str, Entry | None] = {entry.path: entry for entry in cache.state.all()}
        cache.listeners.append(self._on_change)

    def _on_change(self, change: Change) -> None:
        """In the feed, which nothing may hold up."""
        if change.entry is not None:
            self.waiting[change.entry.path] = change.entry
        elif change.old is not None:
            self.waiting[change.old.path] = None


class PolicySource(Generic[P]):
    """Policies of one kind with their bindings, in the order of their names. A policy without bindings does nothing."""

    def __init__(
        self,
        policies: ResourceCache,
        bindings: ResourceCache,
        compile_policy: Callable[[dict[str, Any]], P],
        compile_binding: Callable[[dict[str, Any]], Binding],
    ) -> None:
        self._changed_policies = _Changes(policies)
        self._changed_bindings = _Changes(bindings)
        self._compile = compile_policy
        self._compile_binding = compile_binding
        self._policies: dict[str, P] = {}
        self._bindings: dict[str, tuple[str, Binding]] = {}
        self._all: list[tuple[P, list[Binding]]] = []
        self._places: dict[str, dict[str, Concerned[P]]] = {}  # by operation and resource

    def concerning(self, operation: str, resource: str) -> Concerned[P] | None:
        """The policies whose rules may concern an operation on a resource, whatever its group; None where there are
        none."""
        if self._changed_policies.waiting or self._changed_bindings.waiting:
            self._take_changes()
        if not self._all:
            return None
        places = self._places.get(operation)
        if places is None:
            places = self._places[operation] = {}
        found = places.get(resource)
        if found is None:
            if len(places) >= _PLACES_MAX:
                places.clear()
            hooks = [each for each in self._all if each[0].match.may_concern(operation, resource)]
            found = places[resource] = Concerned(hooks)
        return found if found.hooks else None

    def _take_changes(self) -> None:
        for name, entry in self._changed_policies.waiting.items():
            self._policies.pop(name, None)
            if entry is not None and (policy := self._compiled(name, entry)) is not None:
                self._policies[name] = policy
        for name, entry in self._changed_bindings.waiting.items():
            self._bindings.pop(name, None)
            if entry is not None and (binding := self._read_binding(name, entry)) is not None:
                self._bindings[name] = binding
        self._changed_policies.waiting = {}
        self._changed_bindings.waiting = {}
        by_policy: dict[str, list[Binding]] = {}
        for _, (policy_name, bound) in sorted(self._bindings.items()):
            by_policy.setdefault(policy_name, []).append(bound)
        self._all = [(policy, by_policy[name]) for name, policy in sorted(self._policies.items()) if name in by_policy]
        self._places = {}

    def _compiled(self, name: str, entry: Entry) -> P | None:
        try:
            return self._compile(json.load(entry.data))
        except (SelectorError, KeyError):  # only what another program has stored
            _LOG.exception("the policy %s cannot be used", name)
            return None

    def _read_binding(self, name: str, entry: Entry) -> tuple[str, Binding] | None:
        obj = json.load(entry.data)
        try:
            return obj["spec"]["policyName"], self._compile_binding(obj)
        except (SelectorError, KeyError):
            _LOG.exception("the binding %s cannot be used", name)
            return None
