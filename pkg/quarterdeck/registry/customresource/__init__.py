"""Custom resources: the generic store with what their definition says."""
