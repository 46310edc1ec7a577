"""Says of definitions in Kubernetes' own groups whether their approval annotation fits.

Once it has said so of an annotation it leaves what others make of the condition, until the annotation changes.
Source: apiextensions-apiserver/pkg/controller/apiapproval/apiapproval_controller.go, apihelpers (GetAPIApprovalState).
"""

from __future__ import annotations

from quarterdeck.apiextensions import conditions
from quarterdeck.apiextensions.approval import ANNOTATION, approval_state, is_protected_group
from quarterdeck.controllers.definitions import Definition, Definitions
from quarterdeck.controllers.workqueue import Clock, Controller


class APIApprovalController:
    def __init__(self, definitions: Definitions, clock: Clock | None = None) -> None:
        self._definitions = definitions
        self._told: dict[str, tuple[str, str]] = {}  # by name: the uid, and the annotation of which it was said
        self.controller = Controller("kubernetes_api_approval_conformant_condition_controller", self.sync, clock=clock)

    async def sync(self, name: str) -> None:
        definition = self._definitions.get(name)
        if definition is None:
            self._told.pop(name, None)
            return
        basis = (definition["metadata"].get("uid", ""), _annotation_of(definition))
        if self._told.get(name) == basis:
            return
        wanted = judge_approval(definition)
        current = conditions.find(definition, conditions.KUBERNETES_API_APPROVAL)
        if wanted is None or conditions.says_the_same(current, wanted):
            return
        if await self._definitions.set_conditions(definition, wanted):
            self._told[name] = basis


def judge_approval(definition: Definition) -> conditions.Condition | None:
    """None where the group is not one of Kubernetes' own."""
    if not is_protected_group(definition["spec"]["group"]):
        return None
    state, message = approval_state(_annotation_of(definition))
    status, reason = {
        "missing": ("False", "MissingAnnotation"),
        "invalid": ("False", "InvalidAnnotation"),
        "bypassed": ("False", "UnapprovedAnnotation"),
        "approved": ("True", "ApprovedAnnotation"),
    }[state]
    return conditions.build(conditions.KUBERNETES_API_APPROVAL, status, reason, message)


def _annotation_of(definition: Definition) -> str:
    value: str = (definition["metadata"].get("annotations") or {}).get(ANNOTATION, "")
    return value
