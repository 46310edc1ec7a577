"""The types of storage.k8s.io/v1beta1 that are served; see typetables/__init__.py."""

TABLE = """
=storage: VolumeAttributesClass
"""
