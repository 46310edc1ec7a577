"""What is said of the types of node."""

TEXT = """
node.RuntimeClass # A container runtime that pods may ask for by name.
  handler # What the node's runtime knows the class by. It does not change.
  metadata # Standard object metadata.
  overhead # What running a pod of the class costs beside its containers.
  scheduling # Which nodes support the class.

node.Overhead # What running a pod costs on top of its containers.
  podFixed # Resources that are added to what each pod asks for.

node.Scheduling # Which nodes support a runtime class.
  nodeSelector # Labels that such nodes have; added to the pod's own, which must not contradict. Empty for all.
  tolerations # Added to the pod's own, without duplicates.
"""
