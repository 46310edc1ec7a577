"""NamespaceAutoProvision: a namespace that is written into and does not exist is made.

Source: plugin/pkg/admission/namespace/autoprovision/admission.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from quarterdeck.admission.attributes import CREATE, Attributes
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors
from quarterdeck.storage.cacher import ResourceCache


class NamespaceAutoProvision:
    """`namespaces` holds those that there are. `create` makes one of a name, and raises what the store and admission
    do; it is given before the first write."""

    def __init__(self, namespaces: ResourceCache) -> None:
        self._namespaces = namespaces
        self.create: Callable[[str], Awaitable[None]] | None = None

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        """A dry run leaves no namespace behind."""
        if attributes.operation != CREATE or attributes.dry_run or not attributes.namespace:
            return None
        if attributes.kind.kind == "Namespace" and not attributes.kind.group:
            return None
        return None if self._namespaces.get("", attributes.namespace) is not None else self._make(attributes)

    async def _make(self, attributes: Attributes) -> None:
        assert self.create is not None
        try:
            await self.create(attributes.namespace)
        except errors.AlreadyExists:
            return  # somebody else has made it meanwhile
        except errors.Forbidden:
            raise
        except errors.APIStatus as error:
            raise forbidden(attributes, str(error)) from error
