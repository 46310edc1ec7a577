"""What is said of the types of node."""

TEXT = """
node.RuntimeClass # A container runtime that pods may ask for by name.
  handler # What the node's runtime knows the class by. It does not change.
  metadata # Standard object metadata.
  overhead # What running a pod of the class costs beside its containers.
  scheduling # Which nodes support the class.
"""
