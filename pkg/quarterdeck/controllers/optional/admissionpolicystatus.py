"""Tells in the status of validating admission policies which of their expressions do not fit the kinds that they match.

Each generation of a policy is looked at once, with what is served then.

Source: pkg/controller/validatingadmissionpolicystatus/controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import clock, errors, offload
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.controllers.optional.context import ControllerContext, find, follow_names
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object

GROUP: Final = "admissionregistration.k8s.io"
MANAGER: Final = "validatingadmissionpolicy-status"


class PolicyStatusController:
    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._policies = context.scope(GROUP, "validatingadmissionpolicies")
        self._status = context.scope(GROUP, "validatingadmissionpolicies", "status")
        self._identity = context.identity_of("validatingadmissionpolicy-status-controller")
        self.controller = Controller("validatingadmissionpolicy-status", self.sync, clock=context.clock)

    def take_up(self) -> None:
        follow_names(self._policies, self.controller)

    async def sync(self, name: str) -> None:
        # The compiler of expressions is loaded with the first policy.
        from quarterdeck.admission.policy.typechecking import check_policy

        policy = find(self._policies, "", name)
        if policy is None:
            return
        generation = policy["metadata"].get("generation", 0)
        if generation <= (policy.get("status") or {}).get("observedGeneration", 0):
            return
        # Compiling against large schemas takes long.
        warnings = await offload.run(check_policy, policy, self._kinds_of, self._schema_of)
        with suppress(errors.NotFound):
            await self._write(name, generation, warnings)

    async def _write(self, name: str, generation: int, warnings: list[Object]) -> None:
        """Applied as a client would, so that the fields are this controller's."""
        scope = self._status
        found = {"expressionWarnings": warnings} if warnings else {}
        applied = {
            "apiVersion": scope.resource.api_version,
            "kind": scope.resource.kind,
            "metadata": {"name": name},
            "status": {"observedGeneration": generation, "typeChecking": found},
        }

        def transform(live: Object | None) -> Object:
            assert scope.ownership is not None
            if live is None:
                raise errors.NotFound.of(scope.resource.group, scope.resource.name, name)
            new = scope.ownership.apply(
                live,
                applied,
                manager=MANAGER,
                force=True,
                subresource=scope.subresource,
                api_version=scope.resource.api_version,
                now=clock.now(),
            )
            scope.codec.normalize_applied(new)
            return new

        await self._identity.update(scope, "", name, transform)

    def _kinds_of(self, group: str, version: str, resource: str) -> Iterable[GroupVersionKind]:
        """As upstream's mapper finds them: a resource of the core group may be one of any group."""
        served = (each for definition in self._context.served() for each in definition.resources)
        for each in (*(scopes[""].resource for scopes in self._context.builtin.values() if "" in scopes), *served):
            if group in ("", each.group) and each.version == version and resource in (each.name, each.singular):
                yield each.gvk

    def _schema_of(self, kind: GroupVersionKind) -> Object | None:
        from quarterdeck.admission.policy import declared

        for scopes in self._context.builtin.values():
            scope: Scope | None = scopes.get("")
            if scope is not None and scope.resource.gvk == kind and isinstance(scope.codec, BuiltinCodec):
                return declared.of_struct(scope.codec.whole_struct())
        for definition in self._context.served():
            for published in definition.published:
                if published.resource.gvk == kind:
                    return declared.of_custom(published.read_schema() or {})
        return None
