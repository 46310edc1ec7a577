"""Documents of coverage that were written to files: by `quarterdeck coverage report -o json`, or for a session of
pytest."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from quarterdeck.cmd.coverage import merging

Document = dict[str, Any]
_LISTS: Final = ("callers", "fields", "rules", "conditions", "webhooks", "bindings")


class SavedError(Exception):
    """A file cannot be read, or holds something else; the text is for people."""


def load(paths: Iterable[Path], users: str, user_agents: str) -> Document:
    """All of them as one; of the callers those that the patterns name. Raises SavedError."""
    merged = merging.merge(_read(path) for path in paths)
    merged["callers"] = [
        each
        for each in merged["callers"]
        if fnmatchcase(each["user"], users) and fnmatchcase(each["userAgent"], user_agents)
    ]
    return merged


def _read(path: Path) -> Document:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise SavedError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise SavedError(f"{path} is no JSON: {error}") from error
    is_whole = isinstance(found, dict) and all(isinstance(found.get(name), list) for name in _LISTS)
    if not is_whole or not isinstance(found.get("notKept"), dict) or not isinstance(found.get("leftOut"), int):
        raise SavedError(f"{path} is no whole report: it takes all that -o json writes without --only")
    document: Document = found
    return document
