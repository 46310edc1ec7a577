"""The types of storage.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
CSIDriver kind: metadata meta.ObjectMeta? 1, spec CSIDriverSpec 2!
CSIDriverSpec: attachRequired *bool? 1, podInfoOnMount *bool? 2, volumeLifecycleModes []VolumeLifecycleMode? 3 set,
  storageCapacity *bool? 4, fsGroupPolicy *FSGroupPolicy? 5, tokenRequests []TokenRequest? 6 atomic,
  requiresRepublish *bool? 7, seLinuxMount *bool? 8, nodeAllocatableUpdatePeriodSeconds *int64? 9,
  serviceAccountTokenInSecrets *bool? 10, preventPodSchedulingIfMissing *bool? 11
CSINode kind: metadata meta.ObjectMeta? 1, spec CSINodeSpec 2!
CSINodeDriver: name string 1!, nodeID string 2!, topologyKeys []string 3 atomic, allocatable *VolumeNodeResources? 4
CSINodeSpec: drivers []CSINodeDriver 1! map(name) patch(merge|name)
CSIStorageCapacity kind: metadata meta.ObjectMeta? 1, nodeTopology *meta.LabelSelector? 2, storageClassName string 3!,
  capacity *resource.Quantity? 4, maximumVolumeSize *resource.Quantity? 5
FSGroupPolicy = string
StorageClass kind: metadata meta.ObjectMeta? 1, provisioner string 2!, parameters map[string]string? 3,
  reclaimPolicy *core.PersistentVolumeReclaimPolicy? 4, mountOptions []string? 5 atomic,
  allowVolumeExpansion *bool? 6, volumeBindingMode *VolumeBindingMode? 7,
  allowedTopologies []core.TopologySelectorTerm? 8 atomic
TokenRequest: audience string 1!, expirationSeconds *int64? 2
VolumeAttachment kind: metadata meta.ObjectMeta? 1, spec VolumeAttachmentSpec 2!, status VolumeAttachmentStatus? 3
VolumeAttachmentSource: persistentVolumeName *string? 1, inlineVolumeSpec *core.PersistentVolumeSpec? 2
VolumeAttachmentSpec: attacher string 1!, source VolumeAttachmentSource 2!, nodeName string 3!
VolumeAttachmentStatus: attached bool 1!, attachmentMetadata map[string]string? 2, attachError *VolumeError? 3,
  detachError *VolumeError? 4
VolumeAttributesClass kind: metadata meta.ObjectMeta? 1, driverName string 2!, parameters map[string]string? 3
VolumeBindingMode = string enum(Immediate|WaitForFirstConsumer)
VolumeError: time meta.Time? 1, message string? 2, errorCode *int32? 3
VolumeLifecycleMode = string
VolumeNodeResources: count *int32? 1
"""
