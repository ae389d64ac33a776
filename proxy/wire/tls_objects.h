/* tls.h for Python: `TlsContext`, what all connections of one kind share, and `TlsRecords`, one end of a connection,
   the twin of tls_records.PythonRecords.

   While a session is lent to a ring, its thread uses the connection: Python must not. */

#ifndef ASKWIRE_TLS_OBJECTS_H
#define ASKWIRE_TLS_OBJECTS_H

#include <Python.h>
#include <ctype.h>
#include <stdlib.h>

#include "ring.h"
#include "tls.h"

#define LONGEST_PROTOCOL 64
#define LONGEST_REASON 128

typedef struct {
    PyObject_HEAD
#ifdef HAS_TLS
    SSL_CTX *context;
#endif
    char protocol[LONGEST_PROTOCOL];
    char *host;       /* that a client connects to, NULL for a server */
    char checks_host; /* whether it has to be that of the certificate */
} TlsContext;

typedef struct {
    PyObject_HEAD
    TlsContext *context; /* keeps the names */
    Tls tls;
    char lent;
} TlsRecords;

/* What OpenSSL says of an error, in the words of Python's ssl: `[SSL: NO_SUCH_THING] no such thing: detail`. */
static PyObject *
said_of(unsigned long error, PyObject *detail)
{
    const char *reason = NULL;
    char name[LONGEST_REASON] = "";
#ifdef HAS_TLS
    reason = error ? openssl.ERR_reason_error_string(error) : NULL;
    if (reason != NULL && (error >> LIBRARY_OF & 0xff) == LIBRARY_SSL && strlen(reason) < sizeof name) {
        strcpy(name, reason);
        for (char *at = name; *at; at++)
            *at = (char)(isalnum((unsigned char)*at) ? toupper((unsigned char)*at) : '_');
    }
#else
    (void)error;
#endif
    if (reason == NULL)
        reason = "the connection is of no more use";
    const char *begin = *name ? "[SSL: " : "", *end = *name ? "] " : "";
    return detail == NULL ? PyUnicode_FromFormat("%s%s%s%s", begin, name, end, reason)
                          : PyUnicode_FromFormat("%s%s%s%s: %U", begin, name, end, reason, detail);
}

/* `detail`, which becomes ours, says more; it may be NULL. */
static void
set_tls_error(unsigned long error, PyObject *detail)
{
    PyObject *module = PyImport_ImportModule("ssl");
    PyObject *type = module == NULL ? NULL : PyObject_GetAttrString(module, "SSLError");
    PyObject *text = NULL, *value = NULL;
    Py_XDECREF(module);
    if (type != NULL)
        text = said_of(error, detail);
    if (text != NULL)
        value = Py_BuildValue("(iN)", 1, text);
    if (value != NULL)
        PyErr_SetObject(type, value);
    Py_XDECREF(value);
    Py_XDECREF(type);
    Py_XDECREF(detail);
}

#ifdef HAS_TLS

enum { OPENSSLS_USER, CERTIFICATE, KEY, AUTHORITIES, FILES };

/* The name of a file as the system has it; '' for None. */
static int
file_or_none(PyObject *given, void *name)
{
    if (given != Py_None)
        return PyUnicode_FSConverter(given, name);
    *(PyObject **)name = PyBytes_FromString("");
    return *(PyObject **)name == NULL ? 0 : Py_CLEANUP_SUPPORTED;
}

static int
make_context(TlsContext *self, unsigned long version, TlsGiven *given, PyObject *const *files, const char *protocol,
             const char *host)
{
    unsigned long failure = 0;
    if (self->context != NULL || strlen(protocol) >= sizeof self->protocol) {
        PyErr_SetString(PyExc_ValueError, "the context is made already, or the protocol's name is too long");
        return -1;
    }
    if (!find_openssl(version, PyBytes_AS_STRING(files[OPENSSLS_USER]))) {
        PyErr_SetString(PyExc_NotImplementedError, "Python's OpenSSL cannot be shared");
        return -1;
    }
#ifdef HAS_RING
    static int registered;
    if (!registered) /* behind OpenSSL, so that it runs before: the last comes first */
        registered = atexit(close_rings) == 0;
#endif
    free(self->host);
    self->host = host == NULL ? NULL : strdup(host);
    if (host != NULL && self->host == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    strcpy(self->protocol, protocol);
    given->is_client = host != NULL;
    given->protocol = self->protocol;
    given->certificate = PyBytes_AS_STRING(files[CERTIFICATE]);
    given->key = PyBytes_AS_STRING(files[KEY]);
    if (PyBytes_GET_SIZE(files[AUTHORITIES]))
        given->authorities = PyBytes_AS_STRING(files[AUTHORITIES]);
    self->context = new_context(given, &failure);
    if (self->context == NULL) {
        set_tls_error(failure, NULL);
        return -1;
    }
    return 0;
}

#endif

static int
tls_context_init(TlsContext *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
#ifdef HAS_TLS
    TlsGiven given = {0};
    unsigned long version;
    const char *protocol, *host;
    int checks_host;
    PyObject *files[FILES] = {NULL};
    if (!PyArg_ParseTuple(args, "kO&O&O&O&iKkissszp", &version, file_or_none, &files[OPENSSLS_USER], file_or_none,
                          &files[CERTIFICATE], file_or_none, &files[KEY], file_or_none, &files[AUTHORITIES],
                          &given.verify, &given.options, &given.verify_flags, &given.least_version, &given.ciphers,
                          &given.suites, &protocol, &host, &checks_host))
        return -1;
    int result = make_context(self, version, &given, files, protocol, host);
    if (result == 0)
        self->checks_host = (char)checks_host;
    for (int file = 0; file < FILES; file++)
        Py_DECREF(files[file]);
    return result;
#else
    (void)self, (void)args;
    PyErr_SetString(PyExc_NotImplementedError, "there is no OpenSSL to share");
    return -1;
#endif
}

static void
tls_context_dealloc(TlsContext *self)
{
#ifdef HAS_TLS
    if (self->context != NULL)
        openssl.SSL_CTX_free(self->context);
#endif
    free(self->host);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyTypeObject TlsContextType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "askwire._compiled.TlsContext",
    .tp_doc = "What connections of one kind share.",
    .tp_basicsize = sizeof(TlsContext),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)tls_context_init,
    .tp_dealloc = (destructor)tls_context_dealloc,
};

static int
tls_records_init(TlsRecords *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    TlsContext *context;
    if (!PyArg_ParseTuple(args, "O!", &TlsContextType, &context))
        return -1;
#ifdef HAS_TLS
    if (self->context != NULL || context->context == NULL) {
        PyErr_SetString(PyExc_ValueError, "the records are made already, or the context is not");
        return -1;
    }
    if (!open_tls(&self->tls, context->context, context->host, context->checks_host)) {
        set_tls_error(self->tls.error, NULL);
        return -1;
    }
#endif
    self->context = (TlsContext *)Py_NewRef((PyObject *)context);
    return 0;
}

static void
tls_records_dealloc(TlsRecords *self)
{
#ifdef HAS_TLS
    close_tls(&self->tls);
#endif
    Py_XDECREF(self->context);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

#ifdef HAS_TLS

static int
may_use(const TlsRecords *self)
{
    if (self->context != NULL && !self->lent) {
        forget_errors();
        return 1;
    }
    PyErr_SetString(PyExc_RuntimeError, self->lent ? "the connection is lent" : "the records were not made");
    return 0;
}

/* Say why the connection is of no more use. */
static void
set_error_of(const TlsRecords *self)
{
    const Tls *tls = &self->tls;
    PyObject *detail = NULL;
    if (tls->error == CERTIFICATE_REFUSED) {
        long why = why_refused(tls);
        if (self->context->host != NULL && (why == FOR_ANOTHER_HOST || why == FOR_ANOTHER_ADDRESS))
            detail = PyUnicode_FromFormat("%s mismatch, certificate is not valid for '%s'.",
                                          why == FOR_ANOTHER_HOST ? "Hostname" : "IP address", self->context->host);
        else
            detail = PyUnicode_FromString(openssl.X509_verify_cert_error_string(why));
        if (detail == NULL)
            return;
    }
    set_tls_error(tls->error, detail);
}

/* Whether what has arrived could be kept. */
static int
fed(TlsRecords *self, PyObject *given)
{
    Py_buffer view;
    if (!may_use(self) || PyObject_GetBuffer(given, &view, PyBUF_SIMPLE) < 0)
        return 0;
    int kept = view.len <= INT32_MAX && take_records(&self->tls, view.buf, (int)view.len);
    PyBuffer_Release(&view);
    if (!kept)
        PyErr_NoMemory();
    return kept;
}

static PyObject *
tls_records_shake_hands(TlsRecords *self, PyObject *data)
{
    if (!fed(self, data))
        return NULL;
    if (!self->tls.shaken && !self->tls.failed)
        shake_hands(&self->tls);
    if (!self->tls.shaken && (self->tls.failed || self->tls.ended)) {
        self->tls.failed = 1;
        set_error_of(self);
        return NULL;
    }
    return PyBool_FromLong(self->tls.shaken);
}

static PyObject *
tls_records_decrypt(TlsRecords *self, PyObject *data)
{
    if (!fed(self, data))
        return NULL;
    Tls *tls = &self->tls;
    size_t size = 0, room = 0;
    PyObject *clear = NULL;
    do {
        /* what OpenSSL holds of a record that has not arrived as a whole is not in left_over */
        room += left_over(tls) + LONGEST_RECORD;
        if (clear == NULL)
            clear = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
        else if (_PyBytes_Resize(&clear, (Py_ssize_t)room) < 0)
            return NULL;
        if (clear == NULL)
            return NULL;
        size += open_records(tls, (unsigned char *)PyBytes_AS_STRING(clear) + size, room - size);
    } while (size == room);
    release_memory(tls);
    if (tls->failed && size == 0) {
        Py_DECREF(clear);
        set_error_of(self);
        return NULL;
    }
    _PyBytes_Resize(&clear, (Py_ssize_t)size);
    return clear;
}

static PyObject *
tls_records_outgoing(TlsRecords *self, PyObject *Py_UNUSED(ignored))
{
    if (!may_use(self))
        return NULL;
    size_t size = outgoing(&self->tls);
    PyObject *records = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (records != NULL && size)
        take_outgoing(&self->tls, PyBytes_AS_STRING(records), size);
    return records;
}

static PyObject *
tls_records_encrypt(TlsRecords *self, PyObject *given)
{
    Py_buffer view;
    if (!may_use(self) || PyObject_GetBuffer(given, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    int sealed = view.len <= INT32_MAX && (view.len == 0 || seal_records(&self->tls, view.buf, (int)view.len));
    PyBuffer_Release(&view);
    if (!sealed) {
        set_error_of(self);
        return NULL;
    }
    return tls_records_outgoing(self, NULL);
}

static PyObject *
tls_records_end(TlsRecords *self, PyObject *Py_UNUSED(ignored))
{
    if (!may_use(self))
        return NULL;
    end_tls(&self->tls);
    Py_RETURN_NONE;
}

static PyObject *
tls_records_application_protocol(TlsRecords *self, PyObject *Py_UNUSED(ignored))
{
    if (!may_use(self))
        return NULL;
    const unsigned char *name = NULL;
    unsigned size = 0;
    openssl.SSL_get0_alpn_selected(self->tls.ssl, &name, &size);
    if (size == 0)
        Py_RETURN_NONE;
    return PyUnicode_DecodeASCII((const char *)name, (Py_ssize_t)size, "replace");
}

static PyMethodDef tls_records_methods[] = {
    {"shake_hands", (PyCFunction)tls_records_shake_hands, METH_O, "Go on with the handshake; whether it is done."},
    {"decrypt", (PyCFunction)tls_records_decrypt, METH_O, "What has arrived with some bytes, in clear."},
    {"encrypt", (PyCFunction)tls_records_encrypt, METH_O, "Records to send."},
    {"outgoing", (PyCFunction)tls_records_outgoing, METH_NOARGS, "What else is to be sent."},
    {"end", (PyCFunction)tls_records_end, METH_NOARGS, "Say that no more is sent."},
    {"application_protocol", (PyCFunction)tls_records_application_protocol, METH_NOARGS, "What ALPN has chosen."},
    {NULL},
};

#endif

static PyObject *
tls_records_ended(TlsRecords *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->tls.ended);
}

static PyGetSetDef tls_records_getset[] = {
    {"ended", (getter)tls_records_ended, NULL, "Whether the peer has said that it sends no more.", NULL},
    {NULL},
};

static PyTypeObject TlsRecordsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "askwire._compiled.TlsRecords",
    .tp_doc = "One end of a TLS connection.",
    .tp_basicsize = sizeof(TlsRecords),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)tls_records_init,
    .tp_dealloc = (destructor)tls_records_dealloc,
#ifdef HAS_TLS
    .tp_methods = tls_records_methods,
#endif
    .tp_getset = tls_records_getset,
};

#endif
