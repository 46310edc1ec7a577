"""The kinds of discovery."""
