"""Metadata that needs no decoding. Contract: pkg/quarterdeck/_kernels/plainmeta.pyi."""

from cpython.ref cimport PyObject

from quarterdeck._kernels.dictentries cimport Entries, entries_of, next_entry

cdef extern from "Python.h":
    bint PyDict_CheckExact(PyObject* value)
    bint PyList_CheckExact(PyObject* value)
    bint PyUnicode_CheckExact(PyObject* value)
    bint PyLong_CheckExact(PyObject* value)
    bint PyBool_Check(PyObject* value)
    PyObject* Py_None
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)
    int PyUnicode_KIND(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)

cdef enum:
    M_STRING = 1
    M_INTEGER         # which is left out where it is 0
    M_POINTER         # to an integer, which may be 0
    M_STRINGS         # a map of strings
    M_LIST            # of strings
    M_TIME
    M_OWNERS
    M_MANAGED
    M_BOOLEAN
    M_RAW

cdef dict OBJECT_META = {
    "name": M_STRING, "namespace": M_STRING, "generateName": M_STRING, "uid": M_STRING, "resourceVersion": M_STRING,
    "selfLink": M_STRING, "generation": M_INTEGER, "labels": M_STRINGS, "annotations": M_STRINGS,
    "finalizers": M_LIST, "creationTimestamp": M_TIME, "deletionTimestamp": M_TIME,
    "deletionGracePeriodSeconds": M_POINTER, "ownerReferences": M_OWNERS, "managedFields": M_MANAGED,
}
cdef dict OWNER_REFERENCE = {
    "apiVersion": M_STRING, "kind": M_STRING, "name": M_STRING, "uid": M_STRING, "controller": M_BOOLEAN,
    "blockOwnerDeletion": M_BOOLEAN,
}
cdef dict MANAGED_FIELDS_ENTRY = {
    "manager": M_STRING, "operation": M_STRING, "apiVersion": M_STRING, "time": M_TIME, "fieldsType": M_STRING,
    "fieldsV1": M_RAW, "subresource": M_STRING,
}


def is_plain_object_meta(meta):
    return is_plain(meta)


def is_plain_moment(text):
    return PyUnicode_CheckExact(<PyObject*>text) and is_plain_time(<str>text)


cdef bint is_plain(object meta) except -1:
    return type(meta) is dict and is_plain_struct(meta, OBJECT_META)


cdef bint is_plain_struct(dict value, dict fields) except -1:
    cdef PyObject* key
    cdef PyObject* item
    cdef Py_ssize_t pos = 0
    cdef Entries entries = entries_of(<PyObject*>value)
    while next_entry(<PyObject*>value, &entries, &pos, &key, &item):
        kind = fields.get(<object>key)
        if kind is None or not is_plain_field(item, kind):
            return False
    return True


cdef bint is_plain_field(PyObject* value, int kind) except -1:
    if kind == M_STRING:
        return PyUnicode_CheckExact(value) and PyUnicode_GET_LENGTH(value) > 0
    if kind == M_STRINGS:
        return PyDict_CheckExact(value) and are_strings(<object>value)
    if kind == M_INTEGER:
        return PyLong_CheckExact(value) and <object>value != 0
    if kind == M_POINTER:
        return PyLong_CheckExact(value)
    if kind == M_TIME:
        return PyUnicode_CheckExact(value) and is_plain_time(<object>value)
    if kind == M_BOOLEAN:
        return PyBool_Check(value)
    if kind == M_RAW:
        return value is not Py_None
    return PyList_CheckExact(value) and are_plain_items(<object>value, kind)


cdef bint are_strings(dict value) except -1:
    cdef PyObject* key
    cdef PyObject* item
    cdef Py_ssize_t pos = 0
    cdef Entries entries = entries_of(<PyObject*>value)
    while next_entry(<PyObject*>value, &entries, &pos, &key, &item):
        if not PyUnicode_CheckExact(item):
            return False
    return len(value) > 0


cdef bint are_plain_items(list value, int kind) except -1:
    for item in value:
        if kind == M_LIST:
            if type(item) is not str:
                return False
        elif type(item) is not dict:
            return False
        elif kind == M_OWNERS:
            if not is_plain_struct(item, OWNER_REFERENCE):
                return False
            if not ("apiVersion" in item and "kind" in item and "name" in item and "uid" in item):
                return False
        elif not is_plain_struct(item, MANAGED_FIELDS_ENTRY):
            return False
    return len(value) > 0


cdef int two_digits(const unsigned char* data, Py_ssize_t at) noexcept:
    if 48 <= data[at] <= 57 and 48 <= data[at + 1] <= 57:
        return (data[at] - 48) * 10 + data[at + 1] - 48
    return -1


cdef int days_of(int year, int month) noexcept:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


cdef bint is_plain_time(str text) noexcept:
    """`2006-01-02T15:04:05Z`, a moment of the calendar that begins with the year 1."""
    cdef const unsigned char* data
    cdef int century, year, month
    if PyUnicode_GET_LENGTH(<PyObject*>text) != 20 or PyUnicode_KIND(<PyObject*>text) != 1:
        return False
    data = <const unsigned char*>PyUnicode_DATA(<PyObject*>text)
    if not (data[4] == data[7] == 45 and data[10] == 84 and data[13] == data[16] == 58 and data[19] == 90):
        return False
    century, year, month = two_digits(data, 0), two_digits(data, 2), two_digits(data, 5)
    if century < 0 or year < 0 or century + year == 0 or not 1 <= month <= 12:
        return False
    return (
        1 <= two_digits(data, 8) <= days_of(100 * century + year, month) and 0 <= two_digits(data, 11) <= 23
        and 0 <= two_digits(data, 14) <= 59 and 0 <= two_digits(data, 17) <= 59
    )
