"""Volumes and their claims as resources."""

from __future__ import annotations

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.strategy import Object


def definitions() -> list[Definition]:
    return [
        later(
            describe(
                "",
                "persistentvolumes",
                "PersistentVolume",
                namespaced=False,
                has_status=True,
                short_names=("pv",),
            ),
            _load_persistent_volume,
            returns_deleted=True,
        ),
        later(
            describe("", "persistentvolumeclaims", "PersistentVolumeClaim", has_status=True, short_names=("pvc",)),
            _load_persistent_volume_claim,
            returns_deleted=True,
            complete_stored=_complete_claim,
        ),
    ]


def _complete_claim(obj: Object) -> None:
    from quarterdeck.registry.builtin.core.persistentvolumeclaim import match_sources

    match_sources(obj["spec"])


def _load_persistent_volume() -> Behaviour:
    from quarterdeck.registry.builtin.core.persistentvolume import (
        TIMES,
        PersistentVolumeStatusStrategy,
        PersistentVolumeStrategy,
        default_volume,
    )

    return Behaviour(
        PersistentVolumeStrategy(namespaced=False),
        {"status": PersistentVolumeStatusStrategy(namespaced=False)},
        default=default_volume,
        note=TIMES.note_written,
    )


def _load_persistent_volume_claim() -> Behaviour:
    from quarterdeck.registry.builtin.core.persistentvolumeclaim import (
        PersistentVolumeClaimStatusStrategy,
        PersistentVolumeClaimStrategy,
        default_claim,
    )

    return Behaviour(
        PersistentVolumeClaimStrategy(namespaced=True),
        {"status": PersistentVolumeClaimStatusStrategy(namespaced=True)},
        default=default_claim,
        note=written.note,
    )
