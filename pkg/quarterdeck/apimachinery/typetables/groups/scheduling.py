"""The types of scheduling.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
PriorityClass kind: metadata meta.ObjectMeta? 1, value int32 2, globalDefault bool? 3, description string? 4,
  preemptionPolicy *core.PreemptionPolicy? 5
"""
