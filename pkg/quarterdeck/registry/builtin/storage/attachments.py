"""Volumes that are to be attached to nodes.

Source: pkg/registry/storage/volumeattachment/strategy.go, pkg/apis/storage/validation/validation.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core.persistentvolume import validate_volume_spec
from quarterdeck.registry.builtin.core.podspec import default_old_sources, round_up
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.builtin.strategy import BuiltinStrategy, keep_metadata
from quarterdeck.registry.strategy import Object

METADATA_BYTES_MAX: Final = 256 * 1024
MESSAGE_BYTES_MAX: Final = 1024
_CODE_MAX: Final = 2**31 - 1
_ONE_SOURCE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


def default_attachment(obj: Object) -> None:
    if (inline := obj["spec"]["source"].get("inlineVolumeSpec")) is not None:
        round_up(inline.get("capacity"))
        default_old_sources(inline)


class VolumeAttachmentStrategy(BuiltinStrategy):
    allow_unconditional_update = False
    validates_metadata_again = True
    validates_changed_metadata = False

    def default_new(self, obj: Object) -> None:
        obj["status"] = {"attached": False}

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {"attached": False})

    def check(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        problems = checks.csi_driver_name("spec.attacher", spec.get("attacher", "")) + _validate(obj)
        if (volume := spec["source"].get("persistentVolumeName")) is not None:
            problems += checks.name("spec.source.persistentVolumeName", volume, names.dns1123_subdomain)
        return problems

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = self.check(new)
        if not checks.same(new["spec"], old["spec"]):
            shown = gonames.show("VolumeAttachmentSpec", written.restore(new["spec"], "spec"), "storage")
            problems.append(field.invalid("spec", shown, checks.IMMUTABLE))
        return problems


class VolumeAttachmentStatusStrategy(VolumeAttachmentStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]
        keep_metadata(new, old)


def _validate(obj: Object) -> list[FieldError]:
    spec, status = obj["spec"], obj.get("status") or {}
    problems = _validate_source("spec.source", spec["source"])
    problems += checks.name("spec.nodeName", spec.get("nodeName", ""), names.dns1123_subdomain)
    if checks.bytes_of(status.get("attachmentMetadata") or {}) > METADATA_BYTES_MAX:
        problems.append(field.too_long("status.attachmentMetadata", METADATA_BYTES_MAX))
    for name in ("attachError", "detachError"):
        problems += _validate_error(f"status.{name}", status.get(name) or {})
    return problems


def _validate_source(path: str, source: Object) -> list[FieldError]:
    volume, inline = source.get("persistentVolumeName"), source.get("inlineVolumeSpec")
    if volume is None and inline is None:
        return [field.required(path, _ONE_SOURCE)]
    if volume is not None and inline is not None:
        return [field.forbidden(path, _ONE_SOURCE)]
    if volume == "":
        return [field.required(f"{path}.persistentVolumeName", "must specify non empty persistentVolumeName")]
    return [] if inline is None else validate_volume_spec(f"{path}.inlineVolumeSpec", inline, "", is_inline=True)


def _validate_error(path: str, error: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    if len(error.get("message", "").encode("utf-8", "surrogatepass")) > MESSAGE_BYTES_MAX:
        # Upstream's text names the limit of the metadata.
        problems.append(field.too_long(f"{path}.message", METADATA_BYTES_MAX))
    if (code := error.get("errorCode")) is not None:
        problems += checks.in_range(f"{path}.errorCode", code, 0, _CODE_MAX)
    return problems
