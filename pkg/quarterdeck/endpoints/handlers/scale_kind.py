"""What a document says that it is, where the Scale of a custom resource is wanted.

What it does not say is taken from what is wanted, so that a document without kind and version is a Scale.
Source: apimachinery/pkg/runtime/serializer/json/json.go (gvkWithDefaults), client-go/scale/util.go (the scheme).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import versions
from quarterdeck.schema.goscalar import DecodeError

GROUP: Final = "autoscaling"
VERSION: Final = "v1"
KIND: Final = "Scale"
_SCHEME: Final = "k8s.io/client-go/scale/util.go:146"
# The kinds of Scale that a client may meet, and the kinds that every version has.
_OLD_VERSIONS: Final = frozenset((("apps", "v1beta1"), ("apps", "v1beta2"), ("extensions", "v1beta1")))
_OF_EVERY_VERSION: Final = frozenset(
    ("CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent")
)


def check(value: Any) -> tuple[bool, bool]:
    """Whether a document says the version of its Scale, and whether it is one of the group's internal version. Raises
    DecodeError where it says it is something else."""
    try:
        found = {name: value.get(name) for name in ("apiVersion", "kind")} if isinstance(value, dict) else value
        group, version, kind = codec.interpret(found)
    except errors.BadRequest as error:
        raise DecodeError(error.message) from error
    kind = kind or KIND
    if not version and group in ("", GROUP):
        group, version = GROUP, VERSION
    if (group, version, kind) == (GROUP, VERSION, KIND):
        return (found or {}).get("apiVersion") == f"{GROUP}/{VERSION}", False
    if (group, version, kind) == (GROUP, versions.INTERNAL, KIND):
        return False, True
    is_old = (group, version) in _OLD_VERSIONS
    if (is_old and kind == KIND) or ((is_old or (group, version) == (GROUP, VERSION)) and kind in _OF_EVERY_VERSION):
        raise DecodeError(f"converting ({version}.{kind}) to ({VERSION}.{KIND}): unknown conversion")
    raise DecodeError(versions.not_registered(group, version, kind, _SCHEME))
