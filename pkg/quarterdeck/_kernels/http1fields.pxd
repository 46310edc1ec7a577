# The fields of a request's head (ext/http1fields.pyx).

from quarterdeck._kernels.http1framing cimport Framing
from quarterdeck._kernels.octets cimport Bytes

cdef frozenset READ_ONCE

cdef object parse_fields(Bytes* at, Bytes end, Py_ssize_t fields_max, Framing* framing)
