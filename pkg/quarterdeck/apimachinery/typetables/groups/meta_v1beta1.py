"""What meta.k8s.io/v1beta1 does not share with v1; see typetables/__init__.py for the notation."""

TABLE = """
PartialObjectMetadataList: items []meta.PartialObjectMetadata 1, metadata meta.ListMeta? 2
"""
