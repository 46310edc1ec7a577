"""The types of events.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
Event kind: metadata meta.ObjectMeta 1, eventTime meta.MicroTime 2!, series *EventSeries? 3,
  reportingController string? 4, reportingInstance string? 5, action string? 6, reason string? 7,
  regarding core.ObjectReference? 8, related *core.ObjectReference? 9, note string? 10, type string? 11,
  deprecatedSource core.EventSource? 12, deprecatedFirstTimestamp meta.Time? 13,
  deprecatedLastTimestamp meta.Time? 14, deprecatedCount int32? 15
EventSeries: count int32 1!, lastObservedTime meta.MicroTime 2!
"""
