"""The types of coordination.k8s.io/v1alpha2; see typetables/__init__.py for the notation."""

TABLE = """
=coordination_v1beta1
"""
