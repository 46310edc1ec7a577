"""The types of node.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
Overhead: podFixed core.ResourceList? 1
RuntimeClass kind: metadata meta.ObjectMeta? 1, handler string 2!, overhead *Overhead? 3, scheduling *Scheduling? 4
Scheduling: nodeSelector map[string]string? 1 atomic, tolerations []core.Toleration? 2 atomic
"""
