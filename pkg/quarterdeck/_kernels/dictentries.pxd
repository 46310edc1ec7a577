# Goes over a dict's entries without a call for each. PyDict_Next costs as many instructions as what is done with an
# entry; here the table that it reads is read directly. It has this form in CPython 3.11 to 3.13 (see
# Include/internal/pycore_dict.h there); elsewhere, and for the split tables of instances, PyDict_Next serves.
#
# Positions are those of PyDict_Next. As there, values may be replaced meanwhile, keys may not be added or removed.

from cpython.ref cimport PyObject

cdef extern from *:
    """
    typedef struct { PyObject **first; Py_ssize_t count; Py_ssize_t stride; } qd_entries;

    #if PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030e0000 && !defined(Py_GIL_DISABLED)
    typedef struct {
        Py_ssize_t refcnt;
        unsigned char log2_size, log2_index_bytes, kind;  /* 0: any keys, 1: keys are texts, 2: of instances */
        unsigned int version;
        Py_ssize_t usable, count;
        char indices[];
    } qd_dict_table;

    static inline qd_entries qd_entries_of(PyObject *dict) {
        qd_entries found = {NULL, 0, 0};
        const qd_dict_table *table = (const qd_dict_table *)((PyDictObject *)dict)->ma_keys;
        if (((PyDictObject *)dict)->ma_values == NULL && table->kind < 2) {
            found.first = (PyObject **)(table->indices + ((size_t)1 << table->log2_index_bytes));
            found.count = table->count;
            found.stride = table->kind == 1 ? 2 : 3;
            if (table->kind == 0) found.first += 1;  /* the hash stands before the key */
        }
        return found;
    }
    #else
    static inline qd_entries qd_entries_of(PyObject *dict) {
        qd_entries found = {NULL, 0, 0};
        (void)dict;
        return found;
    }
    #endif

    static inline int qd_next(PyObject *dict, const qd_entries *entries, Py_ssize_t *pos, PyObject **key,
                              PyObject **value) {
        if (__builtin_expect(entries->first == NULL, 0)) {
            /* Copies, so that the caller's variables need no addresses and can stay in registers. */
            Py_ssize_t at = *pos;
            PyObject *next_key = NULL, *next_value = NULL;
            int found = PyDict_Next(dict, &at, &next_key, &next_value);
            *pos = at;
            *key = next_key;
            *value = next_value;
            return found;
        }
        while (*pos < entries->count) {
            PyObject **entry = entries->first + *pos * entries->stride;
            *pos += 1;
            if (entry[1] != NULL) {
                *key = entry[0];
                *value = entry[1];
                return 1;
            }
        }
        return 0;
    }
    """
    ctypedef struct Entries "qd_entries":
        pass
    Entries entries_of "qd_entries_of"(PyObject* container) noexcept
    bint next_entry "qd_next"(
        PyObject* container, const Entries* entries, Py_ssize_t* pos, PyObject** key, PyObject** value
    ) noexcept
