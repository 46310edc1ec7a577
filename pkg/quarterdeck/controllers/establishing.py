"""Establishes a definition whose names are accepted: from then on it stays served.

Upstream waits five seconds where several servers share a store; one server needs no wait.
Source: apiextensions-apiserver/pkg/controller/establish/establishing_controller.go.
"""

from __future__ import annotations

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.conversion_client import has_bad_bundle
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Clock, Controller


class EstablishingController:
    def __init__(self, definitions: Definitions, clock: Clock | None = None) -> None:
        self._definitions = definitions
        self.controller = Controller("crdEstablishing", self.sync, clock=clock)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None or not _is_due(definition):
            return
        wanted = _judge(definition)
        if not conditions.says_the_same(conditions.find(definition, conditions.ESTABLISHED), wanted):
            await self._definitions.set_conditions(definition, wanted)


def _judge(definition: Definition) -> conditions.Condition:
    if has_bad_bundle(definition):
        return conditions.build(
            conditions.ESTABLISHED, "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"
        )
    return conditions.build(
        conditions.ESTABLISHED, "True", "InitialNamesAccepted", "the initial names have been accepted"
    )


def _is_due(definition: Definition) -> bool:
    return conditions.is_true(definition, conditions.NAMES_ACCEPTED) and not conditions.is_true(
        definition, conditions.ESTABLISHED
    )
