"""What libnghttp2 is asked to do otherwise than it would: nothing for Python. Body: ext/http2options.pyx."""
