"""What is said of the types of flowcontrol."""

TEXT = """
flowcontrol.FlowSchema # Which requests are of which priority level.
  metadata # Standard object metadata.
  spec # The requests, and the level that they are of.
  status # Whether the level exists.
flowcontrol.PriorityLevelConfiguration # How much of a server requests of a kind may have.
  metadata # Standard object metadata.
  spec # The limits, and what becomes of requests beyond them.
  status # What was told of the level.
"""
