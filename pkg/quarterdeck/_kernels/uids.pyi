"""UUIDs of version 4 (RFC 9562, 5.4). Body: ext/uids.pyx."""

def format_uid(random: bytes) -> str:
    """Of sixteen random bytes. Raises ValueError for another number of them."""

def new_request_id() -> str:
    """Of the system's random bytes, for what no object shows: whatever source of randomness objects have."""
