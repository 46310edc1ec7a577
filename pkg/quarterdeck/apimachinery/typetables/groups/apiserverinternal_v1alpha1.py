"""The types of internal.apiserver.k8s.io/v1alpha1; see typetables/__init__.py for the notation."""

TABLE = """
ConditionStatus = string
ServerStorageVersion: apiServerID string? 1!, encodingVersion string? 2!, decodableVersions []string? 3! set,
  servedVersions []string? 4 set
StorageVersion kind: metadata meta.ObjectMeta? 1!, spec StorageVersionSpec 2, status StorageVersionStatus 3
StorageVersionCondition: type StorageVersionConditionType 1!, status ConditionStatus 2!, observedGeneration int64? 3,
  lastTransitionTime meta.Time? 4, reason string 5!, message string? 6!
StorageVersionConditionType = string
StorageVersionSpec:
StorageVersionStatus: storageVersions []ServerStorageVersion? 1 map(apiServerID), commonEncodingVersion *string? 2,
  conditions []StorageVersionCondition? 3 map(type)
"""
