"""The kinds of scheduling.k8s.io."""
