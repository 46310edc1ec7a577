"""What is said of the types of policy."""

TEXT = """
policy.PodDisruptionBudget # How many of the pods that it selects have to stay when others are evicted.
policy.Eviction # The wish that a pod goes, as far as budgets allow it.
"""
