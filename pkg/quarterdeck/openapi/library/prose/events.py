"""What is said of the types of events."""

TEXT = """
events.Event # A report of something that happened to an object; kept for a limited time.
  action # What was done or failed to be done.
  deprecatedCount # The field count of core/v1.
  deprecatedFirstTimestamp # The field firstTimestamp of core/v1.
  deprecatedLastTimestamp # The field lastTimestamp of core/v1.
  deprecatedSource # The field source of core/v1.
  eventTime # When it was first observed.
  metadata # Standard object metadata.
  note # A description for people.
  reason # Why, as a short word for machines.
  regarding # The object that the event is about.
  related # A second object, for more complex actions.
  reportingController # The controller that reports, such as example.com/controller.
  reportingInstance # The instance of the controller.
  series # The series that the event belongs to, if any.
  type # Normal or Warning.

events.EventSeries # How often and until when an event repeats.
  count # The number of occurrences up to lastObservedTime.
  lastObservedTime # When it was last observed.
"""
