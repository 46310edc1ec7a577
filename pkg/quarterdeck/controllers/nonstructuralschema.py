"""Says of definitions whose schemas are not structural what is wrong with them, and takes that back from others.

Definitions that are written here are refused unless their schemas are structural, so only one that another hand has
stored can break the rules; and a client may write the condition itself through /status. So those are judged that were
there at the start, that another hand has written since, that carry the condition, or that preserve unknown fields: what
is stored so may stay so. Once one was judged, and that was written, what others make of the condition is left until the
next generation.
Source: apiextensions-apiserver/pkg/controller/nonstructuralschema/nonstructuralschema_controller.go.
"""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.schemas import schema_of
from quarterdeck.apimachinery import field, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.schema import structural

# Between two that another hand has stored. To judge one takes 3 ms on average (the corpus of real definitions), 60 ms
# at most: no one waits for it, so it takes no more than a small part of a server that has just come up.
PAUSE_S: Final = 0.05


class NonStructuralSchemaController:
    def __init__(self, definitions: Definitions, clock: Clock | None = None) -> None:
        self._definitions = definitions
        self.pause_s = PAUSE_S
        self._foreign: set[str] = set()  # are not this server's, as far as is known, and not judged yet
        self._told: dict[str, tuple[str, int]] = {}  # by name: the uid, and the generation of which it was said
        self.controller = Controller("non_structural_schema_condition_controller", self.sync, clock=clock)

    def add(self, name: str, *, is_foreign: bool) -> None:
        """`is_foreign`: it was not this server that accepted the definition, as far as is known."""
        if is_foreign:
            self._foreign.add(name)
        self.controller.add(name)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None:
            self._foreign.discard(name)
            self._told.pop(name, None)
            return
        uid, generation = definition["metadata"].get("uid", ""), meta.generation(definition)
        told_uid, told_generation = self._told.get(name, ("", -1))
        if told_uid == uid and generation <= told_generation:
            self._foreign.discard(name)
            return
        current = conditions.find(definition, conditions.NON_STRUCTURAL_SCHEMA)
        is_judged = current is not None or definition["spec"].get("preserveUnknownFields")
        if not is_judged and name not in self._foreign:
            return
        wanted = self._judge(name)
        if not conditions.says_the_same(current, wanted):
            if not await self._write(definition, wanted):
                return
            self._told[name] = (uid, generation)
        if name in self._foreign:
            self._foreign.discard(name)
            await asyncio.sleep(self.pause_s)

    def _judge(self, name: str) -> conditions.Condition | None:
        entry = self._definitions.cache.get("", name)
        return judge_schemas(json_codec.load(entry.data)) if entry is not None else None

    async def _write(self, definition: Definition, wanted: conditions.Condition | None) -> bool:
        if wanted is not None:
            return await self._definitions.set_conditions(definition, wanted)

        def change(live: Definition) -> Definition:
            kept = conditions.without_condition(live["status"].get("conditions"), conditions.NON_STRUCTURAL_SCHEMA)
            return {**live, "status": {**live["status"], "conditions": kept}}

        return await self._definitions.update_status(definition, change)


def judge_schemas(definition: Definition) -> conditions.Condition | None:
    """`definition` with its schemas. None: all are structural."""
    found: list[FieldError] = []
    if definition["spec"].get("preserveUnknownFields"):
        found.append(field.invalid("spec.preserveUnknownFields", True, "must be false"))
    for position, version in enumerate(definition["spec"]["versions"]):
        schema = schema_of(version)
        if schema is None:
            continue
        if text := structural.conversion_error(schema):
            message = f"failed to check validation schema for version {version['name']}: {text}"
            return conditions.build(conditions.NON_STRUCTURAL_SCHEMA, "Unknown", "StructuralError", message)
        found += structural.find_errors(schema, f"spec.versions[{position}].schema.openAPIV3Schema")
    if not found:
        return None
    texts = list(dict.fromkeys(str(error) for error in found))
    message = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return conditions.build(conditions.NON_STRUCTURAL_SCHEMA, "True", "Violations", message)
