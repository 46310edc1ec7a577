"""The backend that holds everything in memory and is gone with its process: for tests. Start reading at store.py."""

from quarterdeck.storage.memory.store import Limits, MemoryStorage

__all__ = ["Limits", "MemoryStorage"]
