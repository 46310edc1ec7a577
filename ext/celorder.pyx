"""Order of CEL values. Source: cel-go's common/types (Compare)."""

from quarterdeck._kernels.celvalue cimport NO_SUCH_OVERLOAD, UINT, CelErr, Duration, Timestamp


cdef object compare(object a, object b):
    """-1, 0 or 1; NO_SUCH_OVERLOAD where there is no order."""
    ta = type(a)
    tb = type(b)
    if ta is float and a != a or tb is float and b != b and (ta is int or ta is float or ta is UINT):
        return CelErr("NaN values cannot be ordered")
    if ta is tb and (ta is str or ta is bytes or ta is bool):
        return _order(a, b)
    if (ta is int or ta is float or ta is UINT) and (tb is int or tb is float or tb is UINT):
        if ta is float and tb is not float:
            if -9.3e18 < a < 1.9e19:
                b = float(b)
        elif tb is float and ta is not float and -9.3e18 < b < 1.9e19:
            a = float(a)
        return _order(a, b)
    if ta is not tb:
        return NO_SUCH_OVERLOAD
    if ta is Timestamp:
        return _order(((<Timestamp>a).seconds, (<Timestamp>a).nanos), ((<Timestamp>b).seconds, (<Timestamp>b).nanos))
    if ta is Duration:
        return _order((<Duration>a).ns, (<Duration>b).ns)
    return NO_SUCH_OVERLOAD


cdef object _order(object a, object b):
    return -1 if a < b else (1 if a > b else 0)


def cel_compare(a, b):
    return compare(a, b)
