"""Controllers of kube-controller-manager that run only where `--controllers` names them."""
