"""Accepts the names of a definition, or says which of them are taken in its group.

What is accepted stays accepted while the definition asks for it; a name that is asked for anew has to be free, and all
accepted names of the group are taken, the definition's own among them.
Source: apiextensions-apiserver/pkg/controller/status/naming_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apimachinery import gofmt
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Clock, Controller

Names = dict[str, Any]

# The members in upstream's order: the last conflict is the one that is told.
_MEMBERS: Final = (
    ("plural", "PluralConflict"),
    ("singular", "SingularConflict"),
    ("shortNames", "ShortNamesConflict"),
    ("kind", "KindConflict"),
    ("listKind", "ListKindConflict"),
)
_KINDS: Final = ("kind", "listKind")
_OPTIONAL: Final = ("singular", "shortNames", "listKind", "categories")


class NamingController:
    """One worker: two definitions must not be judged at once."""

    def __init__(self, definitions: Definitions, clock: Clock | None = None) -> None:
        self._definitions = definitions
        self.controller = Controller("crd_naming_condition_controller", self.sync, clock=clock)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None or not _is_waiting(definition):
            return
        accepted, found = judge_names(definition, self._definitions.in_group(definition["spec"]["group"]))
        current = conditions.find(definition, conditions.NAMES_ACCEPTED)
        if accepted == _accepted_of(definition) and conditions.says_the_same(current, found):
            return
        established = _judge_established(definition, found)

        def change(live: Definition) -> Definition:
            changed = conditions.with_condition(live["status"].get("conditions"), found)
            changed = conditions.with_condition(changed, established)
            return {**live, "status": {**live["status"], "conditions": changed, "acceptedNames": accepted}}

        if await self._definitions.update_status(definition, change):
            self.retry_group(definition)

    def retry_group(self, definition: Definition) -> None:
        """Names were taken or given back: look again at the group's definitions that have not got what they ask for.

        Upstream looks at all of the group and leaves those alone that have; to queue them all for each change would
        make a group of N definitions cost N² to install.
        """
        for other in self._definitions.in_group(definition["spec"]["group"]):
            if other["metadata"]["name"] != definition["metadata"]["name"] and _is_waiting(other):
                self.controller.add(other["metadata"]["name"])


def _accepted_of(definition: Definition) -> Names:
    accepted: Names = (definition.get("status") or {}).get("acceptedNames") or {"plural": "", "kind": ""}
    return accepted


def _is_waiting(definition: Definition) -> bool:
    """Whether it asks for other names than it has."""
    return _without_empty(definition["spec"]["names"]) != _without_empty(_accepted_of(definition))


def _without_empty(names: Names) -> Names:
    return {member: value for member, value in names.items() if value}


def judge_names(definition: Definition, group: Iterable[Definition]) -> tuple[Names, conditions.Condition]:
    """The names that are accepted (the old ones where the wanted are taken), and the NamesAccepted condition.

    `group` are the definitions of the group, with or without this one.
    """
    taken = _taken_names(group)
    wanted, before = definition["spec"]["names"], _accepted_of(definition)
    accepted: Names = {"plural": "", "kind": "", **before}
    reason = message = ""
    for member, conflict in _MEMBERS:
        texts = _conflicts(member, wanted.get(member), before.get(member), taken[member in _KINDS])
        if texts:
            reason, message = conflict, _join(texts)
        else:
            accepted[member] = wanted.get(member)
    accepted["categories"] = wanted.get("categories")
    accepted = {member: value for member, value in accepted.items() if value or member not in _OPTIONAL}
    if reason:
        return accepted, conditions.build(conditions.NAMES_ACCEPTED, "False", reason, message)
    return accepted, conditions.build(conditions.NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found")


def _taken_names(group: Iterable[Definition]) -> tuple[set[str], set[str]]:
    """The accepted names of resources, and of kinds."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for definition in group:
        names = _accepted_of(definition)
        resources.update((names.get("plural") or "", names.get("singular") or "", *(names.get("shortNames") or ())))
        kinds.update((names.get("kind") or "", names.get("listKind") or ""))
    return resources, kinds


def _conflicts(member: str, wanted: Any, before: Any, taken: set[str]) -> list[str]:
    if member == "shortNames":
        return [name for name in wanted or () if name not in (before or ()) and name in taken]
    wanted = wanted or ""
    return [wanted] if wanted != (before or "") and wanted in taken else []


def _join(names: list[str]) -> str:
    """As Go joins errors: each text once, in brackets where there are several."""
    texts = [f"{gofmt.quote(name)} is already in use" for name in dict.fromkeys(names)]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _judge_established(definition: Definition, found: conditions.Condition) -> conditions.Condition:
    """The Established condition as far as names decide it. It becomes True in another controller, which sees the
    accepted names only when the resource is served already."""
    current = conditions.find(definition, conditions.ESTABLISHED)
    is_established = conditions.is_true(definition, conditions.ESTABLISHED)
    if found["status"] == "True" and not is_established:
        return conditions.build(conditions.ESTABLISHED, "False", "Installing", "the initial names have been accepted")
    if current is not None:
        texts = (current.get("status") or "", current.get("reason") or "", current.get("message") or "")
        return conditions.build(conditions.ESTABLISHED, *texts)
    return conditions.build(conditions.ESTABLISHED, "False", "NotAccepted", "not all names are accepted")
