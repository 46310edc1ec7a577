"""What `quarterdeck serve --help` says beside its flags: how it is called, its files, how it ends."""

from __future__ import annotations

from typing import Final

USAGE: Final = "quarterdeck serve [FLAG …]"
DESCRIPTION: Final = """\
Serve the Kubernetes API until SIGTERM or SIGINT. Without flags: on https://127.0.0.1:6443, with the data in
~/.local/share/quarterdeck/server; whoever has the kubeconfig there is the administrator.

Flags are kube-apiserver's where it has them. Others of kube-apiserver's are taken, with a warning that they have no
effect; those that would make the server safer and cannot be honoured end the start."""
EPILOG: Final = """\
files:
  DIR/admin.kubeconfig  the administrator's kubeconfig
  DIR/store.db          the objects, and their history; one server at a time
  DIR/live-page.url     where the page of --ui is, with its token
  DIR/pki               the server's own authority, certificates and keys

environment:
  NOTIFY_SOCKET, WATCHDOG_USEC  of systemd: it is told that the server is ready, lives, stops
  LISTEN_FDS, LISTEN_PID        of systemd: a socket of the secure or insecure port is taken over

exit status:
  0  stopped by a signal
  1  cannot start, or failed
  2  wrong usage
  3  a port cannot be had
  4  the data directory or its store cannot be used
  5  the store failed while the server ran

examples:
  quarterdeck serve --data-dir data
  quarterdeck serve --ephemeral --secure-port=0 --write-kubeconfig=test.kubeconfig
  quarterdeck serve --data-dir data --bind-address=0.0.0.0 --token-auth-file=tokens.csv

see also:
  quarterdeck serve --storage-backend=etcd3 --help, for the flags of etcd and of several servers on one
  quarterdeck up, for servers by name; quarterdeck snapshot, for copies; quarterdeck storage, after damage"""
