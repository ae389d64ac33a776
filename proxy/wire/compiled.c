/* What a relay does for every byte, compiled: askwire._compiled.

   Owns: the twin of walker.BackendWalker, and `Passage`, which passes what is usual between the two ends of a
   session without a Python frame. Whatever is unusual it does not touch: it says so, and the Python path, which
   is complete without this module, takes the same bytes. What is usual, look.h knows; a session at rest can be
   lent to a `Ring` (ring.h), whose thread passes for it. TLS is in tls_objects.h.

   tests/proxy/wire/test_compiled.py holds both against their Python twins. Raise INTERFACE when what Python
   sees of this module changes: an older build is then left alone. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <errno.h>
#include <sys/socket.h>

#include "look.h"
#include "ring.h"
#include "tls_objects.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* Python ignores SIGPIPE */
#endif

#define INTERFACE 8
#define LONGEST_WATCHED 65536

static PyObject *str_write, *str_arrived, *str_get_write_buffer_size;

static void
set_invalid_length(void)
{
    PyObject *errors = PyImport_ImportModule("askwire.core.errors");
    if (errors == NULL)
        return;
    PyObject *type = PyObject_GetAttrString(errors, "ProtocolError");
    Py_DECREF(errors);
    if (type == NULL)
        return;
    PyErr_SetString(type, "the backend sent a message with an invalid length");
    Py_DECREF(type);
}

/* -- words ------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    WordTable table;
} Words;

static int
words_init(Words *made, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    WordTable *self = &made->table;
    PyObject *given;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given))
        return -1;
    self->count = PyTuple_GET_SIZE(given);
    if (self->count < 1 || self->count > MOST_WORDS) {
        PyErr_SetString(PyExc_ValueError, "expected one to three words");
        return -1;
    }
    for (Py_ssize_t w = 0; w < self->count; w++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GET_ITEM(given, w), &text, &length) < 0)
            return -1;
        if (length < 1 || length > (Py_ssize_t)sizeof self->text[w]) {
            PyErr_SetString(PyExc_ValueError, "expected words of 1 to 64 bytes");
            return -1;
        }
        self->length[w] = length;
        memset(self->shift[w], (int)length, 256);
        for (Py_ssize_t i = 0; i < length; i++) {
            byte c = folded((byte)text[i]);
            self->text[w][i] = c;
            if (i < length - 1) {
                self->shift[w][c] = (byte)(length - 1 - i);
                if (c >= 'a' && c <= 'z')
                    self->shift[w][c - 32] = (byte)(length - 1 - i);
            }
        }
    }
    return 0;
}

static PyObject *
words_search(Words *self, PyObject *data)
{
    if (!PyBytes_Check(data)) {
        PyErr_SetString(PyExc_TypeError, "expected bytes");
        return NULL;
    }
    return PyBool_FromLong(words_found(&self->table, (byte *)PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)));
}

static PyMethodDef words_methods[] = {
    {"search", (PyCFunction)words_search, METH_O, "Whether one of the words stands in some bytes."},
    {NULL},
};

static PyTypeObject WordsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "askwire._compiled.Words",
    .tp_doc = "Words to look for, in any case, that are no part of a longer one.",
    .tp_basicsize = sizeof(Words),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)words_init,
    .tp_methods = words_methods,
};

/* -- the backend's walker ---------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    uint64_t skip;
    Py_ssize_t needed;
    byte *partial;
    Py_ssize_t held;
    char answers;  /* whether those are reported as well */
} Walker;

static inline int
is_watched(byte kind)
{
    return kind == 'Z' || kind == 'S' || kind == 'G' || kind == 'W' || kind == 'E' || kind == 'C'
           || kind == 'I';
}

static void
walker_dealloc(Walker *self)
{
    PyMem_Free(self->partial);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int
walker_hold(Walker *self, const byte *data, Py_ssize_t size)
{
    if (size == 0)
        return 0;
    byte *larger = PyMem_Realloc(self->partial, (size_t)(self->held + size));
    if (larger == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(larger + self->held, data, (size_t)size);
    self->partial = larger;
    self->held += size;
    return 0;
}

static int
append_frame(PyObject *found, byte kind, const byte *payload, Py_ssize_t size)
{
    PyObject *frame = Py_BuildValue("(iy#)", (int)kind, (const char *)payload, size);
    if (frame == NULL)
        return -1;
    int failed = PyList_Append(found, frame);
    Py_DECREF(frame);
    return failed;
}

static PyObject *
walker_feed(Walker *self, PyObject *given)
{
    if (!PyBytes_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "expected bytes");
        return NULL;
    }
    const byte *data = (byte *)PyBytes_AS_STRING(given);
    Py_ssize_t size = PyBytes_GET_SIZE(given);
    PyObject *found = PyList_New(0);
    if (found == NULL)
        return NULL;
    if (self->skip >= (uint64_t)size) {
        self->skip -= (uint64_t)size;
        return found;
    }
    Py_ssize_t at = (Py_ssize_t)self->skip;
    byte *joined = NULL;
    if (self->held) {
        if (walker_hold(self, data, size) < 0)
            goto failed;
        if (self->held < self->needed)
            return found;
        data = joined = self->partial;
        size = self->held;
        self->partial = NULL;
        self->held = 0;
    }
    self->skip = 0;
    self->needed = HEADER;
    while (size - at >= HEADER) {
        byte kind = data[at];
        uint32_t length = read_uint32(data + at + 1);
        if (length < 4) {
            set_invalid_length();
            goto failed;
        }
        int64_t end = (int64_t)at + 1 + length;
        if (is_watched(kind) || (self->answers && is_answer(kind))) {
            if (length > LONGEST_WATCHED) {
                if (append_frame(found, kind, data, 0) < 0)
                    goto failed;
            }
            else if (end > size) {
                self->needed = (Py_ssize_t)(end - at);
                break;
            }
            else if (append_frame(found, kind, data + at + HEADER, (Py_ssize_t)length - 4) < 0)
                goto failed;
        }
        if (end > size) {
            self->skip = (uint64_t)(end - size);
            at = size;
            break;
        }
        at = (Py_ssize_t)end;
    }
    if (walker_hold(self, data + at, size - at) < 0)
        goto failed;
    PyMem_Free(joined);
    return found;
failed:
    PyMem_Free(joined);
    Py_DECREF(found);
    return NULL;
}

static PyObject *
walker_resume(Walker *self, PyObject *args)
{
    unsigned long long skip;
    const char *partial;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "Ky#", &skip, &partial, &size))
        return NULL;
    self->skip = skip;
    self->needed = HEADER;
    PyMem_Free(self->partial);
    self->partial = NULL;
    self->held = 0;
    if (walker_hold(self, (const byte *)partial, size) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
walker_at_boundary(Walker *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->skip == 0 && self->held == 0);
}

static PyMethodDef walker_methods[] = {
    {"feed", (PyCFunction)walker_feed, METH_O, "The watched messages that completed in some bytes."},
    {"resume", (PyCFunction)walker_resume, METH_VARARGS, "Go on where a passage has stopped."},
    {NULL},
};

static PyGetSetDef walker_getset[] = {
    {"at_boundary", (getter)walker_at_boundary, NULL, "Whether the bytes seen end between two messages.", NULL},
    {NULL},
};

static PyMemberDef walker_members[] = {
    {"answers", T_BOOL, offsetof(Walker, answers), 0, "Whether answers to extended-query messages are reported."},
    {NULL},
};

static PyTypeObject WalkerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "askwire._compiled.BackendWalker",
    .tp_doc = "The twin of walker.BackendWalker.",
    .tp_basicsize = sizeof(Walker),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)walker_dealloc,
    .tp_methods = walker_methods,
    .tp_members = walker_members,
    .tp_getset = walker_getset,
};

/* -- the passage ------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *transport; /* set until the garbage collector breaks a cycle */
    int socket;    /* -1 where bytes do not travel as they are */
    char waiting;  /* the transport may hold bytes that go first */
} End;

typedef struct Receiver Receiver;
static void receiver_count(Receiver *, uint64_t came, uint64_t went);

typedef struct {
    PyObject_HEAD
    Ring *ring;  /* NULL once it is closed */
} RingObject;

typedef struct {
    PyObject_HEAD
    Words *words;
    Receiver *receivers[2]; /* the backend's and the client's; not owned, each takes itself out */
    End client;
    End backend;
    Look look;
    Line *line;        /* while it is lent to the thread of a ring */
    RingObject *ring;  /* that one */
    TlsRecords *tls[2];  /* and those of both ends, which the thread uses; NULL without */
    uint64_t passed[2];  /* meanwhile, bytes that came from the client and from the backend */
    byte rest;         /* meanwhile, what rest_of says */
} Passage;

static int
written(PyObject *transport, PyObject *data)
{
    PyObject *result = PyObject_CallMethodOneArg(transport, str_write, data);
    if (result == NULL)
        return -1;
    Py_DECREF(result);
    return 1;
}

/* Past the transport, straight into the socket, where nothing waits in front: what the socket does not take, and
   whatever is wrong with it, is the transport's. */
static int
passed(End *end, PyObject *data)
{
    if (end->socket < 0)
        return written(end->transport, data);
    if (end->waiting) {
        PyObject *waiting = PyObject_CallMethodNoArgs(end->transport, str_get_write_buffer_size);
        if (waiting == NULL)
            return -1;
        long bytes = PyLong_AsLong(waiting);
        Py_DECREF(waiting);
        if (bytes)
            return PyErr_Occurred() ? -1 : written(end->transport, data);
        end->waiting = 0;
    }
    Py_ssize_t size = PyBytes_GET_SIZE(data), sent;
    do
        sent = send(end->socket, PyBytes_AS_STRING(data), (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent == size)
        return 1;
    end->waiting = 1;
    if (sent <= 0)
        return written(end->transport, data);
    PyObject *rest = PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + sent, size - sent);
    if (rest == NULL)
        return -1;
    int done = written(end->transport, rest);
    Py_DECREF(rest);
    return done;
}

/* Each returns 1 when the bytes have passed, 0 when nothing was done and the Python path must take them, and -1
   with an exception set. */

static int
pass_from_client(Passage *self, PyObject *given)
{
    if (!look_at_client(&self->look, (byte *)PyBytes_AS_STRING(given), (uint64_t)PyBytes_GET_SIZE(given)))
        return 0;
    return passed(&self->backend, given);
}

static int
pass_from_backend(Passage *self, PyObject *given)
{
    if (!look_at_backend(&self->look, (byte *)PyBytes_AS_STRING(given), (int64_t)PyBytes_GET_SIZE(given)))
        return 0;
    return passed(&self->client, given);
}

static int
refused_while_lent(const Passage *self)
{
    if (self->line == NULL)
        return 0;
    PyErr_SetString(PyExc_RuntimeError, "the passage is lent");
    return 1;
}

static int
passage_init(Passage *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    Words *words;
    unsigned long long scan_limit;
    PyObject *client, *backend;
    int client_socket, backend_socket;
    if (!PyArg_ParseTuple(args, "O!KOiOi", &WordsType, &words, &scan_limit, &client, &client_socket, &backend,
                          &backend_socket))
        return -1;
    if (refused_while_lent(self))
        return -1;
    self->look.state = STOPPED;
    forget_journal(&self->look);
    Py_INCREF(words);
    Py_XSETREF(self->words, words);
    self->look.words = &words->table;
    self->look.scan_limit = scan_limit;
    Py_INCREF(client);
    Py_XSETREF(self->client.transport, client);
    self->client.socket = client_socket;
    Py_INCREF(backend);
    Py_XSETREF(self->backend.transport, backend);
    self->backend.socket = backend_socket;
    return 0;
}

static PyObject *
passage_start(Passage *self, PyObject *args)
{
    unsigned long long skip;
    int copying;
    if (!PyArg_ParseTuple(args, "Kp", &skip, &copying))
        return NULL;
    if (self->words == NULL || self->client.transport == NULL || self->backend.transport == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the passage has no ends");
        return NULL;
    }
    if (refused_while_lent(self))
        return NULL;
    self->client.waiting = self->backend.waiting = 1;
    start_look(&self->look, skip, copying);
    Py_RETURN_NONE;
}

static PyObject *
passage_stop(Passage *self, PyObject *Py_UNUSED(ignored))
{
    if (refused_while_lent(self))
        return NULL;
    Look *look = &self->look;
    PyObject *result = Py_BuildValue(
        "(KKy#y#y#I)", (unsigned long long)look->client_skip, (unsigned long long)look->backend_skip,
        (const char *)look->partial, (Py_ssize_t)look->held, (const char *)&look->settled,
        (Py_ssize_t)(look->settled != 0), (const char *)look->journal, (Py_ssize_t)look->noted,
        (unsigned int)look->answers);
    look->state = STOPPED;
    look->noted = 0;
    forget_journal(look);
    return result;
}

/* What a lent line has not passed is the caller's. */
static PyObject *
taken_bytes(Bytes *kept)
{
    return PyBytes_FromStringAndSize((const char *)kept->data, (Py_ssize_t)kept->size);
}

/* The thread no longer uses what encrypts. */
static void
forget_tls(Passage *self)
{
    for (int end = CLIENT; end <= BACKEND; end++) {
        if (self->tls[end] != NULL)
            self->tls[end]->lent = 0;
        Py_CLEAR(self->tls[end]);
    }
}

/* Wait for the line, and count what has passed. It is no longer the passage's. */
static Line *
take_line(Passage *self, int waits)
{
    Line *line = self->line;
#ifdef HAS_RING
    if (self->ring->ring != NULL) {
        if (waits) {
            Py_BEGIN_ALLOW_THREADS
            take_back(self->ring->ring, line);
            Py_END_ALLOW_THREADS
        }
        else
            take_back(self->ring->ring, line); /* the thread needs no lock of the interpreter */
    }
#endif
    self->line = NULL;
    Py_CLEAR(self->ring);
    forget_tls(self);
    /* what the thread could not send goes through the transports, in front of all that follows */
    self->client.waiting = self->backend.waiting = 1;
    for (int end = CLIENT; end <= BACKEND; end++) {
        /* receivers: the client's is the second */
        if (self->receivers[end == CLIENT] != NULL)
            receiver_count(self->receivers[end == CLIENT], self->passed[end], 0);
        if (self->receivers[end != CLIENT] != NULL)
            receiver_count(self->receivers[end != CLIENT], 0, self->passed[end]);
        self->passed[end] = 0;
    }
    return line;
}

static void
free_line(Line *line)
{
    for (int end = CLIENT; end <= BACKEND; end++) {
        free(line->ends[end].unread.data);
        free(line->ends[end].unsent.data);
    }
    Py_XDECREF(line->owner);
    free(line);
}

static void
drop_line(Passage *self)
{
    if (self->line != NULL)
        free_line(take_line(self, 0));
}

static PyObject *
error_of(const LineEnd *end)
{
    if (!end->ended)
        Py_RETURN_NONE;
    return PyLong_FromLong(end->error);
}

static PyObject *
passage_take_back(Passage *self, PyObject *Py_UNUSED(ignored))
{
    if (self->line == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the passage is not lent");
        return NULL;
    }
    Line *line = take_line(self, 1);
    LineEnd *client = &line->ends[CLIENT], *backend = &line->ends[BACKEND];
    PyObject *result = Py_BuildValue("((NNN)(NNN))", taken_bytes(&client->unsent), taken_bytes(&client->unread),
                                     error_of(client), taken_bytes(&backend->unsent),
                                     taken_bytes(&backend->unread), error_of(backend));
    free_line(line);
    return result;
}

static int
passage_traverse(Passage *self, visitproc visit, void *arg)
{
    if (self->line != NULL)
        Py_VISIT((PyObject *)self->line->owner);
    Py_VISIT(self->client.transport);
    Py_VISIT(self->backend.transport);
    return 0;
}

static int
passage_clear(Passage *self)
{
    drop_line(self);
    self->look.state = STOPPED;
    Py_CLEAR(self->client.transport);
    Py_CLEAR(self->backend.transport);
    return 0;
}

static void
passage_dealloc(Passage *self)
{
    PyObject_GC_UnTrack(self);
    passage_clear(self);
    Py_CLEAR(self->words);
    if (self->look.journal != NULL)
        forget_journal(&self->look);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
passage_running(Passage *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->look.state != STOPPED);
}

static PyObject *
passage_lent(Passage *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->line != NULL);
}

static PyObject *
passage_lendable(Passage *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->line == NULL && is_at_boundary(&self->look));
}

static PyObject *
passage_rest(Passage *self, void *Py_UNUSED(closure))
{
    byte rest = self->line == NULL ? 0 : __atomic_load_n(&self->rest, __ATOMIC_RELAXED);
    return PyBytes_FromStringAndSize((const char *)&rest, rest != 0);
}

static PyMethodDef passage_methods[] = {
    {"start", (PyCFunction)passage_start, METH_VARARGS, "Pass what is usual from now on."},
    {"stop", (PyCFunction)passage_stop, METH_NOARGS, "Pass nothing more; where both streams are, and the journal."},
    {"take_back", (PyCFunction)passage_take_back, METH_NOARGS, "Take back what was lent, and what has not passed."},
    {NULL},
};

static PyGetSetDef passage_getset[] = {
    {"running", (getter)passage_running, NULL, "Whether it passes what is usual.", NULL},
    {"lent", (getter)passage_lent, NULL, "Whether a ring passes it.", NULL},
    {"lendable", (getter)passage_lendable, NULL, "Whether it can be lent now.", NULL},
    {"rest", (getter)passage_rest, NULL, "While it is lent and all is answered, the transaction status, or b'G' in a group; else b''.", NULL},
    {NULL},
};

static PyTypeObject PassageType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "askwire._compiled.Passage",
    .tp_doc = "Both directions of one session, while nothing unusual travels.",
    .tp_basicsize = sizeof(Passage),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)passage_init,
    .tp_traverse = (traverseproc)passage_traverse,
    .tp_clear = (inquiry)passage_clear,
    .tp_dealloc = (destructor)passage_dealloc,
    .tp_methods = passage_methods,
    .tp_getset = passage_getset,
};

/* -- the ring ---------------------------------------------------------------------------------------------- */

static int
ring_init(RingObject *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    if (!PyArg_ParseTuple(args, ""))
        return -1;
#ifdef HAS_RING
    if (self->ring == NULL)
        self->ring = open_ring();
#else
    errno = ENOSYS;
#endif
    if (self->ring == NULL) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    return 0;
}

static int
is_closed(const RingObject *self)
{
    if (self->ring != NULL)
        return 0;
    PyErr_SetString(PyExc_ValueError, "the ring is closed");
    return 1;
}

static PyObject *
ring_fileno(RingObject *self, PyObject *Py_UNUSED(ignored))
{
    if (is_closed(self))
        return NULL;
#ifdef HAS_RING
    return PyLong_FromLong(self->ring->notice);
#else
    Py_RETURN_NONE;
#endif
}

/* Whether a thread can use what encrypts at both ends; None where nothing does. */
static int
are_lendable(PyObject *const *given)
{
    if (given[CLIENT] != Py_None && given[CLIENT] == given[BACKEND]) {
        PyErr_SetString(PyExc_ValueError, "both ends are one connection");
        return 0;
    }
    for (int end = CLIENT; end <= BACKEND; end++) {
        if (given[end] == Py_None)
            continue;
        if (!PyObject_TypeCheck(given[end], &TlsRecordsType)) {
            PyErr_SetString(PyExc_TypeError, "expected TlsRecords or None");
            return 0;
        }
        const TlsRecords *tls = (TlsRecords *)given[end];
        if (tls->lent || !tls->tls.shaken) {
            PyErr_SetString(PyExc_RuntimeError, "the connection is lent, or its handshake is not done");
            return 0;
        }
    }
    return 1;
}

static PyObject *
ring_lend(RingObject *self, PyObject *args)
{
    Passage *passage;
    int client, backend;
    char status;
    PyObject *owner, *given[2] = {Py_None, Py_None};
    if (!PyArg_ParseTuple(args, "O!iicO|OO", &PassageType, &passage, &client, &backend, &status, &owner,
                          &given[CLIENT], &given[BACKEND]))
        return NULL;
    if (is_closed(self) || refused_while_lent(passage))
        return NULL;
    if (!is_at_boundary(&passage->look)) {
        PyErr_SetString(PyExc_RuntimeError, "the passage is not between two messages");
        return NULL;
    }
    if (!are_lendable(given))
        return NULL;
#ifdef HAS_RING
    Line *line = calloc(1, sizeof *line);
    if (line == NULL)
        return PyErr_NoMemory();
    line->ends[CLIENT].socket = client;
    line->ends[BACKEND].socket = backend;
    line->look = &passage->look;
    line->passed = passage->passed;
    line->rest = &passage->rest;
    line->status = (byte)status;
    for (int end = CLIENT; end <= BACKEND; end++) {
        if (given[end] == Py_None)
            continue;
        passage->tls[end] = (TlsRecords *)Py_NewRef(given[end]);
        passage->tls[end]->lent = 1;
        line->ends[end].tls = &passage->tls[end]->tls;
    }
    passage->rest = rest_of(line);
    line->owner = Py_NewRef(owner);
    passage->line = line;
    passage->ring = (RingObject *)Py_NewRef((PyObject *)self);
    int failed = lend(self->ring, line);
    if (failed) {
        passage->line = NULL;
        Py_CLEAR(passage->ring);
        forget_tls(passage);
        free_line(line);
        errno = failed;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
#endif
    Py_RETURN_NONE;
}

static PyObject *
ring_came_back(RingObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *owners = PyList_New(0);
    if (owners == NULL || is_closed(self)) {
        Py_XDECREF(owners);
        return NULL;
    }
#ifdef HAS_RING
    Line *line;
    while ((line = next_that_came_back(self->ring)) != NULL) {
        if (PyList_Append(owners, line->owner) < 0) {
            Py_DECREF(owners);
            return NULL;
        }
    }
#endif
    return owners;
}

/* All lines have been taken back before: what is still lent loses what is under way. */
static PyObject *
ring_close(RingObject *self, PyObject *Py_UNUSED(ignored))
{
#ifdef HAS_RING
    if (self->ring != NULL) {
        take_from_open(self->ring);
        Py_BEGIN_ALLOW_THREADS
        close_ring(self->ring);
        Py_END_ALLOW_THREADS
        free_ring(self->ring);
        self->ring = NULL;
    }
#endif
    Py_RETURN_NONE;
}

static void
ring_dealloc(RingObject *self)
{
    Py_XDECREF(ring_close(self, NULL));
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef ring_methods[] = {
    {"fileno", (PyCFunction)ring_fileno, METH_NOARGS, "What can be read when a line has come back."},
    {"lend", (PyCFunction)ring_lend, METH_VARARGS, "Have the thread pass what is usual between two sockets."},
    {"came_back", (PyCFunction)ring_came_back, METH_NOARGS, "The owners of lines that have come back."},
    {"close", (PyCFunction)ring_close, METH_NOARGS, "End the thread."},
    {NULL},
};

static PyTypeObject RingType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "askwire._compiled.Ring",
    .tp_doc = "A thread that passes what is usual, for sessions that are lent to it.",
    .tp_basicsize = sizeof(RingObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)ring_init,
    .tp_dealloc = (destructor)ring_dealloc,
    .tp_methods = ring_methods,
};

/* -- one end of a session ---------------------------------------------------------------------------------- */

struct Receiver {
    PyObject_HEAD
    Passage *passage;
    unsigned long long received;
    unsigned long long sent;
    char is_client;
};

static void
receiver_count(Receiver *self, uint64_t came, uint64_t went)
{
    self->received += came;
    self->sent += went;
}

static void
receiver_leave(Receiver *self)
{
    if (self->passage != NULL && self->passage->receivers[(int)self->is_client] == self)
        self->passage->receivers[(int)self->is_client] = NULL;
}

static PyObject *
receiver_data_received(Receiver *self, PyObject *data)
{
    Passage *passage = self->passage;
    if (passage != NULL && passage->look.state != STOPPED && passage->line == NULL && PyBytes_CheckExact(data)) {
        Py_INCREF(passage);
        int done = self->is_client ? pass_from_client(passage, data) : pass_from_backend(passage, data);
        if (done > 0) {
            Receiver *other = passage->receivers[!self->is_client];
            self->received += (unsigned long long)PyBytes_GET_SIZE(data);
            if (other != NULL)
                other->sent += (unsigned long long)PyBytes_GET_SIZE(data);
        }
        Py_DECREF(passage);
        if (done < 0)
            return NULL;
        if (done)
            Py_RETURN_NONE;
    }
    return PyObject_CallMethodOneArg((PyObject *)self, str_arrived, data);
}

static PyObject *
receiver_join(Receiver *self, PyObject *args)
{
    PyObject *passage;
    int is_client;
    if (!PyArg_ParseTuple(args, "Op", &passage, &is_client))
        return NULL;
    if (passage != Py_None && !PyObject_TypeCheck(passage, &PassageType)) {
        PyErr_SetString(PyExc_TypeError, "expected a Passage or None");
        return NULL;
    }
    Passage *joined = passage == Py_None ? NULL : (Passage *)passage;
    receiver_leave(self);
    self->is_client = (char)is_client;
    Py_XINCREF(joined);
    Py_XSETREF(self->passage, joined);
    if (joined != NULL)
        joined->receivers[is_client] = self;
    Py_RETURN_NONE;
}

static int
receiver_traverse(Receiver *self, visitproc visit, void *arg)
{
    Py_VISIT(self->passage);
    return 0;
}

static int
receiver_clear(Receiver *self)
{
    receiver_leave(self);
    Py_CLEAR(self->passage);
    return 0;
}

static void
receiver_dealloc(Receiver *self)
{
    PyObject_GC_UnTrack(self);
    receiver_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static unsigned long long
passing(const Receiver *self, int from_client)
{
    const Passage *passage = self->passage;
    if (passage == NULL || passage->line == NULL)
        return 0;
    return __atomic_load_n(&passage->passed[from_client ? CLIENT : BACKEND], __ATOMIC_RELAXED);
}

static PyObject *
receiver_get_received(Receiver *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->received + passing(self, self->is_client));
}

static PyObject *
receiver_get_sent(Receiver *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->sent + passing(self, !self->is_client));
}

static PyObject *
receiver_came(Receiver *self, PyObject *size)
{
    self->received += PyLong_AsUnsignedLongLong(size);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *
receiver_went(Receiver *self, PyObject *size)
{
    self->sent += PyLong_AsUnsignedLongLong(size);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyGetSetDef receiver_getset[] = {
    {"received", (getter)receiver_get_received, NULL, "Bytes that came.", NULL},
    {"sent", (getter)receiver_get_sent, NULL, "Bytes that went.", NULL},
    {NULL},
};

static PyMethodDef receiver_methods[] = {
    {"data_received", (PyCFunction)receiver_data_received, METH_O, "Pass bytes on, or hand them to `arrived`."},
    {"join", (PyCFunction)receiver_join, METH_VARARGS, "Belong to a passage, as its client's end or the other."},
    {"came", (PyCFunction)receiver_came, METH_O, "Count bytes that came."},
    {"went", (PyCFunction)receiver_went, METH_O, "Count bytes that went."},
    {NULL},
};

static PyTypeObject ReceiverType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "askwire._compiled.Receiver",
    .tp_doc = "The part of a protocol that bytes arrive at; who derives from it has a method `arrived`.",
    .tp_basicsize = sizeof(Receiver),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_traverse = (traverseproc)receiver_traverse,
    .tp_clear = (inquiry)receiver_clear,
    .tp_dealloc = (destructor)receiver_dealloc,
    .tp_methods = receiver_methods,
    .tp_getset = receiver_getset,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "askwire._compiled",
    .m_doc = "What a relay does for every byte.",
    .m_size = -1,
};

PyMODINIT_FUNC
PyInit__compiled(void)
{
    PyTypeObject *types[] = {&WordsType, &WalkerType, &PassageType, &ReceiverType, &RingType,
                             &TlsContextType, &TlsRecordsType};
    str_write = PyUnicode_InternFromString("write");
    str_arrived = PyUnicode_InternFromString("arrived");
    str_get_write_buffer_size = PyUnicode_InternFromString("get_write_buffer_size");
    if (str_write == NULL || str_arrived == NULL || str_get_write_buffer_size == NULL)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    if (made == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (PyModule_AddType(made, types[i]) < 0)
            goto failed;
    }
    if (PyModule_AddIntConstant(made, "INTERFACE", INTERFACE) < 0)
        goto failed;
    return made;
failed:
    Py_DECREF(made);
    return NULL;
}
