"""The resources of apps. They are data: stored, defaulted and checked, run by nobody."""

from __future__ import annotations

from functools import partial
from typing import Final

from quarterdeck.registry.builtin.apps.names import GENERATION, ROLLBACK
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.scale import ScalePaths

_SCALE: Final = ScalePaths(".spec.replicas", ".status.replicas", ".spec.selector")
_ALL: Final = ("all",)
# Inside upstream these have a number where a client may leave it out.
_NO_REPLICAS: Final = {"spec": {"replicas": 0}}


def definitions() -> list[Definition]:
    return [_controller_revisions(), _daemon_sets(), _deployments(), _replica_sets(), _stateful_sets()]


def _controller_revisions() -> Definition:
    spelling = Spelling("data")
    return later(
        describe("apps", "controllerrevisions", "ControllerRevision"),
        partial(_load_controller_revision, spelling),
        spelling=spelling,
        empty={"data": None},
    )


def _daemon_sets() -> Definition:
    return later(
        describe("apps", "daemonsets", "DaemonSet", has_status=True, short_names=("ds",), categories=_ALL),
        _load_daemon_set,
        hidden_annotation=GENERATION,
        empty={"metadata": {"annotations": {GENERATION: "0"}}},
    )


def _deployments() -> Definition:
    return later(
        describe(
            "apps",
            "deployments",
            "Deployment",
            has_scale=True,
            has_status=True,
            short_names=("deploy",),
            categories=_ALL,
        ),
        _load_deployment,
        scale=_SCALE,
        hidden_annotation=ROLLBACK,
        empty=_NO_REPLICAS,
    )


def _replica_sets() -> Definition:
    return later(
        describe(
            "apps", "replicasets", "ReplicaSet", has_scale=True, has_status=True, short_names=("rs",), categories=_ALL
        ),
        _load_replica_set,
        scale=_SCALE,
        empty=_NO_REPLICAS,
    )


def _stateful_sets() -> Definition:
    return later(
        describe(
            "apps",
            "statefulsets",
            "StatefulSet",
            has_scale=True,
            has_status=True,
            short_names=("sts",),
            categories=_ALL,
        ),
        _load_stateful_set,
        scale=_SCALE,
        empty=_NO_REPLICAS,
    )


def _load_controller_revision(spelling: Spelling) -> Behaviour:
    from quarterdeck.registry.builtin.apps.controllerrevision import ControllerRevisionStrategy

    return Behaviour(ControllerRevisionStrategy(spelling))


def _load_daemon_set() -> Behaviour:
    from quarterdeck.registry.builtin.apps.daemonset import (
        TIMES,
        DaemonSetStatusStrategy,
        DaemonSetStrategy,
        default_daemon_set,
    )

    return Behaviour(
        DaemonSetStrategy(namespaced=True),
        {"status": DaemonSetStatusStrategy(namespaced=True)},
        default=default_daemon_set,
        note=TIMES.note_written,
    )


def _load_deployment() -> Behaviour:
    from quarterdeck.registry.builtin.apps.deployment import (
        TIMES,
        DeploymentStatusStrategy,
        DeploymentStrategy,
        default_deployment,
    )

    strategy = DeploymentStrategy(namespaced=True)
    return Behaviour(
        strategy,
        {"status": DeploymentStatusStrategy(namespaced=True), "scale": strategy},
        default=default_deployment,
        note=TIMES.note_written,
    )


def _load_replica_set() -> Behaviour:
    from quarterdeck.registry.builtin.apps.replicaset import (
        TIMES,
        ReplicaSetStatusStrategy,
        ReplicaSetStrategy,
        default_replica_set,
    )

    strategy = ReplicaSetStrategy(namespaced=True)
    return Behaviour(
        strategy,
        {"status": ReplicaSetStatusStrategy(namespaced=True), "scale": strategy},
        default=default_replica_set,
        note=TIMES.note_written,
    )


def _load_stateful_set() -> Behaviour:
    from quarterdeck.registry.builtin.apps.statefulset import (
        TIMES,
        StatefulSetStatusStrategy,
        StatefulSetStrategy,
        default_stateful_set,
    )

    strategy = StatefulSetStrategy()
    return Behaviour(
        strategy,
        {"status": StatefulSetStatusStrategy(), "scale": strategy},
        default=default_stateful_set,
        note=TIMES.note_written,
    )
