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

autoscaling.CrossVersionObjectReference # Names an object in the same namespace, whatever version it is served in.
  kind # The kind of the object.
  name # The name of the object.
  apiVersion # Group and version of the object.

autoscaling.HorizontalPodAutoscalerSpec # What is to be scaled, within which bounds and for which CPU load.
  scaleTargetRef # The workload to scale; it must have a scale subresource.
  minReplicas # Never scale below this many replicas; 1 by default.
  maxReplicas # Never scale above this many replicas; at least minReplicas.
  targetCPUUtilizationPercentage # Average CPU use aimed at, in percent of what the pods request; 80 by default.

autoscaling.HorizontalPodAutoscalerStatus # What the autoscaler has measured and decided.
  observedGeneration # The generation of the object that this status is about.
  lastScaleTime # When the number of replicas was last changed by the autoscaler.
  currentReplicas # How many replicas were there when the autoscaler last looked.
  desiredReplicas # How many replicas the autoscaler wants.
  currentCPUUtilizationPercentage # Average CPU use measured, in percent of what the pods request.

autoscaling_v2.ContainerResourceMetricSource # A metric: how much of a resource one container uses in every pod.
  name # The resource, such as cpu or memory.
  target # The value to aim at.
  container # Name of the container that is measured.

autoscaling_v2.ContainerResourceMetricStatus # How much of a resource one container was seen to use in every pod.
  name # The resource, such as cpu or memory.
  current # The value measured last.
  container # Name of the container that is measured.

autoscaling_v2.CrossVersionObjectReference # Names an object in the same namespace, whatever version it is served in.
  kind # The kind of the object.
  name # The name of the object.
  apiVersion # Group and version of the object.

autoscaling_v2.ExternalMetricSource # A metric from outside the cluster, such as the length of a hosted queue.
  metric # Which metric.
  target # The value to aim at.

autoscaling_v2.ExternalMetricStatus # What was measured of a metric from outside the cluster.
  metric # Which metric.
  current # The value measured last.

autoscaling_v2.HPAScalingPolicy # A limit to how much may be scaled within a period.
  type # Whether the value counts Pods or is a share of the present replicas (Percent).
  value # Greatest change allowed within the period; above zero.
  periodSeconds # Length of the period in seconds, from 1 to 1800.

autoscaling_v2.HPAScalingRules # How fast and how eagerly to scale in one direction.
  stabilizationWindowSeconds # Seconds of past advice to heed against flapping, at most 3600. Default: up 0, down 300.
  selectPolicy # Which policy wins: Max (default) the greatest change, Min the least; Disabled forbids scaling.
  policies # Limits to the pace. When absent, the defaults of the direction apply.
  tolerance # Deviation from the target, as a fraction, that is left alone; 0.1 unless the cluster sets another.

autoscaling_v2.HorizontalPodAutoscalerBehavior # How the autoscaler behaves in either direction.
  scaleUp # Rules for adding pods. By default, doubling or 4 pods every 15 seconds, whichever is more.
  scaleDown # Rules for removing pods. By default all above minReplicas may go, after 300 seconds of calm.

autoscaling_v2.HorizontalPodAutoscalerCondition # One aspect of the state of an autoscaler.
  type # What the condition is about.
  status # True, False or Unknown.
  lastTransitionTime # When the status last changed.
  reason # Why, as a word in CamelCase.
  message # Details for people.

autoscaling_v2.HorizontalPodAutoscalerSpec # What is to be scaled, within which bounds and by which metrics.
  scaleTargetRef # The workload to scale; it must have a scale subresource.
  minReplicas # Never scale below this many replicas; 1 by default.
  maxReplicas # Never scale above this many replicas; at least minReplicas.
  metrics # What to measure; the metric asking for most replicas wins. By default, 80 percent CPU use.
  behavior # How fast to scale up and down; defaults apply when absent.

autoscaling_v2.HorizontalPodAutoscalerStatus # What the autoscaler has measured and decided.
  observedGeneration # The generation of the object that this status is about.
  lastScaleTime # When the number of replicas was last changed by the autoscaler.
  currentReplicas # How many replicas were there when the autoscaler last looked.
  desiredReplicas # How many replicas the autoscaler wants.
  currentMetrics # The values measured last, one for each metric.
  conditions # What is known about the object's state.

autoscaling_v2.MetricIdentifier # Names a metric.
  name # The name of the metric.
  selector # Narrows the metric down by its labels; passed on to the metrics server. Only the name counts when absent.

autoscaling_v2.MetricSpec # A metric to scale by. Only the member that fits the type is set.
  type # Where the metric comes from: Resource, ContainerResource, Pods, Object or External.
  object # A metric about a single object, such as requests at an ingress.
  pods # A metric of every pod, averaged over the pods.
  resource # CPU, memory or the like, as used by whole pods.
  containerResource # CPU, memory or the like, as used by one container of every pod.
  external # A metric from outside the cluster.

autoscaling_v2.MetricStatus # What was measured of a metric. Only the member that fits the type is set.
  type # Where the metric comes from: Resource, ContainerResource, Pods, Object or External.
  object # A metric about a single object, such as requests at an ingress.
  pods # A metric of every pod, averaged over the pods.
  resource # CPU, memory or the like, as used by whole pods.
  containerResource # CPU, memory or the like, as used by one container of every pod.
  external # A metric from outside the cluster.

autoscaling_v2.MetricTarget # The value that scaling aims at.
  type # How the value is meant: Utilization, Value or AverageValue.
  value # Total to aim at, for the type Value.
  averageValue # Average per pod to aim at, for the type AverageValue.
  averageUtilization # Average use in percent of the request, for the type Utilization; only for resource metrics.

autoscaling_v2.MetricValueStatus # A value that was measured.
  value # The total.
  averageValue # The average per pod.
  averageUtilization # The average use in percent of the request; only for resource metrics.

autoscaling_v2.ObjectMetricSource # A metric about a single object, such as requests at an ingress.
  describedObject # The object that the metric is about.
  target # The value to aim at.
  metric # Which metric.

autoscaling_v2.ObjectMetricStatus # What was measured of a metric about a single object.
  metric # Which metric.
  current # The value measured last.
  describedObject # The object that the metric is about.

autoscaling_v2.PodsMetricSource # A metric of every pod, averaged over the pods.
  metric # Which metric.
  target # The value to aim at.

autoscaling_v2.PodsMetricStatus # What was measured of a metric of every pod.
  metric # Which metric.
  current # The value measured last.

autoscaling_v2.ResourceMetricSource # A metric: how much of a resource whole pods use.
  name # The resource, such as cpu or memory.
  target # The value to aim at.

autoscaling_v2.ResourceMetricStatus # How much of a resource whole pods were seen to use.
  name # The resource, such as cpu or memory.
  current # The value measured last.
"""
