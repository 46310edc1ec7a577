"""Names as the last part of a key in the store.

Source: apiserver/pkg/registry/generic/registry/store.go (NamespaceKeyFunc, NoNamespaceKeyFunc).
"""

from __future__ import annotations

from quarterdeck.apimachinery import errors, gofmt, names


def check_name(name: str) -> None:
    """Raises BadRequest where no object can have this name."""
    if not name:
        raise errors.BadRequest("Name parameter required.")
    if problems := names.path_segment_name(name):
        raise errors.BadRequest(f"Name parameter invalid: {gofmt.quote(name)}: {';'.join(problems)}")
