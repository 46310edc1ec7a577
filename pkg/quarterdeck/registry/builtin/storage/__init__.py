"""The kinds of storage.k8s.io."""
