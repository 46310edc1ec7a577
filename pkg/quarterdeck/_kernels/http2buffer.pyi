"""Where a connection's frames are put together: nothing for Python. Body: ext/http2buffer.pyx."""
