"""What is stored and cannot be read is deleted at whatever revision it has (KEP-3926)."""

from __future__ import annotations

from quarterdeck.storage.interface import RevisionConflict, Storage


async def delete(storage: Storage, key: str) -> int:
    """The revision of the deletion. Whatever it held does not count: finalizers, dependents, other preconditions.
    Raises StorageError."""
    try:
        return await storage.delete(key, 0)
    except RevisionConflict as conflict:
        return await storage.delete(key, conflict.current)
