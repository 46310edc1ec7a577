"""The types of certificates.k8s.io/v1beta1 that are served; see typetables/__init__.py."""

TABLE = """
ClusterTrustBundle kind: metadata meta.ObjectMeta? 1, spec ClusterTrustBundleSpec 2!
ClusterTrustBundleSpec: signerName string? 1, trustBundle string 2!
"""
