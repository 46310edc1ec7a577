"""The etcd backend (etcd 3.4 and newer): data that outlives a machine, in the keys and values of kube-apiserver."""
