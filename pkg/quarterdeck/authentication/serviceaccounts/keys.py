"""The keys that tokens are signed and verified with: those of the flags, or one of the server's own.

The own key is made when the first token is asked for (RSA takes 0.1 s) and lies in the data directory from then on.
Source: pkg/controlplane/apiserver/options (completeServiceAccountOptions), pkg/serviceaccount.
Files of keys are read again when they change (server/reload.py).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from quarterdeck.authentication.serviceaccounts import jws

Keep = Callable[[Path, bytes], None]


class Keys:
    """`signing_file` None: the own key in `own_file`, which `keep` writes. Call `load` at the start where flags name
    files, so that a bad one is said then. Raises UnusableKey, OSError."""

    def __init__(self, signing_file: Path | None, files: Sequence[Path], own_file: Path, keep: Keep) -> None:
        self._signing_file = signing_file
        self._files = tuple(files)
        self._own_file = own_file
        self._keep = keep
        self._signing: jws.SigningKey | None = None
        self._verifying: dict[str, jws.VerificationKey] = {}
        self._lock = threading.Lock()

    @property
    def files(self) -> tuple[Path, ...]:
        """Those of the flags."""
        return self._files if self._signing_file is None else (self._signing_file, *self._files)

    @property
    def is_loaded(self) -> bool:
        return self._signing is not None

    @property
    def have_signed(self) -> bool:
        """Without any key no token can be ours."""
        return self.is_loaded or bool(self.files) or self._own_file.exists()

    def load(self) -> jws.SigningKey:
        """May take a while the first time: it is safe in a thread."""
        with self._lock:
            return self._signing or self._read()

    def reload(self) -> None:
        """Read the files again. What cannot be used leaves the keys as they are, and is raised."""
        with self._lock:
            self._read()

    def _read(self) -> jws.SigningKey:
        signing = jws.load_signing_key(self._read_signing())
        found = [key for file in self._files for key in jws.load_verification_keys(file.read_bytes())]
        self._verifying = {key.key_id: key for key in [*found, signing.public]}
        self._signing = signing
        return signing

    def _read_signing(self) -> bytes:
        if self._signing_file is not None:
            return self._signing_file.read_bytes()
        if not self._own_file.exists():
            self._keep(self._own_file, jws.generate_key_pem())
        return self._own_file.read_bytes()

    def verifying(self) -> tuple[jws.VerificationKey, ...]:
        self.load()
        return tuple(self._verifying.values())

    def verifies(self, key_id: str) -> bool:
        """Whether tokens that this key has verified are believed still."""
        return key_id in self._verifying
