"""The Go types of api/events/v1/types.go. Written by tools/make_go_types.py."""

TABLE = """
Event: metadata meta.ObjectMeta, eventTime meta.MicroTime, series *EventSeries?, reportingController string?,
  reportingInstance string?, action string?, reason string?, regarding core.ObjectReference?,
  related *core.ObjectReference?, note string?, type string?, deprecatedSource core.EventSource?,
  deprecatedFirstTimestamp meta.Time?, deprecatedLastTimestamp meta.Time?, deprecatedCount int32?
EventSeries: count int32, lastObservedTime meta.MicroTime
"""
