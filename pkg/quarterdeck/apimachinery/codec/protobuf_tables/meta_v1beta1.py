"""What meta.k8s.io/v1beta1 does not share with v1, as protobuf.

Source: apimachinery/pkg/apis/meta/v1beta1/generated.proto."""

TABLE = """
PartialObjectMetadataList: 1 items []PartialObjectMetadata, 2 metadata ListMeta
"""
