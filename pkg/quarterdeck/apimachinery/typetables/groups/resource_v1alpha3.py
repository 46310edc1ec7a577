"""The types of resource.k8s.io/v1alpha3; see typetables/__init__.py for the notation."""

TABLE = """
=resource: DeviceTaint DeviceTaintEffect
=resource_v1beta2: DeviceTaintRule DeviceTaintRuleSpec DeviceTaintRuleStatus DeviceTaintSelector
PoolStatus: driver string? 1!, poolName string? 2!, generation int64 9!, resourceSliceCount *int32? 8, totalDevices
  *int32? 4, allocatedDevices *int32? 5, availableDevices *int32? 6, unavailableDevices *int32? 7, nodeName *string? 3,
  validationError *string? 10
ResourcePoolStatusRequest kind: metadata meta.ObjectMeta? 1!, spec ResourcePoolStatusRequestSpec 2!, status
  *ResourcePoolStatusRequestStatus? 3
ResourcePoolStatusRequestSpec: driver string 1!, poolName *string? 2, limit *int32? 3 =100
ResourcePoolStatusRequestStatus: poolCount *int32? 6!, pools []PoolStatus? 2 atomic, conditions []meta.Condition? 3
  map(type) patch(merge|type)
"""
