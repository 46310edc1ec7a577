"""The types of policy/v1; see typetables/__init__.py for the notation."""

TABLE = """
Eviction kind: metadata meta.ObjectMeta? 1, deleteOptions *meta.DeleteOptions? 2
PodDisruptionBudget kind: metadata meta.ObjectMeta? 1, spec PodDisruptionBudgetSpec? 2,
  status PodDisruptionBudgetStatus? 3
PodDisruptionBudgetSpec: minAvailable *intstr.IntOrString? 1, selector *meta.LabelSelector? 2 patch(replace),
  maxUnavailable *intstr.IntOrString? 3, unhealthyPodEvictionPolicy *UnhealthyPodEvictionPolicyType? 4
PodDisruptionBudgetStatus: observedGeneration int64? 1, disruptedPods map[string]meta.Time? 2,
  disruptionsAllowed int32 3, currentHealthy int32 4, desiredHealthy int32 5, expectedPods int32 6,
  conditions []meta.Condition? 7 map(type) patch(merge|type)
UnhealthyPodEvictionPolicyType = string enum(AlwaysAllow|IfHealthyBudget)
"""
