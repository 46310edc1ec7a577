"""Names as the last part of a key in the store, and namespaces before them.

Sources: apiserver/pkg/registry/generic/registry/store.go (NamespaceKeyFunc, NoNamespaceKeyFunc),
apiserver/pkg/storage/interfaces.go (PrepareKey).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import errors, gofmt, names

# Namespaces that would lead a key elsewhere. A request may ask for one, nothing is ever stored in one.
DIRECTORIES: Final = frozenset((".", ".."))
_KEY_ROOT: Final = "/registry"


def check_name(name: str) -> None:
    """Raises BadRequest where no object can have this name."""
    if not name:
        raise errors.BadRequest("Name parameter required.")
    if problems := names.path_segment_name(name):
        raise errors.BadRequest(f"Name parameter invalid: {gofmt.quote(name)}: {';'.join(problems)}")


def check_namespace(shown_prefix: str, namespace: str, name: str) -> None:
    """For who finds nothing. `shown_prefix` is how upstream's keys of the resource begin; `name` may be empty: all in
    the namespace. Raises Unreasoned."""
    if namespace in DIRECTORIES:
        path = f"{namespace}/{name}" if name else namespace
        raise errors.Unreasoned(f"invalid key: {gofmt.quote(shown_prefix.removeprefix(_KEY_ROOT) + path)}")
