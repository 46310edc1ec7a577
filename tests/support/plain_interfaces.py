"""What admission knows of a kind and of a request's options, of a kind with one version that has no schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quarterdeck.admission.attributes import Equivalent
from quarterdeck.apis.resource import GroupVersionKind

Object = dict[str, Any]


class PlainInterfaces:
    """Objects come back as they are handed in. It cannot merge."""

    is_custom = True

    def __init__(self, kind: GroupVersionKind, resource: str, others: Sequence[Equivalent] = ()) -> None:
        self.kind = kind
        self._equivalents = [Equivalent(kind.group, kind.version, resource, kind), *others]

    def refuse_mutation(self, kind: GroupVersionKind) -> str:
        return ""

    def bring_back(self, obj: Object, known: Object) -> Object:
        return obj

    def is_served(self, kind: GroupVersionKind) -> bool:
        return True

    def default(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        return obj

    def read_mutated(self, value: Any, kind: GroupVersionKind, *, is_strict: bool = False) -> Any:
        return value

    def convert(self, obj: Object, kind: GroupVersionKind) -> Object:
        return obj

    def merge(self, live: Object, patch: Object) -> Object:
        raise NotImplementedError

    def equivalents(self) -> Sequence[Equivalent]:
        return self._equivalents


class CreateOptions:
    def describe(self, operation: str) -> Object:
        return {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}
