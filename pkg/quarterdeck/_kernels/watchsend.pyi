"""Sending to sockets; for watch alone (watchsend.pxd). Body: ext/watchsend.pyx."""
