"""Values in envelopes: each begins with the encrypted seed that its key comes from.

Seeds that the plugin has decrypted are kept, by their encrypted form: one for each start of a server and each change of
the plugin's key. What the plugin could not decrypt is not asked for again at once, so that a plugin that hangs does not
cost its timeout for each value.

Source: apiserver/pkg/storage/value/encrypt/envelope/kmsv2/envelope.go.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from functools import partial
from typing import Final

from quarterdeck.storage.value import aes
from quarterdeck.storage.value.kms import messages
from quarterdeck.storage.value.kms.messages import Source
from quarterdeck.storage.value.kms.observer import Observer
from quarterdeck.storage.value.kms.probe import Plugin, Probe
from quarterdeck.storage.value.transformer import (
    FROM_STORAGE,
    TO_STORAGE,
    DecryptedValue,
    KeyWanted,
    Transformer,
    TransformError,
)

KEYS_MAX: Final = 1000
FAILURE_LIFE_S: Final = 3.0

_CacheKey = tuple[object, ...]


class Envelope:
    def __init__(self, plugin: Plugin, probe: Probe, observer: Observer) -> None:
        self._plugin = plugin
        self._probe = probe
        self._observer = observer
        self._keys: OrderedDict[_CacheKey, Transformer] = OrderedDict()
        self._failures: OrderedDict[_CacheKey, tuple[float, TransformError]] = OrderedDict()

    def seal(self, data: bytes, context: bytes) -> bytes:
        state = self._probe.writable_state()
        self._keep(state.source.cache_key(), state.transformer)
        sealed = state.transformer.seal(data, context)
        self._observer.key_used(self._probe.name, TO_STORAGE, state.source.key_id)
        return messages.encode_object(sealed, state.source)

    def open(self, data: bytes, context: bytes) -> DecryptedValue:
        sealed, source = messages.decode_object(data)
        state = self._probe.state()
        key = source.cache_key()
        transformer = self._keys.get(key)
        if transformer is None:
            raise KeyWanted(partial(self._fetch, key, source))
        opened = transformer.open(sealed, context)
        self._observer.key_used(self._probe.name, FROM_STORAGE, source.key_id)
        is_stale = source.key_id != state.source.key_id or source.type != state.source.type
        return DecryptedValue(opened.data, is_stale)

    async def _fetch(self, key: _CacheKey, source: Source) -> None:
        failed = self._failures.get(key)
        if failed is not None and time.monotonic() < failed[0]:
            raise TransformError(str(failed[1]), failed[1].code)
        self._observer.cache_missed()
        try:
            plain = await self._plugin.decrypt(str(uuid.uuid4()), source)
            made: Transformer
            if source.type == messages.HKDF_SEED:
                made = aes.ExtendedGCM(plain)
            elif len(plain) in aes.KEY_BYTES:
                made = aes.GCM(plain)
            else:
                raise TransformError(f"crypto/aes: invalid key size {len(plain)}")
        except TransformError as error:
            told = TransformError(f"failed to decrypt DEK, error: {error}", error.code)
            self._failures[key] = (time.monotonic() + FAILURE_LIFE_S, told)
            while len(self._failures) > KEYS_MAX:
                self._failures.popitem(last=False)
            raise told from error
        self._failures.pop(key, None)
        self._keep(key, made)

    def _keep(self, key: _CacheKey, transformer: Transformer) -> None:
        if key in self._keys:
            return
        self._keys[key] = transformer
        while len(self._keys) > KEYS_MAX:
            self._keys.popitem(last=False)
        self._observer.keys_cached(self._probe.name, len(self._keys))
