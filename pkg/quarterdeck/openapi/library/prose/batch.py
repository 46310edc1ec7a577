"""What is said of the types of batch."""

TEXT = """
batch.CronJob # Jobs that are to begin at certain times. Nobody starts them here.
  metadata # Standard object metadata.
  spec # When which jobs begin.
  status # What whoever starts the jobs tells of them.

batch.Job # Pods that run until their work is done. Nobody runs them here.
  metadata # Standard object metadata.
  spec # Which pods run, how many, and when that was enough.
  status # What whoever runs the job tells of it.
"""
