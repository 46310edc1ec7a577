"""The types of storagemigration.k8s.io/v1beta1; see typetables/__init__.py for the notation."""

TABLE = """
StorageVersionMigration kind: metadata meta.ObjectMeta? 1, spec StorageVersionMigrationSpec? 2,
  status StorageVersionMigrationStatus? 3
StorageVersionMigrationSpec: resource meta.GroupResource 1!
StorageVersionMigrationStatus: conditions []meta.Condition? 1 map(type) patch(merge|type), resourceVersion string? 2
"""
