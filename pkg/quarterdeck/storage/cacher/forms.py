"""What a form is: one way in which the objects of a resource are shown, and the bytes of an object in it.

A form belongs to one served version and one representation (the object, its metadata alone, a table row). It is made
once for each definition and handed in with every request: bytes are kept, and watchers are put together, by the
identity of the form. A changed schema or conversion means new forms.

A form holds no entries and no caches of its own; the bytes are kept with the entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.storage.cacher import frames

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class EncodingError(Exception):
    """An object cannot be shown in a form (its conversion failed). A watch that meets it ends."""


class Form(Protocol):
    """`is_stored`: an object's bytes are the stored ones. `is_kept`: bytes are worth keeping with the entry.
    `has_header`: the first event of a watch is encoded differently (a Table with its columns). `framing`: what is made
    of the bytes for a watch."""

    is_stored: bool
    is_kept: bool
    has_header: bool
    framing: frames.Framing

    def __hash__(self) -> int:
        """By identity."""

    def encode(self, entry: watchobject.Entry) -> bytes:
        """The object in the form's media type, JSON or protobuf. Raises EncodingError."""

    def encode_first(self, entry: watchobject.Entry) -> bytes:
        """The object as the first event of a watch shows it. Asked only where `has_header`."""

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        """The object of a bookmark: kind, apiVersion and the resourceVersion, with the annotation
        `k8s.io/initial-events-end: "true"` where `is_initial_end`, and what an object of the kind always has."""


class StoredForm:
    """The objects as they are stored: the form of the storage version, where nothing is added on the way out."""

    is_stored = True
    is_kept = False
    has_header = False
    framing: frames.Framing = frames.JSON

    def __init__(
        self,
        api_version: str,
        kind: str,
        hidden_annotation: str = "",
        make_empty: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        """`hidden_annotation`: one that upstream shows in whole objects only, being a field inside. `make_empty` gives
        an object of which nothing is said; it is asked for the first bookmark."""
        self.hidden_annotation = hidden_annotation
        self._kind = {"kind": kind, "apiVersion": api_version}
        self._make_empty = make_empty
        self._annotations: Mapping[str, str] = {}
        self._rest: bytes | None = None
        self._head = b'{"kind":"%b","apiVersion":"%b","metadata":{' % (kind.encode(), api_version.encode())

    def encode(self, entry: watchobject.Entry) -> bytes:
        return entry.data

    def encode_first(self, entry: watchobject.Entry) -> bytes:
        return entry.data

    def encode_empty(self) -> bytes:
        """An object of which nothing is said."""
        return codec.encode({**self._kind, "metadata": {}, **self._make_empty()})

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        if self._rest is None:
            empty = self._make_empty()
            self._annotations = (empty.get("metadata") or {}).get("annotations", {})
            body = codec.encode({name: value for name, value in empty.items() if name != "metadata"})
            self._rest = b"," + body[1:] if body != b"{}" else b"}"
        metadata = encode_bookmark_metadata(revision, is_initial_end=is_initial_end, others=self._annotations)
        return self._head + metadata + self._rest


def encode_bookmark_metadata(revision: int, *, is_initial_end: bool, others: Mapping[str, str] | None = None) -> bytes:
    """The members of a bookmark's metadata and the brace that ends them. `others` are annotations beside its own."""
    annotations = {**(others or {}), **({INITIAL_EVENTS_END: "true"} if is_initial_end else {})}
    shown = b',"annotations":' + codec.encode(annotations) if annotations else b""
    return b'"resourceVersion":"%d"%b}' % (revision, shown)


def base_form(form: Form) -> Form:
    """The form of the objects themselves that a form is made from (`base`), or the form itself."""
    while (base := getattr(form, "base", None)) is not None:
        form = base
    return form
