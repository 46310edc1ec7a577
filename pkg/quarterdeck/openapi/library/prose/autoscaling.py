"""What is said of the types of autoscaling."""

TEXT = """
autoscaling.HorizontalPodAutoscaler # How many pods something that scales is to have. Nobody scales it here.
  metadata # Standard object metadata.
  spec # What is scaled, and within which bounds.
  status # What whoever scales tells of it.

autoscaling_v2.HorizontalPodAutoscaler # How many pods something that scales is to have. Nobody scales it here.
  metadata # Standard object metadata.
  spec # What is scaled, by which metrics, and within which bounds.
  status # What whoever scales tells of it.
"""
