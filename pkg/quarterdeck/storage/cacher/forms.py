"""What a form is: one way in which the objects of a resource are shown, and the bytes of an object in it.

A form belongs to one served version and one representation (the object, its metadata alone, a table row). It is made
once for each definition and handed in with every request: bytes are kept, and watchers are put together, by the
identity of the form. A changed schema or conversion means new forms.

A form holds no entries and no caches of its own; the bytes are kept with the entry.
"""

from __future__ import annotations

from typing import Protocol

from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher import frames

gather_data = watchobject.gather_data
slice_metadata = watchobject.slice_metadata
holds_any = watchobject.holds_any


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
        `k8s.io/initial-events-end: "true"` where `is_initial_end`."""


class StoredForm:
    """The objects as they are stored: the form of the storage version, where nothing is added on the way out."""

    is_stored = True
    is_kept = False
    has_header = False
    framing: frames.Framing = frames.JSON

    def __init__(self, api_version: str, kind: str, hidden_annotation: str = "") -> None:
        """`hidden_annotation`: one that upstream shows in whole objects only, being a field inside."""
        self.hidden_annotation = hidden_annotation
        self._head = b'{"kind":"%b","apiVersion":"%b","metadata":{' % (kind.encode(), api_version.encode())

    def encode(self, entry: watchobject.Entry) -> bytes:
        return entry.data

    def encode_first(self, entry: watchobject.Entry) -> bytes:
        return entry.data

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        return self._head + encode_bookmark_metadata(revision, is_initial_end=is_initial_end) + b"}"


def encode_bookmark_metadata(revision: int, *, is_initial_end: bool) -> bytes:
    """The members of a bookmark's metadata and the brace that ends them."""
    annotations = b',"annotations":{"k8s.io/initial-events-end":"true"}' if is_initial_end else b""
    return b'"resourceVersion":"%d"%b}' % (revision, annotations)


def base_form(form: Form) -> Form:
    """The form of the objects themselves that a form is made from (`base`), or the form itself."""
    while (base := getattr(form, "base", None)) is not None:
        form = base
    return form


def encode(entry: watchobject.Entry, form: Form) -> bytes:
    """The entry's bytes in the form, made once where the form's bytes are kept."""
    if form.is_stored:
        return entry.data
    if not form.is_kept:
        return form.encode(entry)
    data = entry.encoding(form)
    if data is None:
        data = form.encode(entry)
        entry.keep_encoding(form, data)
    return data
