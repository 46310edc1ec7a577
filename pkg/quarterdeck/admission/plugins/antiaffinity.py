"""LimitPodHardAntiAffinityTopology: a pod may keep others off its node, and off nothing that is larger.

Source: plugin/pkg/admission/antiaffinity/admission.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.apimachinery import errors, meta

_HOSTNAME: Final = "kubernetes.io/hostname"


class LimitAntiAffinity:
    """Of pods alone."""

    def validate(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if attributes.subresource or obj is None or attributes.operation not in (CREATE, UPDATE):
            return
        away = (obj["spec"].get("affinity") or {}).get("podAntiAffinity") or {}
        for term in away.get("requiredDuringSchedulingIgnoredDuringExecution") or ():
            if (key := term.get("topologyKey", "")) != _HOSTNAME:
                detail = (
                    f"affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {key} "
                    f"but only key {_HOSTNAME} is allowed"
                )
                raise errors.Forbidden.of("", "pods", meta.name(obj), detail)
