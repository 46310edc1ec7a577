"""Storage errors as answers. Nothing else translates them. Source: apiserver/pkg/storage/errors/storage.go."""

from __future__ import annotations

from quarterdeck.apimachinery import errors, meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.registry.strategy import Object
from quarterdeck.storage import interface as storage
from quarterdeck.storage.cacher import Entry


def interpret(error: storage.StorageError, group: str, resource: str, name: str) -> APIStatus:
    """The answer to a failed write or read of one object."""
    if isinstance(error, storage.KeyExists):
        return errors.AlreadyExists.of(group, resource, name)
    if isinstance(error, storage.KeyNotFound):
        return errors.NotFound.of(group, resource, name)
    if isinstance(error, storage.RevisionConflict):
        return errors.Conflict.modified(group, resource, name)
    if isinstance(error, storage.Compacted):
        return errors.Expired("The resourceVersion for the provided list is too old.")
    if isinstance(error, storage.FutureRevision):
        return errors.Timeout.resource_version_too_large(error.revision, error.current, retry_after_s=1)
    return _interpret_failure(error, group, resource, name)


def interpret_silence(error: BaseException, group: str, resource: str, name: str) -> Exception:
    """What a read raises where the store has not told how new it is; it may be closing."""
    if not isinstance(error, Exception):
        error = storage.Unavailable("the store is closing")
    return interpret(error, group, resource, name) if isinstance(error, storage.StorageError) else error


def _interpret_failure(error: storage.StorageError, group: str, resource: str, name: str) -> APIStatus:
    if isinstance(error, storage.SpaceExceeded):
        # The text is etcd's, which clients and operators know; the write certainly did not happen.
        return errors.Unreasoned("etcdserver: mvcc: database space exceeded")
    if isinstance(error, storage.TooLarge):
        text = str(error)  # that of the client of etcd is told, as it is upstream
        return RequestTooLarge(text) if text.startswith("rpc error: ") else too_large()
    if isinstance(error, storage.StoreFailed):
        return errors.Unreasoned(error.text)
    if isinstance(error, storage.Untransformable):
        return errors.InternalError.of(error.detail)
    if isinstance(error, storage.Corrupt):
        return errors.InternalError.of(f"{errors.qualify(resource, group)} {name!r}: the stored record is corrupt")
    return errors.InternalError.of("the outcome of the write is unknown: the store is unavailable")


def already_exists(group: str, resource: str, name: str, obj: Object, entry: Entry | None) -> errors.AlreadyExists:
    """The answer to a create whose name is taken by `entry` (registry/generic/registry/store.go, Create)."""
    error = errors.AlreadyExists.of(group, resource, name)
    if obj["metadata"].get("generateName"):
        assert error.details is not None
        error.details["retryAfterSeconds"] = 1
        error.message += ", the server was not able to generate a unique name for the object"
    if (
        entry is not None
        and b'"deletionTimestamp"' in entry.data
        and meta.deletion_timestamp(json_codec.load(entry.data))
    ):
        error.message = f"object is being deleted: {error.message}"
    return error


class RequestTooLarge(errors.Unreasoned):
    """No store takes the object."""


def too_large() -> RequestTooLarge:
    return RequestTooLarge("etcdserver: request is too large")
