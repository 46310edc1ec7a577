"""The resources of autoscaling: one kind in two versions, which share their objects. Nobody scales anything."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from quarterdeck.registry.builtin.autoscaling.versions import V1, V2
from quarterdeck.registry.builtin.codec import Versions
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import gotypes
from quarterdeck.schema.gotype import Struct


def definitions() -> list[Definition]:
    versions = Versions("autoscaling", V2, (V1,), _convert, _default_v2, _convert_written, _convert_onto)
    return [
        later(
            describe(
                "autoscaling",
                "horizontalpodautoscalers",
                "HorizontalPodAutoscaler",
                version=version,
                has_status=True,
                short_names=("hpa",),
                categories=("all",),
            ),
            partial(_load, version),
            versions=versions,
            struct=_struct_of_v2 if version == "v2" else None,
        )
        for version in ("v1", "v2")
    ]


def _load(version: str) -> Behaviour:
    from quarterdeck.registry.builtin.autoscaling.defaults import default_v1, default_v2
    from quarterdeck.registry.builtin.autoscaling.strategy import AutoscalerStatusStrategy, AutoscalerStrategy

    return Behaviour(
        AutoscalerStrategy(namespaced=True),
        {"status": AutoscalerStatusStrategy(namespaced=True)},
        default=default_v1 if version == "v1" else default_v2,
    )


def _convert(obj: Object, api_version: str) -> Object:
    from quarterdeck.registry.builtin.autoscaling.conversion import convert

    return convert(obj, api_version)


def _convert_written(obj: Object, api_version: str) -> Object:
    from quarterdeck.registry.builtin.autoscaling.conversion import convert_written

    return convert_written(obj, api_version)


def _convert_onto(obj: Object, known: Object, api_version: str) -> Object:
    from quarterdeck.registry.builtin.autoscaling.conversion import convert_onto

    return convert_onto(obj, known, api_version)


def _default_v2(obj: Object) -> None:
    from quarterdeck.registry.builtin.autoscaling.defaults import default_v2

    default_v2(obj)


@cache
def _struct_of_v2() -> Struct:
    """The type, in which no policies are other than none: those are defaulted, and without policies it is refused."""
    struct = gotypes.struct_of(V2, "HorizontalPodAutoscaler")
    for name in ("scaleUp", "scaleDown"):
        struct = _keeping_empty(struct, "spec", "behavior", name, "policies")
    return struct


def _keeping_empty(struct: Struct, *path: str) -> Struct:
    name, *rest = path
    field = struct.fields[name]
    if not rest:
        return replace(struct, fields={**struct.fields, name: replace(field, pointer=True)})
    assert isinstance(field.type, Struct)
    return replace(struct, fields={**struct.fields, name: replace(field, type=_keeping_empty(field.type, *rest))})
