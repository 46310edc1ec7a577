"""Metrics: what is counted and timed, and the text in which it is served.

Families live in a Registry, which server/apiserver.py builds and hands down; there is no global one. Adding a metric:

    family = registry.counter("workqueue_adds_total", "[ALPHA] Total number of adds …", ("name",))
    self._adds = family.labels("naming")      # once, kept
    self._adds.inc()                          # as often as you like: about 30 ns

or, for a count that is kept anyway, a line in server/instruments.py that reads it at each scrape:

    registry.read_gauge("workqueue_depth", "[ALPHA] Current depth …", read_mapping(queues.depths), ("name",))
"""
