"""What policies ask of the server beside the request: namespaces, parameters, permissions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from quarterdeck.admission.matching import LabelsOf
from quarterdeck.apimachinery.labels import Selector
from quarterdeck.apimachinery.user import User
from quarterdeck.cel.lib_authz import Answer, Check

Object = dict[str, Any]


class ParamStore(Protocol):
    """The objects of a kind that parameters are of, in the version that the policy names."""

    @property
    def namespaced(self) -> bool: ...

    def get(self, namespace: str, name: str) -> Object | None: ...

    def select(self, namespace: str, selector: Selector) -> list[Object]: ...


class Lookups(NamedTuple):
    """`namespace_of` gives a namespace by its name. `params_of(apiVersion, kind)` is None for a kind that is not
    served."""

    labels_of: LabelsOf
    namespace_of: Callable[[str], Object | None]
    params_of: Callable[[str, str], ParamStore | None]
    authorize: Callable[[User, Check], Answer]
