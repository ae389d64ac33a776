/* What a relay does for every byte, compiled: askwire._compiled.

   Owns: the twin of walker.BackendWalker, and `Passage`, which passes what is usual between the two ends of a
   session without a Python frame. Whatever is unusual it does not touch: it says so, and the Python path, which
   is complete without this module, takes the same bytes.

   Must not know: what a message means beyond what pipeline.Pipeline is shown about it. What passes is noted in a
   journal, which is replayed into the Pipeline when the Python path needs it. Behind the ReadyForQuery that
   answers everything sent, a Pipeline knows nothing but the transaction status: there the journal begins again.

   tests/proxy/wire/test_compiled.py holds both against their Python twins. Raise INTERFACE when what Python
   sees of this module changes: an older build is then left alone. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* Python ignores SIGPIPE */
#endif

#define INTERFACE 3
#define HEADER 5
#define LONGEST_WATCHED 65536
#define LONGEST_TAG 64
#define LONGEST_JOURNAL 65536
#define SHORT_JOURNAL 56

typedef unsigned char byte;

static PyObject *str_write, *str_arrived, *str_get_write_buffer_size;

static inline uint32_t
read_uint32(const byte *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

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

#define MOST_WORDS 3

typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    Py_ssize_t length[MOST_WORDS];
    byte text[MOST_WORDS][64];
    byte shift[MOST_WORDS][256];
} Words;

static inline byte
folded(byte c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static inline int
continues_word(byte c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static inline int
in_word(byte c)
{
    return continues_word(c) || (c >= '0' && c <= '9') || c == '$';
}

static int
words_init(Words *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
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

static int
words_found(const Words *self, const byte *data, Py_ssize_t size)
{
    for (Py_ssize_t w = 0; w < self->count; w++) {
        Py_ssize_t length = self->length[w], at = 0;
        const byte *text = self->text[w], *shift = self->shift[w];
        while (at + length <= size) {
            byte last = data[at + length - 1];
            if (folded(last) == text[length - 1]) {
                Py_ssize_t i = 0;
                while (i < length - 1 && folded(data[at + i]) == text[i])
                    i++;
                if (i == length - 1 && !(at > 0 && continues_word(data[at - 1]))
                    && !(at + length < size && in_word(data[at + length])))
                    return 1;
            }
            at += shift[last];
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
    return PyBool_FromLong(words_found(self, (byte *)PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)));
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

/* What ends the answer to an extended-query message, besides CommandComplete and EmptyQueryResponse. */
static inline int
is_answer(byte kind)
{
    return kind == '1' || kind == '2' || kind == '3' || kind == 'T' || kind == 'n' || kind == 's';
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

enum { STOPPED, RUNNING, COPYING };

typedef struct {
    PyObject *transport; /* set until the garbage collector breaks a cycle */
    int socket;    /* -1 where bytes do not travel as they are */
    char waiting;  /* the transport may hold bytes that go first */
} End;

typedef struct Receiver Receiver;

typedef struct {
    PyObject_HEAD
    Words *words;
    Receiver *receivers[2]; /* the backend's and the client's; not owned, each takes itself out */
    End client;
    End backend;
    uint64_t scan_limit;
    uint64_t client_skip;
    uint64_t backend_skip;
    byte *journal;
    uint32_t noted;
    uint32_t room;
    uint32_t pending;  /* Query, Sync and FunctionCall messages without their ReadyForQuery */
    uint32_t answers;  /* to messages of the open group */
    byte state;
    byte in_group;
    byte settled;  /* the status of the last ReadyForQuery that answered everything, or 0 */
    byte held;
    byte partial[HEADER];  /* of the backend's next header */
    byte brief[SHORT_JOURNAL];  /* the journal, as long as it is short */
} Passage;

static void
forget_journal(Passage *self)
{
    if (self->journal != self->brief)
        PyMem_Free(self->journal);
    self->journal = self->brief;
    self->room = SHORT_JOURNAL;
}

static int
note(Passage *self, byte kind, const byte *detail, Py_ssize_t size)
{
    if ((size_t)self->noted + 2 + (size_t)size > self->room) {
        uint32_t room = 4 * self->room;
        if (room > LONGEST_JOURNAL)
            return 0;
        byte *larger = PyMem_Malloc(room);
        if (larger == NULL)
            return 0;
        memcpy(larger, self->journal, self->noted);
        forget_journal(self);
        self->journal = larger;
        self->room = room;
    }
    self->journal[self->noted++] = kind;
    self->journal[self->noted++] = (byte)size;
    if (size)
        memcpy(self->journal + self->noted, detail, (size_t)size);
    self->noted += (uint32_t)size;
    return 1;
}

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
    const byte *data = (byte *)PyBytes_AS_STRING(given);
    uint64_t size = (uint64_t)PyBytes_GET_SIZE(given);
    uint64_t skip = self->client_skip;
    if (skip >= size) {
        self->client_skip = skip - size;
        return passed(&self->backend, given);
    }
    uint64_t at = skip;
    uint32_t noted = self->noted, pending = self->pending, answers = self->answers;
    byte in_group = self->in_group;
    byte waits = 0; /* a bound unnamed portal, whose Bind the Pipeline keeps */
    skip = 0;
    while (at < size) {
        if (size - at < HEADER)
            goto unusual;
        byte kind = data[at];
        uint32_t length = read_uint32(data + at + 1);
        uint64_t end = at + 1 + length;
        if (length < 4)
            goto unusual;
        if (kind != 'd') {
            if (self->state == COPYING)
                goto unusual;
            if ((kind == 'Q' || kind == 'P') && length <= self->scan_limit) {
                if (end > size || words_found(self->words, data + at + HEADER, (Py_ssize_t)length - 4))
                    goto unusual;
            }
            switch (kind) {
            case 'Q':
            case 'F':
                if (in_group)
                    goto unusual; /* an error of the group skips it */
                /* fall through */
            case 'S':
                if (pending == 0)
                    answers = 0;
                pending++;
                in_group = waits = 0;
                if (!note(self, kind, NULL, 0))
                    goto unusual;
                break;
            case 'D':
                in_group = 1;
                if (!note(self, kind, NULL, 0))
                    goto unusual;
                break;
            case 'P':
            case 'B':
            case 'E':
            case 'C': {
                /* what sent_portal looks at: the first byte of the payload, and whether the payload is cut */
                byte detail[2] = {!(at + HEADER < size && data[at + HEADER] == 0), end > size};
                in_group = 1;
                if (kind == 'B' && !detail[0])
                    waits = !detail[1];
                else if (kind == 'C' || !detail[0])
                    waits = 0;
                if (!note(self, kind, detail, 2))
                    goto unusual;
                break;
            }
            case 'c':
            case 'f':
                goto unusual;
            }
        }
        if (end > size) {
            skip = end - size;
            break;
        }
        at = end;
    }
    if (waits)
        goto unusual;
    self->client_skip = skip;
    self->pending = pending;
    self->answers = answers;
    self->in_group = in_group;
    return passed(&self->backend, given);
unusual:
    self->noted = noted;
    return 0;
}

/* Whether the command's tag says that the session begins again, as far as its settings go. */
static int
resets(const byte *tag, uint32_t size)
{
    return (size == sizeof "RESET" && memcmp(tag, "RESET", size) == 0)
           || (size == sizeof "DISCARD ALL" && memcmp(tag, "DISCARD ALL", size) == 0);
}

static int
pass_from_backend(Passage *self, PyObject *given)
{
    const byte *data = (byte *)PyBytes_AS_STRING(given);
    int64_t size = (int64_t)PyBytes_GET_SIZE(given);
    if (self->backend_skip >= (uint64_t)size) {
        self->backend_skip -= (uint64_t)size;
        return passed(&self->client, given);
    }
    int64_t at = (int64_t)self->backend_skip;
    uint64_t skip = 0;
    byte header[HEADER], held = 0, settled = self->settled;
    uint32_t noted = self->noted, pending = self->pending, answers = self->answers;
    /* Where the journal begins again, what it held so far must outlive a look that finds something unusual. */
    uint32_t since = 0;
    if (self->held) {
        /* a message that began in what came before: its header is put together, `at` is in front of it */
        memcpy(header, self->partial, self->held);
        at = -(int64_t)self->held;
    }
    while (at < size) {
        if (size - at < HEADER) {
            held = (byte)(size - at);
            for (int i = 0; i < held; i++)
                header[i] = at + i < 0 ? self->partial[at + i + self->held] : data[at + i];
            break;
        }
        byte kind;
        uint32_t length;
        if (at < 0) {
            memcpy(header + self->held, data, (size_t)(HEADER - self->held));
            kind = header[0];
            length = read_uint32(header + 1);
        }
        else {
            kind = data[at];
            length = read_uint32(data + at + 1);
        }
        if (length < 4)
            goto unusual;
        int64_t end = at + 1 + length;
        const byte *payload = data + at + HEADER;
        switch (kind) {
        case 'Z':
            if (self->state == COPYING || end > size || length != 5 || pending == 0
                || (*payload != 'I' && *payload != 'T' && *payload != 'E'))
                goto unusual;
            pending--;
            answers = 0;
            if (pending == 0 && !self->in_group) {
                since = self->noted;
                settled = *payload;
            }
            else if (!note(self, kind | 0x80, payload, 1))
                goto unusual;
            break;
        case 'C':
            if (self->state == COPYING || end > size || length - 4 > LONGEST_TAG
                || resets(payload, length - 4)
                || !note(self, kind | 0x80, payload, (Py_ssize_t)length - 4))
                goto unusual;
            break;
        case 'I':
            if (self->state == COPYING || !note(self, kind | 0x80, NULL, 0))
                goto unusual;
            break;
        case 'S':
        case 'E':
        case 'G':
        case 'W':
            goto unusual;
        default:
            if (is_answer(kind)) {
                if (self->state == COPYING)
                    goto unusual;
                answers += pending == 0 && self->in_group;
            }
        }
        if (end > size) {
            skip = (uint64_t)(end - size);
            break;
        }
        at = end;
    }
    if (since) {
        self->noted -= since;
        memmove(self->journal, self->journal + since, self->noted);
        if (self->noted == 0)
            forget_journal(self);
    }
    self->backend_skip = skip;
    self->pending = pending;
    self->answers = answers;
    self->settled = settled;
    self->held = held;
    memcpy(self->partial, header, held);
    return passed(&self->client, given);
unusual:
    self->noted = noted;
    return 0;
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
    self->state = STOPPED;
    forget_journal(self);
    Py_INCREF(words);
    Py_XSETREF(self->words, words);
    self->scan_limit = scan_limit;
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
    self->client.waiting = self->backend.waiting = 1;
    self->client_skip = skip;
    self->backend_skip = 0;
    self->noted = self->pending = self->answers = 0;
    self->in_group = self->settled = self->held = 0;
    self->state = copying ? COPYING : RUNNING;
    Py_RETURN_NONE;
}

static PyObject *
passage_stop(Passage *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *result = Py_BuildValue(
        "(KKy#y#y#I)", (unsigned long long)self->client_skip, (unsigned long long)self->backend_skip,
        (const char *)self->partial, (Py_ssize_t)self->held, (const char *)&self->settled,
        (Py_ssize_t)(self->settled != 0), (const char *)self->journal, (Py_ssize_t)self->noted,
        (unsigned int)self->answers);
    self->state = STOPPED;
    self->noted = 0;
    forget_journal(self);
    return result;
}

static int
passage_traverse(Passage *self, visitproc visit, void *arg)
{
    Py_VISIT(self->client.transport);
    Py_VISIT(self->backend.transport);
    return 0;
}

static int
passage_clear(Passage *self)
{
    self->state = STOPPED;
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
    if (self->journal != NULL)
        forget_journal(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
passage_running(Passage *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->state != STOPPED);
}

static PyMethodDef passage_methods[] = {
    {"start", (PyCFunction)passage_start, METH_VARARGS, "Pass what is usual from now on."},
    {"stop", (PyCFunction)passage_stop, METH_NOARGS, "Pass nothing more; where both streams are, and the journal."},
    {NULL},
};

static PyGetSetDef passage_getset[] = {
    {"running", (getter)passage_running, NULL, "Whether it passes what is usual.", NULL},
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

/* -- one end of a session ---------------------------------------------------------------------------------- */

struct Receiver {
    PyObject_HEAD
    Passage *passage;
    unsigned long long received;
    unsigned long long sent;
    char is_client;
};

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
    if (passage != NULL && passage->state != STOPPED && PyBytes_CheckExact(data)) {
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

static PyMethodDef receiver_methods[] = {
    {"data_received", (PyCFunction)receiver_data_received, METH_O, "Pass bytes on, or hand them to `arrived`."},
    {"join", (PyCFunction)receiver_join, METH_VARARGS, "Belong to a passage, as its client's end or the other."},
    {NULL},
};

static PyMemberDef receiver_members[] = {
    {"received", T_ULONGLONG, offsetof(Receiver, received), 0, "Bytes that came."},
    {"sent", T_ULONGLONG, offsetof(Receiver, sent), 0, "Bytes that went."},
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
    .tp_members = receiver_members,
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
    PyTypeObject *types[] = {&WordsType, &WalkerType, &PassageType, &ReceiverType};
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
