"""The group events.k8s.io, v1, as protobuf.

Source: api/events/v1/generated.proto and types.go.
"""

TABLE = """
Event: 1 metadata ObjectMeta, 2 eventTime MicroTime, 3 series *EventSeries, 4 reportingController string,
  5 reportingInstance string, 6 action string, 7 reason string, 8 regarding ObjectReference,
  9 related *ObjectReference, 10 note string, 11 type string, 12 deprecatedSource EventSource,
  13 deprecatedFirstTimestamp Time, 14 deprecatedLastTimestamp Time, 15 deprecatedCount int32
EventList: 1 metadata ListMeta, 2 items []Event
EventSeries: 1 count int32, 2 lastObservedTime MicroTime
"""
