"""The group policy, v1, as protobuf.

Source: api/policy/v1/generated.proto and types.go.
"""

TABLE = """
Eviction: 1 metadata ObjectMeta, 2 deleteOptions *DeleteOptions
PodDisruptionBudget: 1 metadata ObjectMeta, 2 spec PodDisruptionBudgetSpec, 3 status PodDisruptionBudgetStatus
PodDisruptionBudgetList: 1 metadata ListMeta, 2 items []PodDisruptionBudget
PodDisruptionBudgetSpec: 1 minAvailable *IntOrString, 2 selector *LabelSelector, 3 maxUnavailable *IntOrString,
  4 unhealthyPodEvictionPolicy *string
PodDisruptionBudgetStatus: 1 observedGeneration int64, 2 disruptedPods map[Time], 3 disruptionsAllowed int32,
  4 currentHealthy int32, 5 desiredHealthy int32, 6 expectedPods int32, 7 conditions []Condition
"""
