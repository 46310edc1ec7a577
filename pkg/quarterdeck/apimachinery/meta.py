"""Small helpers over decoded objects: names, labels, uids, generated names.

Objects are plain dicts as decoded; metadata that is absent or null reads as empty.

Source: apimachinery/pkg/apis/meta/v1 (accessors); apiserver/pkg/storage/names/generate.go.
"""

from typing import Any, Final

from quarterdeck._kernels import uids
from quarterdeck.apimachinery import randomness

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_format_uid: Final = uids.format_uid

Object = dict[str, Any]

# No vowels and no digits that look like letters, so that no words appear (apimachinery/pkg/util/rand).
_ALPHANUMERICS: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
_GENERATED_BASE_MAX: Final = 63 - _SUFFIX_LENGTH


def metadata(obj: Object) -> Object:
    """The object's metadata for reading; an empty dict (not part of the object) when it has none."""
    found = obj.get("metadata")
    return found if isinstance(found, dict) else {}


def ensure_metadata(obj: Object) -> Object:
    """The object's metadata for writing; made when absent."""
    found = obj.get("metadata")
    if isinstance(found, dict):
        return found
    made: Object = {}
    obj["metadata"] = made
    return made


def name(obj: Object) -> str:
    return metadata(obj).get("name") or ""


def namespace(obj: Object) -> str:
    return metadata(obj).get("namespace") or ""


def uid(obj: Object) -> str:
    return metadata(obj).get("uid") or ""


def labels(obj: Object) -> dict[str, str]:
    return metadata(obj).get("labels") or {}


def annotations(obj: Object) -> dict[str, str]:
    return metadata(obj).get("annotations") or {}


def finalizers(obj: Object) -> list[str]:
    return metadata(obj).get("finalizers") or []


def owner_references(obj: Object) -> list[Object]:
    return metadata(obj).get("ownerReferences") or []


def generation(obj: Object) -> int:
    return metadata(obj).get("generation") or 0


def resource_version(obj: Object) -> str:
    return metadata(obj).get("resourceVersion") or ""


def deletion_timestamp(obj: Object) -> str:
    return metadata(obj).get("deletionTimestamp") or ""


def split_api_version(api_version: str) -> tuple[str, str]:
    """(group, version); the core group is ""."""
    group, slash, version = api_version.partition("/")
    return (group, version) if slash else ("", group)


def join_api_version(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version


def new_uid() -> str:
    """A random UUID (version 4)."""
    return _format_uid(randomness.take(16))


def generate_name(base: str) -> str:
    """`base`, cut to what leaves room, with five random characters."""
    suffix = "".join(_ALPHANUMERICS[byte % len(_ALPHANUMERICS)] for byte in randomness.take(_SUFFIX_LENGTH))
    return base[:_GENERATED_BASE_MAX] + suffix
