"""The kinds of apps."""
