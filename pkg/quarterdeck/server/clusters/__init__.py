"""Logical clusters: many servers in one process, each with objects of its own, reached by /clusters/NAME.

    transport ── Front ──┬── the server of the process
                         └── Cluster ── a server of its own on a fork of a state in memory (built at the first request)

A cluster at rest is its state alone: containers that it shares with what it was forked from until it is written. One
that is awake has all that a server has. Start reading at registry.py. docs/adr/0110 tells why.
"""
