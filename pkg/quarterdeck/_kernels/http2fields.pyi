"""The head of an answer for libnghttp2: nothing for Python. Body: ext/http2fields.pyx."""
