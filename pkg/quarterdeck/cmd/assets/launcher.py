"""What the executables of `quarterdeck assets` run: `python -IS launcher.py kube-apiserver|etcd FLAGS`.

Imports nothing but a few modules of the standard library, and not the package: those who start a control plane for a
test poll it from the first moment on, and try again after 100 ms. So the port listens within some 30 ms; a client that
connects then waits in its queue until the server, which takes the process over, answers it.

    kube-apiserver   answers --help and --version, listens, and becomes `quarterdeck serve --ephemeral`
    etcd             answers health checks; it holds nothing

Both end when the process that started them does. Who starts them, and how: controller-runtime/pkg/internal/testing
(process.go, controlplane/{apiserver,etcd}.go).
"""

from __future__ import annotations

import os
import select
import socket
import sys

_LISTENER = 3  # the first descriptor that is handed over, by the convention of systemd
_BACKLOG = 4096
_HEAD_BYTES_MAX = 16384
_PARENT_POLL_S = 1.0
_CLIENTS_MAX = 64

# Written as kube-apiserver writes them, since envtest looks for names at the beginning of lines. There is no
# insecure-port among them, as in every kube-apiserver since 1.24: envtest then does not pass it.
_APISERVER_HELP = """\
The API server of Quarterdeck, with the command line of kube-apiserver. Objects are held in memory and are gone with it.

Usage:
  kube-apiserver [flags]

Flags:
      --allow-privileged
      --authorization-mode strings
      --bind-address ip
      --cert-dir string
      --client-ca-file string
      --disable-admission-plugins strings
      --enable-admission-plugins strings
      --etcd-servers strings                    taken, without effect
      --secure-port int
      --service-account-issuer strings
      --service-account-key-file stringArray
      --service-account-signing-key-file string
      --service-cluster-ip-range string

All flags of `quarterdeck serve` are taken; `quarterdeck serve --help` tells them.
"""
_ETCD_HELP = """\
Stands where etcd is expected: it answers health checks and holds nothing, since the API server needs no store.

Usage:
  etcd [flags]

Flags:
  --listen-client-urls string
    URLs to answer health checks on; http alone.
  --advertise-client-urls, --data-dir, --listen-peer-urls, --unsafe-no-fsync and others
    Taken, without effect.
  --unsafe-no-fsync
    Taken, without effect.
"""
_HEALTHY = b'{"health":"true","reason":""}'
_VERSION = b'{"etcdserver":"3.6.0","etcdcluster":"3.6.0"}'
_ANSWERS = {b"/health": _HEALTHY, b"/livez": b"ok\n", b"/readyz": b"ok\n", b"/version": _VERSION}


def main(arguments: list[str]) -> int:
    name, flags = arguments[0], arguments[1:]
    is_etcd = name == "etcd"
    if "--help" in flags or "-h" in flags:
        sys.stdout.write(_ETCD_HELP if is_etcd else _APISERVER_HELP)
        return 0
    if "--version" in flags:
        sys.stdout.write("etcd Version: 3.6.0\n" if is_etcd else "Kubernetes v1.36.0+quarterdeck\n")
        return 0
    try:
        return _answer_health(flags) if is_etcd else _become_server(flags)
    except OSError as error:
        sys.stderr.write(f"quarterdeck: error: {name}: {error.strerror or error}\n")
        return 3


def _become_server(flags: list[str]) -> int:
    kept = _drop(flags, ("--etcd-", "--storage-"))
    address = _find(kept, "--bind-address") or "127.0.0.1"
    port = _find(kept, "--secure-port") or "6443"
    environment = dict(os.environ)
    if port.isdecimal():  # else the server says what is wrong with it
        listener = _listen(address, int(port))
        os.dup2(listener.fileno(), _LISTENER)  # which may be the same one
        os.set_inheritable(_LISTENER, True)
        environment |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
        kept = [*kept, f"--secure-port={listener.getsockname()[1]}"]
    own = ["--ephemeral", f"--exit-with-process={os.getppid()}"]
    # Not the caller's directory on the path: there may be anything in it.
    os.execve(sys.executable, [sys.executable, "-P", "-m", "quarterdeck", "serve", *kept, *own], environment)


def _answer_health(flags: list[str]) -> int:
    urls = (_find(flags, "--listen-client-urls") or "http://localhost:2379").split(",")
    listeners = []
    for url in urls:
        scheme, _, place = url.partition("://")
        host, _, port = place.rstrip("/").rpartition(":")
        if scheme != "http" or not port.isdecimal():
            sys.stderr.write(f"quarterdeck: error: etcd: {url} is not an address for plain HTTP\n")
            return 2
        listeners.append(_listen(host.strip("[]"), int(port)))
    parent = os.getppid()
    clients: list[socket.socket] = []
    while os.getppid() == parent:
        ready, _, _ = select.select([*listeners, *clients], [], [], _PARENT_POLL_S)
        for each in ready:
            if each in clients:
                if not _answer(each):
                    clients.remove(each)
                    each.close()
            else:
                clients.append(each.accept()[0])
                if len(clients) > _CLIENTS_MAX:
                    clients.pop(0).close()
    return 0


def _answer(client: socket.socket) -> bool:
    """One request, which has no body and comes in one piece; whether the connection goes on."""
    try:
        head = client.recv(_HEAD_BYTES_MAX)
        words = head.split(b"\r\n", 1)[0].split()
        if len(words) != 3:
            return False
        path = words[1].split(b"?")[0]
        body = _ANSWERS.get(path, b"")
        status = b"200 OK" if path in _ANSWERS else b"404 Not Found"
        client.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))
    except OSError:
        return False
    return True


def _listen(address: str, port: int) -> socket.socket:
    family, kind, protocol, _, place = socket.getaddrinfo(
        address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(place)
    listener.listen(_BACKLOG)
    return listener


def _find(flags: list[str], name: str) -> str:
    """The last value of a flag, given as --name=value or as two arguments; empty: none."""
    found = ""
    for place, flag in enumerate(flags):
        given, equals, value = flag.partition("=")
        if given == name:
            found = value if equals else "".join(flags[place + 1 : place + 2])
    return found


def _drop(flags: list[str], prefixes: tuple[str, ...]) -> list[str]:
    """Without the flags that begin with one of `prefixes`, and their values."""
    kept: list[str] = []
    is_value = False
    for flag in flags:
        if flag.startswith(prefixes):
            is_value = "=" not in flag
        elif is_value and not flag.startswith("-"):
            is_value = False
        else:
            is_value = False
            kept.append(flag)
    return kept


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
