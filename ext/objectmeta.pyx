# cython: language_level=3
"""Object metadata as nearly every write brings it: good. Contract: _kernels/objectmeta.pyi.

What is not certainly good here is not certainly bad: schema/objectmeta.py looks at it with all of upstream's rules and
says what is wrong. So the checks may be narrower than upstream's, never wider.
Source: apimachinery/pkg/api/validation/objectmeta.go, pkg/util/validation/validation.go.
"""

from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject


cdef extern from "Python.h":
    bint PyDict_CheckExact(object value)
    bint PyList_CheckExact(object value)
    bint PyUnicode_CheckExact(object value)
    bint PyLong_CheckExact(object value)
    bint PyBool_Check(object value)
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    # Borrowed; NULL if absent. Keys are texts, which raise nothing; PyDict_GetItem looks after errors all the same.
    PyObject *PyDict_GetItem "PyDict_GetItemWithError"(object mapping, object key)


cdef enum:
    LABEL_MAX = 63
    SUBDOMAIN_MAX = 253
    MANAGER_MAX = 128
    SUBRESOURCE_MAX = 256
    ANNOTATIONS_MAX = 256 * 1024
    UTF8_MAX = 4  # bytes of a character

cdef enum:
    LOWER = 1  # a to z and digits
    UPPER = 2
    DASH = 4
    LOOSE = 8  # _ and .

cdef unsigned char CLASSES[256]
cdef int _code
for _code in range(256):
    CLASSES[_code] = 0
for _code in range(c'a', c'z' + 1):
    CLASSES[_code] = LOWER
    CLASSES[_code - 32] = UPPER
for _code in range(c'0', c'9' + 1):
    CLASSES[_code] = LOWER
CLASSES[c'-'] = DASH
CLASSES[c'_'] = LOOSE
CLASSES[c'.'] = LOOSE


cdef inline const unsigned char *ascii_of(object text) noexcept:
    """The bytes of an ASCII text; NULL for anything else."""
    if PyUnicode_CheckExact(text) and PyUnicode_IS_COMPACT_ASCII(text):
        return <const unsigned char *> PyUnicode_DATA(text)
    return NULL


cdef bint is_label(const unsigned char *text, Py_ssize_t size) noexcept:
    """A DNS label (RFC 1123) of at most 63 characters."""
    cdef Py_ssize_t i
    if size == 0 or size > LABEL_MAX or CLASSES[text[0]] != LOWER or CLASSES[text[size - 1]] != LOWER:
        return False
    for i in range(size):
        if not CLASSES[text[i]] & (LOWER | DASH):
            return False
    return True


cdef bint is_subdomain(const unsigned char *text, Py_ssize_t size) noexcept:
    """DNS labels of any length, joined by dots."""
    cdef Py_ssize_t i
    cdef unsigned char before = c'.'
    cdef unsigned char c
    if size == 0 or size > SUBDOMAIN_MAX:
        return False
    for i in range(size):
        c = text[i]
        if c == c'.' or c == c'-':
            # A label begins and ends with a letter or digit.
            if before == c'.' or (c == c'.' and before == c'-'):
                return False
        elif CLASSES[c] != LOWER:
            return False
        before = c
    return before != c'.' and before != c'-'


cdef bint is_key_name(const unsigned char *text, Py_ssize_t size, unsigned char letters) noexcept:
    """Of `letters`, and -, _ and . between them."""
    cdef Py_ssize_t i
    if size == 0 or size > LABEL_MAX or not CLASSES[text[0]] & letters or not CLASSES[text[size - 1]] & letters:
        return False
    for i in range(size):
        if not CLASSES[text[i]] & (letters | DASH | LOOSE):
            return False
    return True


cdef bint is_qualified(object key) noexcept:
    """A name, after a subdomain and a slash or alone."""
    cdef const unsigned char *text = ascii_of(key)
    cdef Py_ssize_t size, slash
    if text == NULL:
        return False
    size = PyUnicode_GET_LENGTH(key)
    for slash in range(size):
        if text[slash] == c'/':
            return is_subdomain(text, slash) and is_key_name(text + slash + 1, size - slash - 1, LOWER | UPPER)
    return is_key_name(text, size, LOWER | UPPER)


cdef bint are_labels(object labels) noexcept:
    cdef PyObject *key
    cdef PyObject *value
    cdef const unsigned char *text
    cdef Py_ssize_t pos = 0
    if not PyDict_CheckExact(labels):
        return False
    while PyDict_Next(labels, &pos, &key, &value):
        text = ascii_of(<object> value)
        if text == NULL or not is_qualified(<object> key):
            return False
        if PyUnicode_GET_LENGTH(<object> value) and not is_key_name(
            text, PyUnicode_GET_LENGTH(<object> value), LOWER | UPPER
        ):
            return False
    return True


cdef bint are_annotations(object annotations) noexcept:
    """Keys are looked at in lower case by upstream, which only makes more of them good."""
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t pos = 0
    cdef Py_ssize_t size = 0
    if not PyDict_CheckExact(annotations):
        return False
    while PyDict_Next(annotations, &pos, &key, &value):
        if not is_qualified(<object> key) or not PyUnicode_CheckExact(<object> value):
            return False
        size += PyUnicode_GET_LENGTH(<object> key)
        if PyUnicode_IS_COMPACT_ASCII(<object> value):
            size += PyUnicode_GET_LENGTH(<object> value)
        else:
            size += PyUnicode_GET_LENGTH(<object> value) * UTF8_MAX
        if size > ANNOTATIONS_MAX:
            return False
    return True


cdef inline bint is_filled(dict value, str name) except -1:
    cdef PyObject *found = PyDict_GetItem(value, name)
    return found is not NULL and PyUnicode_CheckExact(<object> found) and PyUnicode_GET_LENGTH(<object> found) > 0


cdef bint are_owners(object references) except -1:
    cdef bint has_controller = False
    cdef PyObject *found
    cdef str version
    cdef Py_ssize_t slash
    if not PyList_CheckExact(references):
        return False
    for reference in <list> references:
        if not PyDict_CheckExact(reference):
            return False
        for name in ("apiVersion", "kind", "name", "uid"):
            if not is_filled(<dict> reference, name):
                return False
        version = (<dict> reference)["apiVersion"]
        slash = version.find("/")
        if slash >= 0 and (slash + 1 == len(version) or version.find("/", slash + 1) >= 0):
            return False
        if (<dict> reference)["kind"] == "Event":
            return False
        found = PyDict_GetItem(reference, "controller")
        if found is not NULL and <object> found is not False and <object> found is not None:
            if has_controller or <object> found is not True:
                return False
            has_controller = True
    return True


cdef bint are_finalizers(object finalizers) except -1:
    if not PyList_CheckExact(finalizers):
        return False
    for name in <list> finalizers:
        if not is_qualified(name):
            return False
    return len(<list> finalizers) < 2 or "orphan" not in <list> finalizers


cdef bint are_entries(object entries) except -1:
    """managedFields as this server writes them."""
    cdef PyObject *found
    cdef const unsigned char *text
    cdef Py_ssize_t i
    if not PyList_CheckExact(entries):
        return False
    for entry in <list> entries:
        if not PyDict_CheckExact(entry):
            return False
        found = PyDict_GetItem(entry, "operation")
        if found is NULL or (<object> found != "Update" and <object> found != "Apply"):
            return False
        found = PyDict_GetItem(entry, "fieldsType")
        if found is NULL or <object> found != "FieldsV1":
            return False
        found = PyDict_GetItem(entry, "subresource")
        if found is not NULL:
            if ascii_of(<object> found) == NULL or PyUnicode_GET_LENGTH(<object> found) > SUBRESOURCE_MAX:
                return False
        found = PyDict_GetItem(entry, "manager")
        if found is not NULL:
            text = ascii_of(<object> found)
            if text == NULL or PyUnicode_GET_LENGTH(<object> found) > MANAGER_MAX:
                return False
            for i in range(PyUnicode_GET_LENGTH(<object> found)):
                if text[i] < 0x20 or text[i] > 0x7e:
                    return False
    return True


cdef bint is_path_segment(const unsigned char *text, Py_ssize_t size) noexcept:
    cdef Py_ssize_t i
    if size == 0 or (text[0] == c'.' and (size == 1 or (size == 2 and text[1] == c'.'))):
        return False
    for i in range(size):
        if text[i] == c'/' or text[i] == c'%':
            return False
    return True


def is_good(dict meta not None, bint namespaced, bint any_name):
    """Whether validate_object_meta certainly finds nothing; `any_name`: the name need only fit a path."""
    return good(meta, namespaced, any_name)


cdef bint good(dict meta, bint namespaced, bint any_name) except -1:
    cdef PyObject *found
    cdef const unsigned char *text
    cdef Py_ssize_t size
    found = PyDict_GetItem(meta, "name")
    if found is NULL:
        return False
    text = ascii_of(<object> found)
    if text == NULL:
        return False
    size = PyUnicode_GET_LENGTH(<object> found)
    if not (is_path_segment(text, size) if any_name else is_subdomain(text, size)):
        return False
    found = PyDict_GetItem(meta, "namespace")
    if not namespaced:
        if found is not NULL:
            return False
    else:
        if found is NULL:
            return False
        text = ascii_of(<object> found)
        if text == NULL or not is_label(text, PyUnicode_GET_LENGTH(<object> found)):
            return False
    found = PyDict_GetItem(meta, "generation")
    if found is not NULL and (not PyLong_CheckExact(<object> found) or <object> found < 0):
        return False
    found = PyDict_GetItem(meta, "labels")
    if found is not NULL and not are_labels(<object> found):
        return False
    found = PyDict_GetItem(meta, "annotations")
    if found is not NULL and not are_annotations(<object> found):
        return False
    found = PyDict_GetItem(meta, "ownerReferences")
    if found is not NULL and not are_owners(<object> found):
        return False
    found = PyDict_GetItem(meta, "finalizers")
    if found is not NULL and not are_finalizers(<object> found):
        return False
    found = PyDict_GetItem(meta, "managedFields")
    if found is not NULL and not are_entries(<object> found):
        return False
    return PyDict_GetItem(meta, "generateName") is NULL or (any_name and is_plain_text(meta["generateName"]))


cdef bint is_plain_text(object value) noexcept:
    cdef const unsigned char *text = ascii_of(value)
    return text != NULL and is_path_segment(text, PyUnicode_GET_LENGTH(value))


def is_good_update(dict new not None, dict old not None, bint namespaced):
    """Whether neither validate_object_meta (for any name) nor validate_object_meta_update certainly finds anything."""
    cdef PyObject *now
    cdef PyObject *before
    if PyDict_GetItem(old, "deletionTimestamp") is not NULL or not is_filled(new, "resourceVersion"):
        return False
    for name in (
        "name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"
    ):
        now = PyDict_GetItem(new, name)
        before = PyDict_GetItem(old, name)
        if now is before:
            continue
        if now is NULL or before is NULL or <object> now != <object> before:
            return False
    if not good(new, namespaced, True):
        return False
    now = PyDict_GetItem(new, "generation")
    before = PyDict_GetItem(old, "generation")
    if before is NULL:
        return True
    return now is not NULL and PyLong_CheckExact(<object> before) and <object> now >= <object> before
