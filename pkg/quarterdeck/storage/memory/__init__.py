"""The backend that holds everything in memory and is gone with its process: for tests. Start reading at store.py."""

from quarterdeck.storage.memory.state import State
from quarterdeck.storage.memory.store import Limits, MemoryStorage, new_state

__all__ = ["Limits", "MemoryStorage", "State", "new_state"]
