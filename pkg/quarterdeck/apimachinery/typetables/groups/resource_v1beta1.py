"""The types of resource.k8s.io/v1beta1; see typetables/__init__.py for the notation."""

TABLE = """
=resource: AllocatedDeviceStatus AllocationConfigSource AllocationResult CELDeviceSelector CapacityRequestPolicy
  CapacityRequestPolicyRange CapacityRequirements Counter CounterSet DeviceAllocationConfiguration DeviceAllocationMode
  DeviceAllocationResult DeviceAttribute DeviceCapacity DeviceClaim DeviceClaimConfiguration DeviceClass
  DeviceClassConfiguration DeviceClassSpec DeviceConfiguration DeviceConstraint DeviceCounterConsumption
  DeviceRequestAllocationResult DeviceSelector DeviceTaint DeviceTaintEffect DeviceToleration DeviceTolerationOperator
  FullyQualifiedName NetworkDeviceData NodeAllocatableResourceMapping OpaqueDeviceConfiguration QualifiedName
  ResourceClaim ResourceClaimConsumerReference ResourceClaimSpec ResourceClaimStatus ResourceClaimTemplate
  ResourceClaimTemplateSpec ResourcePool ResourceSlice
BasicDevice: attributes map[QualifiedName]DeviceAttribute? 1, capacity map[QualifiedName]DeviceCapacity? 2,
  consumesCounters []DeviceCounterConsumption? 3 atomic, nodeName *string? 4, nodeSelector *core.NodeSelector? 5,
  allNodes *bool? 6, taints []DeviceTaint? 7 atomic, bindsToNode *bool? 8, bindingConditions []string? 9 atomic,
  bindingFailureConditions []string? 10 atomic, allowMultipleAllocations *bool? 11, nodeAllocatableResourceMappings
  map[core.ResourceName]NodeAllocatableResourceMapping? 12
Device: name string 1!, basic *BasicDevice? 2
DeviceRequest: name string 1!, deviceClassName string 2, selectors []DeviceSelector? 3 atomic, allocationMode
  DeviceAllocationMode? 4, count int64? 5, adminAccess *bool? 6, firstAvailable []DeviceSubRequest? 7 atomic,
  tolerations []DeviceToleration? 8 atomic, capacity *CapacityRequirements? 9
DeviceSubRequest: name string 1!, deviceClassName string 2!, selectors []DeviceSelector? 3 atomic, allocationMode
  DeviceAllocationMode? 4, count int64? 5, tolerations []DeviceToleration? 7 atomic, capacity *CapacityRequirements? 8
ResourceSliceSpec: driver string 1!, pool ResourcePool 2!, nodeName string? 3, nodeSelector *core.NodeSelector? 4,
  allNodes bool? 5, devices []Device? 6 atomic, perDeviceNodeSelection *bool? 7, sharedCounters []CounterSet? 8 atomic
"""
