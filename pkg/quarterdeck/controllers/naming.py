"""Accepts the names of a definition, or says which of them another definition of the group has.

Source: apiextensions-apiserver/pkg/controller/status/naming_controller.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apiextensions import conditions
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Controller


class NamingController:
    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self.controller = Controller("naming", self.sync)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None:
            return
        others = self._definitions.in_group(definition["spec"]["group"])
        accepted, found = judge_names(definition, others)
        status = definition["status"]
        established = _established(definition, found["status"] == "True")
        wanted = conditions.with_condition(status.get("conditions"), found)
        if established is not None:
            wanted = conditions.with_condition(wanted, established)
        if accepted == status.get("acceptedNames") and wanted == status.get("conditions"):
            return

        def change(live: Definition) -> Definition | None:
            changed = conditions.with_condition(live["status"].get("conditions"), found)
            if established is not None and not conditions.is_true(live, conditions.ESTABLISHED):
                changed = conditions.with_condition(changed, established)
            return {**live, "status": {**live["status"], "conditions": changed, "acceptedNames": accepted}}

        await self._definitions.update_status(name, change)
        self.retry_group(definition)

    def retry_group(self, definition: Definition) -> None:
        """Names were taken or given back: look again at the group's definitions that wait for names.

        The others have theirs; a change of what they ask for brings them here by itself. To look at all of them for
        each would make a group of N definitions cost N² to install.
        """
        for other in self._definitions.in_group(definition["spec"]["group"]):
            is_other = other["metadata"]["name"] != definition["metadata"]["name"]
            if is_other and not conditions.is_true(other, "NamesAccepted"):
                self.controller.add(other["metadata"]["name"])


def judge_names(definition: Definition, group: list[Definition]) -> tuple[dict[str, Any], conditions.Condition]:
    """The names that are accepted (the old ones where the wanted are taken), and the NamesAccepted condition."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in group:
        if other["metadata"]["name"] != definition["metadata"]["name"]:
            names = (other.get("status") or {}).get("acceptedNames") or {}
            resources.update(
                filter(None, (names.get("plural"), names.get("singular"), *(names.get("shortNames") or ())))
            )
            kinds.update(filter(None, (names.get("kind"), names.get("listKind"))))
    wanted = definition["spec"]["names"]
    accepted = dict((definition.get("status") or {}).get("acceptedNames") or {"plural": "", "kind": ""})
    conflict = ("", "")
    for member, taken, reason in (
        ("plural", resources, "PluralConflict"),
        ("singular", resources, "SingularConflict"),
        ("shortNames", resources, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        value = wanted.get(member)
        message = _conflict(value, taken)
        if message:
            conflict = (reason, message)
        elif value:
            accepted[member] = value
        else:
            accepted.pop(member, None)
    if wanted.get("categories"):
        accepted["categories"] = wanted["categories"]
    else:
        accepted.pop("categories", None)
    if conflict[0]:
        return accepted, conditions.build(conditions.NAMES_ACCEPTED, "False", *conflict)
    return accepted, conditions.build(conditions.NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found")


def _conflict(value: str | list[str] | None, taken: set[str]) -> str:
    names = value if isinstance(value, list) else [value] if value else []
    texts = [f'"{name}" is already in use' for name in names if name in taken]
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]" if texts else ""


def _established(definition: Definition, is_accepted: bool) -> conditions.Condition | None:
    """The Established condition as far as names decide it; None leaves it. It becomes True in another controller,
    which sees the accepted names only when the resource is served already."""
    if conditions.is_true(definition, conditions.ESTABLISHED):
        return None
    if is_accepted:
        return conditions.build(conditions.ESTABLISHED, "False", "Installing", "the initial names have been accepted")
    if conditions.find(definition, conditions.ESTABLISHED) is not None:
        return None
    return conditions.build(conditions.ESTABLISHED, "False", "NotAccepted", "not all names are accepted")
