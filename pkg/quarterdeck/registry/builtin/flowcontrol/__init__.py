"""The kinds of flowcontrol.apiserver.k8s.io. They are data here: nobody queues requests by them."""
