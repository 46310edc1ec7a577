"""The kinds of networking."""
