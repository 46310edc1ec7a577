"""The embedded backend: one SQLite file, one thread, group commit. Start reading at store.py, then worker.py."""

from quarterdeck.storage.sqlite.limits import Limits
from quarterdeck.storage.sqlite.store import SQLiteStorage

__all__ = ["Limits", "SQLiteStorage"]
