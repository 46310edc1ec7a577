"""What libnghttp2 is asked to do otherwise than it would, for the connections of clients. For http2.pyx.

Source: golang.org/x/net/http2 and http/httpguts, which take blanks around the value of a field.
"""

from quarterdeck._kernels.nghttp2 cimport (
    nghttp2_option,
    nghttp2_option_new,
    nghttp2_option_set_max_outbound_ack,
    nghttp2_option_set_max_settings,
    nghttp2_option_set_no_closed_streams,
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation,
)

cdef enum:
    C_SETTINGS_MAX = 32
    C_OUTBOUND_ACKS_MAX = 1000


cdef nghttp2_option* build_options() except NULL:
    cdef nghttp2_option* options = NULL
    if nghttp2_option_new(&options):
        raise MemoryError
    nghttp2_option_set_no_closed_streams(options, 1)
    nghttp2_option_set_max_settings(options, C_SETTINGS_MAX)
    nghttp2_option_set_max_outbound_ack(options, C_OUTBOUND_ACKS_MAX)
    # Go sends them: `Authorization: Bearer `, where a client has a source of tokens that gave it none.
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
    return options
