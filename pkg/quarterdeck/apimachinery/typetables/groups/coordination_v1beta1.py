"""The types of coordination.k8s.io/v1beta1 that are served; see typetables/__init__.py."""

TABLE = """
LeaseCandidate kind: metadata meta.ObjectMeta? 1, spec LeaseCandidateSpec? 2!
LeaseCandidateSpec: leaseName string 1!, pingTime *meta.MicroTime? 2, renewTime *meta.MicroTime? 3, binaryVersion string
  4!, emulationVersion string? 5, strategy coordination.CoordinatedLeaseStrategy? 6!
"""
