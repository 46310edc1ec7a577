"""The group storage.k8s.io, v1, as protobuf.

Source: api/storage/v1/generated.proto and types.go.
"""

TABLE = """
CSIDriver: 1 metadata ObjectMeta, 2 spec CSIDriverSpec
CSIDriverList: 1 metadata ListMeta, 2 items []CSIDriver
CSIDriverSpec: 1 attachRequired *bool, 2 podInfoOnMount *bool, 3 volumeLifecycleModes []string,
  4 storageCapacity *bool, 5 fsGroupPolicy *string, 6 tokenRequests []TokenRequest, 7 requiresRepublish *bool,
  8 seLinuxMount *bool, 9 nodeAllocatableUpdatePeriodSeconds *int64, 10 serviceAccountTokenInSecrets *bool,
  11 preventPodSchedulingIfMissing *bool
CSINode: 1 metadata ObjectMeta, 2 spec CSINodeSpec
CSINodeDriver: 1 name string, 2 nodeID string, 3 topologyKeys []string, 4 allocatable *VolumeNodeResources
CSINodeList: 1 metadata ListMeta, 2 items []CSINode
CSINodeSpec: 1 drivers []CSINodeDriver
CSIStorageCapacity: 1 metadata ObjectMeta, 2 nodeTopology *LabelSelector, 3 storageClassName string,
  4 capacity *Quantity, 5 maximumVolumeSize *Quantity
CSIStorageCapacityList: 1 metadata ListMeta, 2 items []CSIStorageCapacity
StorageClass: 1 metadata ObjectMeta, 2 provisioner string, 3 parameters map[string], 4 reclaimPolicy *string,
  5 mountOptions []string, 6 allowVolumeExpansion *bool, 7 volumeBindingMode *string,
  8 allowedTopologies []TopologySelectorTerm
StorageClassList: 1 metadata ListMeta, 2 items []StorageClass
TokenRequest: 1 audience string, 2 expirationSeconds *int64
VolumeAttachment: 1 metadata ObjectMeta, 2 spec VolumeAttachmentSpec, 3 status VolumeAttachmentStatus
VolumeAttachmentList: 1 metadata ListMeta, 2 items []VolumeAttachment
VolumeAttachmentSource: 1 persistentVolumeName *string, 2 inlineVolumeSpec *PersistentVolumeSpec
VolumeAttachmentSpec: 1 attacher string, 2 source VolumeAttachmentSource, 3 nodeName string
VolumeAttachmentStatus: 1 attached bool, 2 attachmentMetadata map[string], 3 attachError *VolumeError,
  4 detachError *VolumeError
VolumeAttributesClass: 1 metadata ObjectMeta, 2 driverName string, 3 parameters map[string]
VolumeAttributesClassList: 1 metadata ListMeta, 2 items []VolumeAttributesClass
VolumeError: 1 time Time, 2 message string, 3 errorCode *int32
VolumeNodeResources: 1 count *int32
"""
