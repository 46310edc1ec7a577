"""Logical clusters of a control plane: each with objects of its own, in the same process."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Protocol

from quarterdeck.testing.served import Served, must

_ROOT: Final = "/clusters"


class Plane(Protocol):
    """The control plane that a cluster is one of (ControlPlane)."""

    url: str

    def call(
        self, method: str, path: str, body: object = None, *, content_type: str = "application/json"
    ) -> tuple[int, Any]: ...

    def cluster(self, name: str = "", *, source: str = "", snapshot: str = "") -> Cluster: ...

    def new_name(self, kind: str) -> str: ...

    def kubeconfig_of(self, cluster: str) -> Path: ...

    def log(self) -> str: ...

    def audit_log(self) -> Path: ...


class Cluster(Served):
    """`with plane.cluster() as cluster`: gone at the end. Made by ControlPlane.cluster and `fork`."""

    def __init__(self, plane: Plane, name: str, first_revision: int) -> None:
        super().__init__()
        self.plane = plane
        self.name = name
        self.url = f"{plane.url}{_ROOT}/{name}"
        self._first_revision = first_revision

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.faults.check()
        finally:
            self.delete()

    @property
    def kubeconfig(self) -> Path:
        return self.plane.kubeconfig_of(self.name)

    def log(self) -> str:
        return self.plane.log()

    def audit_log(self) -> Path:
        return self.plane.audit_log()

    def call(
        self, method: str, path: str, body: object = None, *, content_type: str = "application/json"
    ) -> tuple[int, Any]:
        """As ControlPlane.call, over its connections."""
        return self.plane.call(method, f"{_ROOT}/{self.name}{path}", body, content_type=content_type)

    def fork(self, name: str = "") -> Cluster:
        """Another one that holds what this one holds now; from then on they know nothing of each other."""
        forked = self.plane.cluster(name, source=self.name)
        forked._first_revision = self._first_revision  # what was written before is as much of its own
        return forked

    def snapshot(self, name: str = "") -> str:
        """What it holds now is kept under the name that is returned."""
        name = name or self.plane.new_name("snapshot")
        must(self.plane.call("PUT", f"/clustersnapshots/{name}?of={self.name}"))
        return name

    def restore(self, snapshot: str) -> None:
        """Be again what `snapshot` has kept. Watches end; who goes on from a revision is told that it has expired."""
        must(self.plane.call("POST", f"{_ROOT}/{self.name}?restore={snapshot}"))

    def delete(self) -> None:
        """Once more: nothing."""
        self.collect()
        status, _ = answer = self.plane.call("DELETE", f"{_ROOT}/{self.name}")
        if status != 404:
            must(answer)
