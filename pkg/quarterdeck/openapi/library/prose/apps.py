"""What is said of the types of apps."""

TEXT = """
apps.ControllerRevision # A state that a controller remembers, never changed.
apps.DaemonSet # Pods of which every node that fits has one. Nobody runs them here.
apps.ReplicaSet # A number of like pods. Nobody runs them here.
apps.StatefulSet # Pods with names and volumes of their own, in order. Nobody runs them here.
apps.Deployment # Pods that are replaced as they are described. Nobody rolls them out here.
"""
