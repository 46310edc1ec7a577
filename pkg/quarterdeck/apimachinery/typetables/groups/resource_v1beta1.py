"""The types of resource.k8s.io/v1beta1, in which nothing is served, that are unlike those of v1."""

TABLE = """
BasicDevice: attributes map[resource.QualifiedName]resource.DeviceAttribute? 1,
  capacity map[resource.QualifiedName]resource.DeviceCapacity? 2,
  consumesCounters []resource.DeviceCounterConsumption? 3, nodeName *string? 4, nodeSelector *core.NodeSelector? 5,
  allNodes *bool? 6, taints []resource.DeviceTaint? 7, bindsToNode *bool? 8, bindingConditions []string? 9,
  bindingFailureConditions []string? 10, allowMultipleAllocations *bool? 11,
  nodeAllocatableResourceMappings map[core.ResourceName]resource.NodeAllocatableResourceMapping? 12
Device: name string 1!, basic *BasicDevice? 2
DeviceClaim: requests []DeviceRequest 1, constraints []resource.DeviceConstraint? 2,
  config []resource.DeviceClaimConfiguration? 3
DeviceRequest: name string 1!, deviceClassName string? 2, selectors []resource.DeviceSelector? 3,
  allocationMode resource.DeviceAllocationMode? 4, count int64? 5, adminAccess *bool? 6,
  firstAvailable []resource.DeviceSubRequest? 7, tolerations []resource.DeviceToleration? 8,
  capacity *resource.CapacityRequirements? 9
ResourceClaim kind: metadata meta.ObjectMeta? 1, spec ResourceClaimSpec 2!, status resource.ResourceClaimStatus? 3
ResourceClaimSpec: devices DeviceClaim 1
ResourceClaimTemplate kind: metadata meta.ObjectMeta? 1, spec ResourceClaimTemplateSpec 2!
ResourceClaimTemplateSpec: metadata meta.ObjectMeta? 1, spec ResourceClaimSpec 2!
ResourceSlice kind: metadata meta.ObjectMeta? 1, spec ResourceSliceSpec 2!
ResourceSliceSpec: driver string 1!, pool resource.ResourcePool 2!, nodeName *string? 3,
  nodeSelector *core.NodeSelector? 4, allNodes *bool? 5, devices []Device? 6, perDeviceNodeSelection *bool? 7,
  sharedCounters []resource.CounterSet? 8
"""
