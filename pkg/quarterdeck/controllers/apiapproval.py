"""Says of definitions in Kubernetes' own groups whether their approval annotation fits.

Source: apiextensions-apiserver/pkg/controller/apiapproval/apiapproval_controller.go, apihelpers (GetAPIApprovalState).
"""

from __future__ import annotations

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.approval import ANNOTATION, approval_state, is_protected_group
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Controller


class APIApprovalController:
    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self.controller = Controller("apiapproval", self.sync)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None:
            return
        wanted = judge_approval(definition)
        current = conditions.find(definition, conditions.KUBERNETES_API_APPROVAL)
        if wanted is None or (current is not None and _same(current, wanted)):
            return

        def change(live: Definition) -> Definition | None:
            changed = conditions.with_condition(live["status"].get("conditions"), wanted)
            return {**live, "status": {**live["status"], "conditions": changed}}

        await self._definitions.update_status(name, change)


def _same(current: conditions.Condition, wanted: conditions.Condition) -> bool:
    return all(current.get(member) == wanted[member] for member in ("status", "reason", "message"))


def judge_approval(definition: Definition) -> conditions.Condition | None:
    """None where the group is nobody's but the definition's author's."""
    if not is_protected_group(definition["spec"]["group"]):
        return None
    value = (definition["metadata"].get("annotations") or {}).get(ANNOTATION, "")
    state, message = approval_state(value)
    status, reason = {
        "missing": ("False", "MissingAnnotation"),
        "invalid": ("False", "InvalidAnnotation"),
        "bypassed": ("False", "UnapprovedAnnotation"),
        "approved": ("True", "ApprovedAnnotation"),
    }[state]
    return conditions.build(conditions.KUBERNETES_API_APPROVAL, status, reason, message)
