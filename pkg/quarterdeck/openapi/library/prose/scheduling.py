"""What is said of the types of scheduling."""

TEXT = """
scheduling.PriorityClass # How important pods are that name this class.
  description # When to use the class, for people.
  globalDefault # Whether pods that name no class get this one.
  metadata # Standard object metadata.
  preemptionPolicy # Whether pods of the class displace others: Never or PreemptLowerPriority.
  value # The priority; higher is more important.
"""
