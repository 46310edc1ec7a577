"""All that a store holds, as of one revision, in a file; and copies between stores, of any backend (interface.py)."""
