"""JSON patch (RFC 6902) as evanphx/json-patch v4 applies it, which is laxer than the RFC.

Where it differs from the RFC, clients rely on it: `replace` of a missing member adds it, `copy` of a missing member
yields null, a missing `value` is null, an index may be negative or carry a sign, a path without a leading slash
addresses the document's own member after its last slash, `test` of null passes on a missing member.

Source: gopkg.in/evanphx/json-patch.v4 patch.go.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from quarterdeck._kernels import json as kernel
from quarterdeck.apimachinery import errors, strconv
from quarterdeck.apimachinery.patch import written
from quarterdeck.apimachinery.patch.jsonpatch_body import Patch, mismatch

COPY_BYTES_MAX: Final = 3 * 1024 * 1024
# Differs from upstream: an item that goes in or out at the front of a list moves all others. 10,000 operations on a
# list of a million are refused; on a list of 2,000 all of them are taken.
MOVES_MAX: Final = 20_000_000

_MISSING: Final = "missing value"
_INVALID_INDEX: Final = "invalid index referenced"
_TEST_FAILED: Final = "test failed"


class PatchError(ValueError):
    """An operation does not apply. `message` is what upstream's library says."""

    def __init__(self, message: str, cause: str = "") -> None:
        self.message = f"{message}: {cause}" if cause else message
        super().__init__(self.message)


class TestFailed(PatchError):
    """A `test` operation found another value."""

    __test__ = False  # not a test case, whatever its name suggests to a test runner


class Unreadable(NamedTuple):
    """Stands for a text of an operation that JSON does not read, and says why."""

    reason: str


class _Run:
    """What the operations of one patch share: how many items of lists may still change their places, and whether
    scalars are kept as they are written."""

    __slots__ = ("keeps_texts", "moves_left")

    def __init__(self, keeps_texts: bool) -> None:
        self.keeps_texts = keeps_texts
        self.moves_left = MOVES_MAX

    def move(self, count: int) -> None:
        self.moves_left -= count
        if self.moves_left < 0:
            text = f"The operations of a JSON patch may move {MOVES_MAX} items of lists at most"
            raise errors.RequestEntityTooLarge.of(text)


def apply_to_object(document: Any, patch: Patch) -> Any:
    """`apply` for a request: whatever does not apply is upstream's 422, which says no more."""
    try:
        return apply(document, patch.operations, keeps_texts=patch.keeps_texts)
    except PatchError as error:
        raise errors.GenericServerResponse from error


def apply(
    document: Any, operations: list[Any], *, copy_bytes_max: int = COPY_BYTES_MAX, keeps_texts: bool = False
) -> Any:
    """The patched document: the same one, changed in place (half-way, when an operation fails), unless the patch
    replaces it as a whole. Hand in one of your own.

    The patch is left as it is. Raises PatchError, RequestEntityTooLarge.
    """
    bytes_left = copy_bytes_max
    run = _Run(keeps_texts)
    for operation in operations:
        operation = operation or {}
        kind = operation.get("op")
        if kind == "copy":
            bytes_left -= _copy(document, operation, run)
            if bytes_left < 0:
                size = copy_bytes_max - bytes_left
                raise PatchError(
                    f"Unable to complete the copy, the accumulated size increase of copy is {size}, exceeding the "
                    f"limit {copy_bytes_max}"
                )
            continue
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if handler is None:
            raise PatchError(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        if kind == "replace" and operation.get("path") == "":
            document = _new_document(operation)
        else:
            handler(document, operation, run)
    return written.plain(document) if keeps_texts else document


def _text(operation: dict[str, Any], name: str, failure: str, *, is_plain: bool = False) -> str:
    """A path of the operation. `is_plain`: upstream drops the reason from the text."""
    value = operation.get(name)
    if isinstance(value, str):
        return value
    if value is not None and not is_plain:
        reason = value.reason if isinstance(value, Unreadable) else mismatch(value, "Go value of type string")
        raise PatchError(failure, reason)
    if is_plain:
        raise PatchError(failure, _MISSING)
    comma = "," if name == "from" else ""
    raise PatchError(failure, f"operation{comma} missing {name} field: {_MISSING}")


def _find(document: Any, path: str) -> tuple[Any, str]:
    """The container that `path` points into and the key in it; (None, "") when there is none."""
    tokens = path.split("/")
    if len(tokens) < 2:
        return None, ""
    container = document
    for token in tokens[1:-1]:
        try:
            container = _get(container, unescape(token))
        except PatchError:
            return None, ""
        if not isinstance(container, (dict, list)):
            return None, ""
    return container, unescape(tokens[-1])


def unescape(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def _parse_index(key: str) -> int:
    try:
        return strconv.parse_int(key, "Atoi")
    except strconv.NumError as error:
        raise PatchError(error.call, error.reason) from error


def _position(key: str, length: int) -> int:
    """The position in a list of `length` places that `key` means; negative ones count from the end."""
    index = _parse_index(key)
    if not -length <= index < length:
        raise PatchError(f"Unable to access invalid index: {index}", _INVALID_INDEX)
    return index % length


def _get(container: Any, key: str) -> Any:
    """The member; None when an object does not have it."""
    if isinstance(container, dict):
        return container.get(key)
    return container[_position(key, len(container))]


def _insert(container: Any, key: str, value: Any, run: _Run) -> None:
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    else:
        try:
            _parse_index(key)
        except PatchError as error:
            raise PatchError(f"value was not a proper array index: '{key}'", error.message) from error
        position = _position(key, len(container) + 1)
        run.move(len(container) - position)
        container.insert(position, value)


def _delete(container: Any, key: str, run: _Run) -> None:
    if isinstance(container, list):
        position = _position(key, len(container))
        run.move(len(container) - position)
        del container[position]
    elif key in container:
        del container[key]
    else:
        raise PatchError(f"Unable to remove nonexistent key: {key}", _MISSING)


def _value(operation: dict[str, Any]) -> Any:
    """A copy, so that later operations change the document and not the patch."""
    return kernel.copy(operation.get("value"))


def _add(document: Any, operation: dict[str, Any], run: _Run) -> None:
    path = _text(operation, "path", "add operation failed to decode path", is_plain=True)
    container, key = _find(document, path)
    if container is None:
        raise PatchError(f'add operation does not apply: doc is missing path: "{path}"', _MISSING)
    try:
        _insert(container, key, _value(operation), run)
    except PatchError as error:
        raise PatchError(f"error in add for path: '{path}'", error.message) from error


def _remove(document: Any, operation: dict[str, Any], run: _Run) -> None:
    path = _text(operation, "path", "remove operation failed to decode path", is_plain=True)
    container, key = _find(document, path)
    if container is None:
        raise PatchError(f'remove operation does not apply: doc is missing path: "{path}"', _MISSING)
    try:
        _delete(container, key, run)
    except PatchError as error:
        raise PatchError(f"error in remove for path: '{path}'", error.message) from error


def _replace(document: Any, operation: dict[str, Any], run: _Run) -> None:
    path = _text(operation, "path", "replace operation failed to decode path")
    container, key = _find(document, path)
    if container is None:
        raise PatchError(f"replace operation does not apply: doc is missing path: {path}", _MISSING)
    try:
        place: Any = key if isinstance(container, dict) else _position(key, len(container))
    except PatchError as error:
        raise PatchError(f"replace operation does not apply: doc is missing key: {path}", _MISSING) from error
    container[place] = _value(operation)


def _new_document(operation: dict[str, Any]) -> Any:
    value = _value(operation)
    if not isinstance(value, dict | list):
        raise PatchError("replace operation value must be object or array", "%!w(<nil>)")
    return value


def _move(document: Any, operation: dict[str, Any], run: _Run) -> None:
    source = _text(operation, "from", "move operation failed to decode from")
    container, key = _find(document, source)
    if container is None:
        raise PatchError(f"move operation does not apply: doc is missing from path: {source}", _MISSING)
    try:
        value = _get(container, key)
        _delete(container, key, run)
    except PatchError as error:
        raise PatchError(f"error in move for path: '{key}'", error.message) from error
    path = _text(operation, "path", "move operation failed to decode path")
    container, key = _find(document, path)
    if container is None:
        raise PatchError(f"move operation does not apply: doc is missing destination path: {path}", _MISSING)
    try:
        _insert(container, key, value, run)
    except PatchError as error:
        raise PatchError(f"error in move for path: '{path}'", error.message) from error


def _copy(document: Any, operation: dict[str, Any], run: _Run) -> int:
    """The size of what was copied, as JSON: the limit guards against a document that doubles and doubles."""
    source = _text(operation, "from", "copy operation failed to decode from")
    container, key = _find(document, source)
    if container is None:
        raise PatchError(f"copy operation does not apply: doc is missing from path: {source}", _MISSING)
    try:
        value = _get(container, key)
    except PatchError as error:
        raise PatchError(f"error in copy for from: '{source}'", error.message) from error
    path = _text(operation, "path", "copy operation failed to decode path", is_plain=True)
    container, key = _find(document, path)
    if container is None:
        raise PatchError(f"copy operation does not apply: doc is missing destination path: {path}", _MISSING)
    if run.keeps_texts:
        copied, size = written.copy(value)
    else:
        copied, size = kernel.copy(value), written.size_of(value)
    try:
        _insert(container, key, copied, run)
    except PatchError as error:
        raise PatchError("error while adding value during copy", error.message) from error
    return 0 if value is None else size


def _tested(document: Any, path: str) -> Any:
    if not path:
        return document
    container, key = _find(document, path)
    if container is None:
        raise PatchError(f"test operation does not apply: is missing path: {path}", _MISSING)
    try:
        return _get(container, key)
    except PatchError as error:
        raise PatchError(f"error in test for path: '{path}'", error.message) from error


def _test(document: Any, operation: dict[str, Any], run: _Run) -> None:
    path = _text(operation, "path", "test operation failed to decode path")
    value = _tested(document, path)
    if not written.equal(value, operation.get("value")):
        raise TestFailed(f"testing value {path} failed", _TEST_FAILED)


_HANDLERS: Final = {"add": _add, "remove": _remove, "replace": _replace, "move": _move, "test": _test}
