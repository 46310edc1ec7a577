"""Accepts the names of a definition, or says which of them are taken in its group.

What is accepted stays accepted while the definition asks for it; a name that is asked for anew has to be free, and all
accepted names of the group are taken, the definition's own among them.
Source: apiextensions-apiserver/pkg/controller/status/naming_controller.go.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from quarterdeck.apiextensions import conditions
from quarterdeck.apimachinery import gofmt
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Clock, Controller

Names = dict[str, Any]

# The members in upstream's order: the last conflict is the one that is reported.
_MEMBERS: Final = (
    ("plural", "PluralConflict"),
    ("singular", "SingularConflict"),
    ("shortNames", "ShortNamesConflict"),
    ("kind", "KindConflict"),
    ("listKind", "ListKindConflict"),
)
_KINDS: Final = ("kind", "listKind")
_OPTIONAL: Final = ("singular", "shortNames", "listKind", "categories")


class TakenNames:
    """The accepted names of one group, counted: two definitions may have the same one."""

    def __init__(self) -> None:
        self.resources: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def add(self, names: Names) -> None:
        self.resources.update(_resource_names(names))
        self.kinds.update(_kind_names(names))

    def remove(self, names: Names) -> None:
        for counts, given in ((self.resources, _resource_names(names)), (self.kinds, _kind_names(names))):
            counts.subtract(given)
            for name in given:
                if counts[name] <= 0:
                    del counts[name]


class NamingController:
    """One worker: two definitions must not be judged at once.

    The names taken in each group, and the definitions that wait for names, are kept in step with the definitions
    (`follow`), so that installing a definition costs the same however many its group has.
    """

    def __init__(self, definitions: Definitions, clock: Clock | None = None) -> None:
        self._definitions = definitions
        self._accepted: dict[str, tuple[str, Names]] = {}  # definition → group and accepted names
        self._taken: dict[str, TakenNames] = {}  # by group
        self._waiting: dict[str, dict[str, None]] = {}  # group → definitions that ask for other names than they have
        self.controller = Controller("crd_naming_condition_controller", self.sync, clock=clock)

    def follow(self, name: str, definition: Definition | None) -> None:
        """Take note of a definition as it is now, None for one that is gone."""
        before = self._accepted.pop(name, None)
        if before is not None:
            self._taken[before[0]].remove(before[1])
            self._waiting.get(before[0], {}).pop(name, None)
        if definition is not None:
            group, names = definition["spec"]["group"], _accepted_of(definition)
            self._accepted[name] = (group, names)
            self._taken.setdefault(group, TakenNames()).add(names)
            if _is_waiting(definition):
                self._waiting.setdefault(group, {})[name] = None
        if before is not None and not self._taken[before[0]].kinds:
            self._taken.pop(before[0])
            self._waiting.pop(before[0], None)
        if definition is None and before is not None:
            self._retry_group(before[0], name)
        if definition is not None:
            self.controller.add(name)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None or not _is_waiting(definition):
            return
        group: str = definition["spec"]["group"]
        accepted, found = judge_names(definition, self._taken.get(group) or TakenNames())
        current = conditions.find(definition, conditions.NAMES_ACCEPTED)
        if accepted == _accepted_of(definition) and conditions.says_the_same(current, found):
            return
        established = _judge_established(definition, found)

        def change(live: Definition) -> Definition:
            changed = conditions.with_condition(live["status"].get("conditions"), found)
            changed = conditions.with_condition(changed, established)
            return {**live, "status": {**live["status"], "conditions": changed, "acceptedNames": accepted}}

        if await self._definitions.update_status(definition, change):
            self._retry_group(group, name)

    def _retry_group(self, group: str, name: str) -> None:
        """Names were taken or given back: look again at the others of the group that wait for names. Upstream looks at
        all of them, and leaves those alone that have what they ask for."""
        for other in self._waiting.get(group, ()):
            if other != name:
                self.controller.add(other)


def _accepted_of(definition: Definition) -> Names:
    accepted: Names = (definition.get("status") or {}).get("acceptedNames") or {"plural": "", "kind": ""}
    return accepted


def _is_waiting(definition: Definition) -> bool:
    """Whether it asks for other names than it has."""
    return _without_empty(definition["spec"]["names"]) != _without_empty(_accepted_of(definition))


def _without_empty(names: Names) -> Names:
    return {member: value for member, value in names.items() if value}


def judge_names(definition: Definition, taken: TakenNames) -> tuple[Names, conditions.Condition]:
    """The names that are accepted (the old ones where the wanted are taken), and the NamesAccepted condition. `taken`
    has the definition's own accepted names as well."""
    wanted, before = definition["spec"]["names"], _accepted_of(definition)
    accepted: Names = {"plural": "", "kind": "", **before}
    reason = message = ""
    for member, conflict in _MEMBERS:
        texts = _conflicts(
            member, wanted.get(member), before.get(member), taken.kinds if member in _KINDS else taken.resources
        )
        if texts:
            reason, message = conflict, _join(texts)
        else:
            accepted[member] = wanted.get(member)
    accepted["categories"] = wanted.get("categories")
    accepted = {member: value for member, value in accepted.items() if value or member not in _OPTIONAL}
    if reason:
        return accepted, conditions.build(conditions.NAMES_ACCEPTED, "False", reason, message)
    return accepted, conditions.build(conditions.NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found")


def _resource_names(names: Names) -> tuple[str, ...]:
    return names.get("plural") or "", names.get("singular") or "", *(names.get("shortNames") or ())


def _kind_names(names: Names) -> tuple[str, str]:
    return names.get("kind") or "", names.get("listKind") or ""


def _conflicts(member: str, wanted: Any, before: Any, taken: Counter[str]) -> list[str]:
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
