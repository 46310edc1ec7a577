"""The bytes of an entry in a form. Apart from forms.py, since every answer asks for them: this is compiled."""

from __future__ import annotations

from quarterdeck._kernels import watchobject
from quarterdeck.storage.cacher.forms import Form


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
