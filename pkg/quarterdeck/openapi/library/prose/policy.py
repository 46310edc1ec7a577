"""What is said of the types of policy."""

TEXT = """
policy.PodDisruptionBudget # How many of the pods that it selects have to stay when others are evicted.
  metadata # Standard object metadata.
  spec # What has to stay.
  status # How things are at present.

policy.Eviction # The wish that a pod goes, as far as budgets allow it.
  metadata # Standard object metadata.
  deleteOptions # How the pod is deleted.

policy.PodDisruptionBudgetSpec # How many pods have to stay.
  minAvailable # How many have to stay healthy, as a number or percentage; excludes maxUnavailable.
  selector # Labels of the pods; an empty one takes all of the namespace, an absent one none.
  maxUnavailable # How many may be missing, as a number or percentage; excludes minAvailable.
  unhealthyPodEvictionPolicy # When running pods that are not ready may go; IfHealthyBudget by default.

policy.PodDisruptionBudgetStatus # How many pods there are, and how many may go.
  observedGeneration # The generation of the object that this status is about.
  disruptedPods # Pods let go but not yet seen to be deleted, with the time of their eviction.
  disruptionsAllowed # How many more may be evicted now.
  currentHealthy # How many are healthy.
  desiredHealthy # How many have to be healthy.
  expectedPods # How many there should be altogether.
  conditions # What is known about the object's state.
"""
