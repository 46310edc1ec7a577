"""The kinds of autoscaling, in two versions."""
