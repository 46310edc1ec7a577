"""`quarterdeck bench`: the project's own measurements against any server that a kubeconfig names.

Nothing of the server is imported here: what is measured is reached over the network only, so that other API servers
can be measured by the same program (cmd/kubeconfig.py says which server, cmd/client.py sends requests).

    watchers     thousands of watches in a process of their own
    load         connections that are kept busy, in several processes;  workload: with what
    connection   HTTP/1.1, and watchreader its watches;  http2connection, http2watchreader: the same of HTTP/2
    processes    what the server's processes spent, where they run on this machine
    scenario     what is done and measured;  report: how it is told
"""
