"""Migrations of stored objects, which kube-controller-manager carries out."""
