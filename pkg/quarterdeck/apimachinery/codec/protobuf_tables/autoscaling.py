"""The group autoscaling, v1, as protobuf.

Source: api/autoscaling/v1/generated.proto and types.go.
"""

TABLE = """
ContainerResourceMetricSource: 1 name string, 2 targetAverageUtilization *int32, 3 targetAverageValue *Quantity,
  5 container string
ContainerResourceMetricStatus: 1 name string, 2 currentAverageUtilization *int32, 3 currentAverageValue Quantity,
  4 container string
CrossVersionObjectReference: 1 kind string, 2 name string, 3 apiVersion string
ExternalMetricSource: 1 metricName string, 2 metricSelector *LabelSelector, 3 targetValue *Quantity,
  4 targetAverageValue *Quantity
ExternalMetricStatus: 1 metricName string, 2 metricSelector *LabelSelector, 3 currentValue Quantity,
  4 currentAverageValue *Quantity
HorizontalPodAutoscaler: 1 metadata ObjectMeta, 2 spec HorizontalPodAutoscalerSpec,
  3 status HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerCondition: 1 type string, 2 status string, 3 lastTransitionTime Time, 4 reason string,
  5 message string
HorizontalPodAutoscalerList: 1 metadata ListMeta, 2 items []HorizontalPodAutoscaler
HorizontalPodAutoscalerSpec: 1 scaleTargetRef CrossVersionObjectReference, 2 minReplicas *int32, 3 maxReplicas int32,
  4 targetCPUUtilizationPercentage *int32
HorizontalPodAutoscalerStatus: 1 observedGeneration *int64, 2 lastScaleTime *Time, 3 currentReplicas int32,
  4 desiredReplicas int32, 5 currentCPUUtilizationPercentage *int32
MetricSpec: 1 type string, 2 object *ObjectMetricSource, 3 pods *PodsMetricSource, 4 resource *ResourceMetricSource,
  7 containerResource *ContainerResourceMetricSource, 5 external *ExternalMetricSource
MetricStatus: 1 type string, 2 object *ObjectMetricStatus, 3 pods *PodsMetricStatus, 4 resource *ResourceMetricStatus,
  7 containerResource *ContainerResourceMetricStatus, 5 external *ExternalMetricStatus
ObjectMetricSource: 1 target CrossVersionObjectReference, 2 metricName string, 3 targetValue Quantity,
  4 selector *LabelSelector, 5 averageValue *Quantity
ObjectMetricStatus: 1 target CrossVersionObjectReference, 2 metricName string, 3 currentValue Quantity,
  4 selector *LabelSelector, 5 averageValue *Quantity
PodsMetricSource: 1 metricName string, 2 targetAverageValue Quantity, 3 selector *LabelSelector
PodsMetricStatus: 1 metricName string, 2 currentAverageValue Quantity, 3 selector *LabelSelector
ResourceMetricSource: 1 name string, 2 targetAverageUtilization *int32, 3 targetAverageValue *Quantity
ResourceMetricStatus: 1 name string, 2 currentAverageUtilization *int32, 3 currentAverageValue Quantity
Scale: 1 metadata ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus
ScaleSpec: 1 replicas int32
ScaleStatus: 1 replicas int32, 2 selector string
"""
