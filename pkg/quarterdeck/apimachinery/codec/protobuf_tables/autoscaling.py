"""The group autoscaling, v1, as protobuf. Source: api/autoscaling/v1/generated.proto."""

TABLE = """
CrossVersionObjectReference: 1 kind string, 2 name string, 3 apiVersion string
HorizontalPodAutoscaler: 1 metadata ObjectMeta, 2 spec HorizontalPodAutoscalerSpec,
  3 status HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerList: 1 metadata ListMeta, 2 items []HorizontalPodAutoscaler
HorizontalPodAutoscalerSpec: 1 scaleTargetRef CrossVersionObjectReference, 2 minReplicas *int32, 3 maxReplicas int32,
  4 targetCPUUtilizationPercentage *int32
HorizontalPodAutoscalerStatus: 1 observedGeneration *int64, 2 lastScaleTime Time, 3 currentReplicas int32,
  4 desiredReplicas int32, 5 currentCPUUtilizationPercentage *int32
Scale: 1 metadata ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus
ScaleSpec: 1 replicas int32
ScaleStatus: 1 replicas int32, 2 selector string
"""
