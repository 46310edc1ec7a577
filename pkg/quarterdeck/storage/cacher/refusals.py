"""The errors that the watch cache answers clients with: all of them are built here.

What a list or a watch asks for (revisions, continue tokens) comes as text of the wire and is judged where it is read.
Failures of writes, and of reads of one object, are no business of this module: registry/errors.py translates those.

Source of the texts: apiserver/pkg/storage/{util,errors}.go, storage/etcd3/{store,errors}.go, storage/cacher/cacher.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.storage import interface

_LIST_TOO_OLD: Final = "The resourceVersion for the provided list is too old."
_WATCH_TOO_OLD: Final = "The resourceVersion for the provided watch is too old."
_CONTINUE_TOO_OLD: Final = (
    "The provided continue parameter is too old "
    "to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided "
    "token results in an inconsistent list - objects that were created, "
    "modified, or deleted between the time the first chunk was returned "
    "and now may show up in the list."
)


class ContinueExpired(errors.Expired):
    """410 of a page whose revision is gone, with a token by which the rest can be had as it is now."""

    def __init__(self, token: str) -> None:
        super().__init__(_CONTINUE_TOO_OLD)
        self._token = token

    def to_status(self) -> dict[str, object]:
        status = super().to_status()
        status["metadata"] = {"continue": self._token}
        return status


def revision_too_large(revision: int, current: int, retry_after_s: int) -> errors.APIStatus:
    """504: the revision is not there yet. `retry_after_s` 0: the client is not told when to try again."""
    return errors.Timeout.resource_version_too_large(revision, current, retry_after_s)


def list_too_old() -> errors.APIStatus:
    return errors.Expired(_LIST_TOO_OLD)


def watch_too_old(revision: int, floor: int) -> errors.APIStatus:
    """`floor`: the oldest revision that can be resumed from; 0: there is no window of changes."""
    return errors.Expired(f"too old resource version: {revision} ({floor})" if floor else _WATCH_TOO_OLD)


def bad_watch_revision(problem: ValueError) -> errors.APIStatus:
    """As watches, and reads of one object, refuse it: 500 without a reason."""
    return errors.Unreasoned(str(problem))


def bad_list_revision(problem: ValueError) -> errors.APIStatus:
    return errors.BadRequest(f"invalid resource version: {problem}")


def bad_continue_token(problem: ValueError) -> errors.APIStatus:
    return errors.BadRequest(f"invalid continue token: {problem}")


def continue_with_revision() -> errors.APIStatus:
    return errors.BadRequest("specifying resource version is not allowed when using continue")


def unreadable(group: str, resource: str, keys: list[str], reasons: list[str]) -> errors.APIStatus:
    """Records that belong to the answer are damaged, or cannot be decrypted (KEP-3926)."""
    return errors.StorageReadError.of(group, resource, keys, reasons)


def reason_of(error: interface.Corrupt | None) -> str:
    """What a client is told of a record that cannot be read."""
    return error.detail if isinstance(error, interface.Untransformable) else "the stored record is corrupt"


def unavailable() -> errors.APIStatus:
    """The store has stopped: what is not in memory cannot be read."""
    return errors.ServiceUnavailable("the store is unavailable", {})
