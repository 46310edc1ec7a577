"""Where third-party test data lies, if it is there at all: it is never part of the repository."""

import os
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]


def find(name: str) -> Path | None:
    """The folder `name` ("corpus", "cel") below $QUARTERDECK_DATA or, without it, the sibling folder `shared`."""
    root = Path(os.environ.get("QUARTERDECK_DATA") or _REPOSITORY.parent / "shared")
    folder = root / name
    return folder if folder.is_dir() else None
