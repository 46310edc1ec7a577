"""What stands between a value and its stored bytes.

    stored = "k8s:enc:" PROVIDER ":" VERSION ":" [NAME ":"] the provider's own bytes

A list of providers is tried in turn when a value is read: the first that fits and can read it wins. The first of all
writes. A value that any other one has read is stale: an update that changes nothing writes it again.

The context is the key under which kube-apiserver would keep the value in etcd: ciphers that authenticate bind a value
to it, so that nobody who can write to the file moves a value to another object.

Source: apiserver/pkg/storage/value/transformer.go, encrypt/identity/identity.go.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, Protocol

ENCRYPTED: Final = b"k8s:enc:"
NO_PREFIX: Final = "no matching prefix found"
TO_STORAGE: Final = "to_storage"
FROM_STORAGE: Final = "from_storage"


class TransformError(Exception):
    """A value cannot be encrypted or decrypted. The text is upstream's and tells nothing of the value or a key. `code`
    is that of gRPC where a plugin answered."""

    def __init__(self, text: str, code: str = "unknown-non-grpc") -> None:
        super().__init__(text)
        self.code = code


class KeyWanted(Exception):
    """A value cannot be read before a key has been had from elsewhere: await `fetch()`, which raises TransformError,
    and open it again."""

    def __init__(self, fetch: Callable[[], Awaitable[None]]) -> None:
        super().__init__("a key is wanted")
        self.fetch = fetch


class DecryptedValue(NamedTuple):
    """`is_stale`: the value would be written otherwise now."""

    data: bytes
    is_stale: bool


class Transformer(Protocol):
    def seal(self, data: bytes, context: bytes) -> bytes:
        """The stored bytes of a value. Raises TransformError."""

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        """The value of stored bytes. Raises TransformError, KeyWanted."""


class Identity:
    """Leaves values as they are, and reads none that another provider has written."""

    def seal(self, data: bytes, context: bytes) -> bytes:
        return data

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        if data.startswith(ENCRYPTED):
            raise TransformError("identity transformer tried to read encrypted data")
        return DecryptedValue(data, False)


IDENTITY: Final = Identity()


class Prefixed(NamedTuple):
    """A transformer whose values begin with `prefix` in the store."""

    prefix: bytes
    transformer: Transformer


Record = Callable[[str, str, float, TransformError | None], None]
"""(TO_STORAGE or FROM_STORAGE, prefix, seconds, error)"""


class PrefixTransformers:
    """Several transformers, told apart by how their values begin. `unmatched` is said of a value that fits none.

    `record` is told of each operation where somebody counts them.
    """

    def __init__(self, unmatched: str, transformers: Sequence[Prefixed], record: Record | None = None) -> None:
        self._unmatched = unmatched
        self._transformers = tuple(transformers)
        self._prefix, self._writer = transformers[0]
        self._prefix_told = self._prefix.decode()
        self._record = record

    def seal(self, data: bytes, context: bytes) -> bytes:
        record = self._record
        if record is None:
            return self._prefix + self._writer.seal(data, context)
        begin = time.perf_counter()
        try:
            sealed = self._prefix + self._writer.seal(data, context)
        except TransformError as error:
            record(TO_STORAGE, self._prefix_told, 0.0, error)
            raise
        record(TO_STORAGE, self._prefix_told, time.perf_counter() - begin, None)
        return sealed

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        begin = time.perf_counter()
        failed: list[str] = []
        code = ""
        for number, (prefix, transformer) in enumerate(self._transformers):
            if not data.startswith(prefix):
                continue
            told = prefix.decode() or "identity"
            try:
                opened = transformer.open(data[len(prefix) :], context)
            except TransformError as error:
                if prefix:  # plain text was looked for: a later provider may have written it
                    self._tell(told, begin, error)
                    failed.append(str(error))
                    code = code or error.code
                continue
            self._tell(told, begin, None)
            return DecryptedValue(opened.data, opened.is_stale or number > 0)
        if failed:
            # As upstream's aggregate: each text once, several in brackets.
            texts = list(dict.fromkeys(failed))
            raise TransformError(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]", code)
        unmatched = TransformError(self._unmatched)
        self._tell("unknown", begin, unmatched)
        raise unmatched

    def _tell(self, prefix: str, begin: float, error: TransformError | None) -> None:
        if self._record is not None:
            self._record(FROM_STORAGE, prefix, time.perf_counter() - begin, error)
