"""The types of autoscaling/v1; see typetables/__init__.py for the notation."""

TABLE = """
ContainerResourceMetricSource: name core.ResourceName 1, targetAverageUtilization *int32? 2,
  targetAverageValue *resource.Quantity? 3, container string 5
ContainerResourceMetricStatus: name core.ResourceName 1, currentAverageUtilization *int32? 2,
  currentAverageValue resource.Quantity 3, container string 4
CrossVersionObjectReference atomic: kind string 1!, name string 2!, apiVersion string? 3
ExternalMetricSource: metricName string 1, metricSelector *meta.LabelSelector? 2, targetValue *resource.Quantity? 3,
  targetAverageValue *resource.Quantity? 4
ExternalMetricStatus: metricName string 1, metricSelector *meta.LabelSelector? 2, currentValue resource.Quantity 3,
  currentAverageValue *resource.Quantity? 4
HorizontalPodAutoscaler kind: metadata meta.ObjectMeta? 1, spec HorizontalPodAutoscalerSpec? 2!,
  status HorizontalPodAutoscalerStatus? 3
HorizontalPodAutoscalerCondition: type HorizontalPodAutoscalerConditionType 1, status core.ConditionStatus 2,
  lastTransitionTime meta.Time? 3, reason string? 4, message string? 5
HorizontalPodAutoscalerConditionType = string
HorizontalPodAutoscalerSpec: scaleTargetRef CrossVersionObjectReference 1!, minReplicas *int32? 2,
  maxReplicas int32 3!, targetCPUUtilizationPercentage *int32? 4
HorizontalPodAutoscalerStatus: observedGeneration *int64? 1, lastScaleTime *meta.Time? 2, currentReplicas int32 3!,
  desiredReplicas int32 4!, currentCPUUtilizationPercentage *int32? 5
MetricSourceType = string
MetricSpec: type MetricSourceType 1, object *ObjectMetricSource? 2, pods *PodsMetricSource? 3,
  resource *ResourceMetricSource? 4, containerResource *ContainerResourceMetricSource? 7,
  external *ExternalMetricSource? 5
MetricStatus: type MetricSourceType 1, object *ObjectMetricStatus? 2, pods *PodsMetricStatus? 3,
  resource *ResourceMetricStatus? 4, containerResource *ContainerResourceMetricStatus? 7,
  external *ExternalMetricStatus? 5
ObjectMetricSource: target CrossVersionObjectReference 1, metricName string 2, targetValue resource.Quantity 3,
  selector *meta.LabelSelector? 4, averageValue *resource.Quantity? 5
ObjectMetricStatus: target CrossVersionObjectReference 1, metricName string 2, currentValue resource.Quantity 3,
  selector *meta.LabelSelector? 4, averageValue *resource.Quantity? 5
PodsMetricSource: metricName string 1, targetAverageValue resource.Quantity 2, selector *meta.LabelSelector? 3
PodsMetricStatus: metricName string 1, currentAverageValue resource.Quantity 2, selector *meta.LabelSelector? 3
ResourceMetricSource: name core.ResourceName 1, targetAverageUtilization *int32? 2,
  targetAverageValue *resource.Quantity? 3
ResourceMetricStatus: name core.ResourceName 1, currentAverageUtilization *int32? 2,
  currentAverageValue resource.Quantity 3
Scale kind: metadata meta.ObjectMeta? 1, spec ScaleSpec? 2, status ScaleStatus? 3
ScaleSpec: replicas int32? 1 =0
ScaleStatus: replicas int32 1!, selector string? 2
"""
