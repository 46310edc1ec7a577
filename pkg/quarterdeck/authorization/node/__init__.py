"""The authorizer of kubelets: a node may read what the pods that run on it need, and write what is its own."""
