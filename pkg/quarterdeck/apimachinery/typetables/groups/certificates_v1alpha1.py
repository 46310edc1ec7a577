"""The types of certificates.k8s.io/v1alpha1; see typetables/__init__.py for the notation."""

TABLE = """
=certificates_v1beta1: ClusterTrustBundle ClusterTrustBundleSpec
"""
