"""What admission is told of the options of a deletion: what the store has set in them by then.

Source: apiserver/pkg/registry/rest/delete.go (BeforeDelete), pkg/registry/core/pod/strategy.go,
pkg/registry/core/namespace/storage/storage.go, apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.admission.attributes import Options
from quarterdeck.registry import deletion

Object = dict[str, Any]

_PODS: Final = ("", "pods")
# What goes slowly goes under the UID that it was found with.
_WITH_UID: Final = (("", "namespaces"), ("apiextensions.k8s.io", "customresourcedefinitions"))


class DeletionOptions:
    """The options of a request, and those that were set for it."""

    def __init__(self, options: Options, resource: tuple[str, str], obj: Object) -> None:
        self._options = options
        self._resource = resource
        self._obj = obj

    def describe(self, operation: str) -> Object:
        described, metadata = self._options.describe(operation), self._obj["metadata"]
        is_first = "deletionTimestamp" not in metadata
        if self._resource == _PODS and is_first:
            described["gracePeriodSeconds"] = deletion.grace_of_pod(self._obj, described.get("gracePeriodSeconds"))
        elif described.get("gracePeriodSeconds", 0) < 0 and not (is_first and self._resource in _WITH_UID):
            described["gracePeriodSeconds"] = 1
        if self._resource in _WITH_UID:
            described["preconditions"] = {"uid": metadata.get("uid", ""), **described.get("preconditions", {})}
        return described
