"""The metadata of embedded resources in a compiled schema. The code is ext/schemameta.pyx."""

from quarterdeck._kernels.schema import Program

def nodes_within(program: Program) -> bytes:
    """For each node of the program whether it is an embedded resource's metadata, or stands within it."""
