/* A thread that relays sessions through io_uring, without the interpreter's lock.

   Owns: the bytes of the sessions ("lines") that are lent to it, and the order in which they pass. One system call
   sends what has arrived in all lines and waits for more. A line whose bytes are not usual (look.h) comes back,
   with the bytes that have not passed; so is one whose stream ends, whose reader is slow, or that carries more at
   once than a query does. Python continues where the thread has stopped. An end with TLS (tls.h) is decrypted and
   encrypted in the buffer that what passes has anyway.

   Where the kernel has no io_uring or does not allow it, `open_ring` fails.

   A process that forks has no thread in its child: it must not lend before.

   From `lend` until the line is back, its sockets, its Look, its Tls and its buffers are used by the thread alone; what
   both use is guarded by `lock`, or is a number that is read and written at once. */

#ifndef ASKWIRE_RING_H
#define ASKWIRE_RING_H

#include "look.h"
#include "tls.h"

#define QUEUED 3

enum { CLIENT, BACKEND };
enum { RECEIVED, SENT, CANCELED, WOKEN };  /* what a completion is of */
enum { LENT, BACK };

typedef struct {
    uint16_t buffer;
    uint16_t from;
    uint16_t size;
} Piece;

typedef struct {
    byte *data;
    size_t size;
} Bytes;

typedef struct {
    int socket;
    int file;        /* how the kernel finds it: its place in the table of files, or the socket */
    int error;       /* of the socket; 0 too where the stream has ended */
    Bytes unread;    /* arrived here, and not looked at; in clear */
    Bytes unsent;    /* looked at, and not gone out here; as it goes out */
    Tls *tls;        /* NULL without */
    Piece queue[QUEUED];
    byte queued;     /* the first is with the kernel */
    byte receiving;  /* and so is a wish for more */
    byte ended;
} LineEnd;

typedef struct Line Line;
struct Line {
    LineEnd ends[2];
    Look *look;
    uint64_t *passed;  /* bytes that came from the client, and from the backend */
    byte *rest;        /* what rest_of says */
    void *owner;
    Line *next;        /* in the inbox, or among those that are back */
    int place;         /* its two places in the kernel's table of files, -1 for none */
    uint32_t turn;     /* of the last send that did not go out at once */
    byte status;       /* before anything is settled */
    byte state;
    byte coming_back;  /* for the thread: everything is being canceled */
    byte canceling;
    byte wanted;       /* back, by whom waits for it */
    byte in_inbox;
    byte taken;        /* from there, and among the thread's lines */
    byte starved;      /* of buffers */
    Line *before, *after;  /* all lines of the thread */
};

typedef struct Ring Ring;

#if defined(__linux__) && __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif

#if defined(IORING_RECV_MULTISHOT) && defined(IORING_SETUP_DEFER_TASKRUN)
#define HAS_RING 1

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SUBMISSIONS 1024
#define COMPLETIONS 8192
#define BUFFERS 256
#define BUFFER_SIZE 16384
#define PLACES 2048
#define FREES_AT_ONCE (1U << 16) /* IORING_FEAT_RW_ATTR, of Linux 6.14 */
#define GROUP 1
#define STACK (256 * 1024)
#define PATIENCE 1 /* seconds */

struct Ring {
    pthread_t thread;
    pid_t process;
    Ring *next;  /* of `rings` */
    pthread_mutex_t lock;
    pthread_cond_t back;
    int descriptor;
    int wake;    /* wakes the thread for its inbox */
    int notice;  /* can be read when lines have come back */
    Line *inbox;
    Line *those_back;
    Line *lines;
    int ending;
    int ready;  /* 0 until the thread has tried; then 1, or -errno */
    uint64_t woken;
    uint32_t turn;
    int free_buffers;
    int starving;  /* a line is */
    int enter_flags;
    int named;     /* as `enter` names the ring */
    uint16_t places[PLACES];
    int free_places;
    /* shared with the kernel */
    void *rings;
    size_t rings_size;
    struct io_uring_sqe *entries;
    size_t entries_size;
    unsigned *submit_head, *submit_tail, submit_mask, *submit_array;
    unsigned *complete_head, *complete_tail, complete_mask;
    struct io_uring_cqe *completions;
    unsigned prepared, submitted;
    struct io_uring_buf_ring *buffers;
    byte *memory;
    uint16_t buffers_tail;
};

static Ring *rings; /* that are open; used with the interpreter's lock, and at the exit */

/* -- what is shared with the kernel ------------------------------------------------------------------------ */

static int
enter(Ring *self, unsigned wait)
{
    __atomic_store_n(self->submit_tail, self->prepared, __ATOMIC_RELEASE);
    unsigned count = self->prepared - self->submitted;
    int done = (int)syscall(__NR_io_uring_enter, self->named, count, wait, self->enter_flags, NULL, 0);
    if (done < 0)
        return errno == EINTR || errno == EAGAIN || errno == EBUSY ? 0 : -errno;
    self->submitted += (unsigned)done;
    return 0;
}

/* The next entry to fill in; NULL when the kernel takes none. */
static struct io_uring_sqe *
entry(Ring *self, int kind, Line *line, int end, int what)
{
    for (int tries = 0; self->prepared - __atomic_load_n(self->submit_head, __ATOMIC_ACQUIRE) > self->submit_mask;
         tries++) {
        if (tries > 1000 || enter(self, 0) < 0)
            return NULL;
    }
    unsigned at = self->prepared++ & self->submit_mask;
    struct io_uring_sqe *made = &self->entries[at];
    memset(made, 0, sizeof *made);
    made->opcode = (byte)kind;
    made->fd = line == NULL ? self->wake : line->ends[end].file;
    if (line != NULL && line->place >= 0 && kind != IORING_OP_ASYNC_CANCEL)
        made->flags = IOSQE_FIXED_FILE;
    made->user_data = (uint64_t)(uintptr_t)line | (unsigned)end | (unsigned)what << 1;
    self->submit_array[at] = at;
    return made;
}

static void
give_buffer(Ring *self, unsigned number)
{
    struct io_uring_buf *one = &self->buffers->bufs[self->buffers_tail & (BUFFERS - 1)];
    one->addr = (uint64_t)(uintptr_t)(self->memory + (size_t)number * BUFFER_SIZE);
    one->len = BUFFER_SIZE;
    one->bid = (uint16_t)number;
    __atomic_store_n(&self->buffers->tail, ++self->buffers_tail, __ATOMIC_RELEASE);
    self->free_buffers++;
}

static int
wait_for_inbox(Ring *self)
{
    struct io_uring_sqe *made = entry(self, IORING_OP_READ, NULL, 0, WOKEN);
    if (made == NULL)
        return -EBUSY;
    made->addr = (uint64_t)(uintptr_t)&self->woken;
    made->len = sizeof self->woken;
    return 0;
}

static void
close_kernel(Ring *self)
{
    if (self->descriptor >= 0)
        close(self->descriptor);
    self->descriptor = -1;
    if (self->rings != NULL)
        munmap(self->rings, self->rings_size);
    if (self->entries != NULL)
        munmap(self->entries, self->entries_size);
    if (self->buffers != NULL)
        munmap(self->buffers, BUFFERS * sizeof(struct io_uring_buf));
    if (self->memory != NULL)
        munmap(self->memory, (size_t)BUFFERS * BUFFER_SIZE);
    self->rings = NULL;
    self->entries = NULL;
    self->buffers = NULL;
    self->memory = NULL;
}

static void *
mapped(int descriptor, size_t size, uint64_t at)
{
    int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, descriptor, (off_t)at);
    return found == MAP_FAILED ? NULL : found;
}

/* What saves the kernel looking up a descriptor for each call and each request; without, all works as well. */

static void
name_itself(Ring *self)
{
    struct io_uring_rsrc_update own = {.offset = (uint32_t)-1, .data = (uint64_t)self->descriptor};
    self->named = self->descriptor;
    self->enter_flags = IORING_ENTER_GETEVENTS;
    if (syscall(__NR_io_uring_register, self->descriptor, IORING_REGISTER_RING_FDS, &own, 1) == 1) {
        self->named = (int)own.offset;
        self->enter_flags |= IORING_ENTER_REGISTERED_RING;
    }
}

/* Kernels before 6.13 close a file of the table only after all older requests, and a request for what arrives in
   an idle session may never end: there, no socket would be closed. */
static void
make_places(Ring *self, unsigned features)
{
    if (!(features & FREES_AT_ONCE))
        return;
    struct io_uring_rsrc_register table = {.nr = 2 * PLACES, .flags = IORING_RSRC_REGISTER_SPARSE};
    if (syscall(__NR_io_uring_register, self->descriptor, IORING_REGISTER_FILES2, &table, sizeof table) < 0)
        return;
    for (int place = PLACES - 1; place >= 0; place--)
        self->places[self->free_places++] = (uint16_t)place;
}

static int
put_in_place(const Ring *self, int place, int client, int backend)
{
    int both[2] = {client, backend};
    struct io_uring_files_update update = {.offset = 2 * (uint32_t)place, .fds = (uint64_t)(uintptr_t)both};
    return syscall(__NR_io_uring_register, self->descriptor, IORING_REGISTER_FILES_UPDATE, &update, 2) == 2;
}

/* 0, or -errno. Only the thread that calls it may use the ring. */
static int
open_kernel(Ring *self)
{
    struct io_uring_params given = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN
                 | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
        .cq_entries = COMPLETIONS,
    };
    self->descriptor = (int)syscall(__NR_io_uring_setup, SUBMISSIONS, &given);
    if (self->descriptor < 0)
        return -errno;
    if (!(given.features & IORING_FEAT_SINGLE_MMAP) || !(given.features & IORING_FEAT_NODROP))
        return -ENOSYS;
    size_t submit = given.sq_off.array + given.sq_entries * sizeof(unsigned);
    size_t complete = given.cq_off.cqes + given.cq_entries * sizeof(struct io_uring_cqe);
    self->rings_size = submit > complete ? submit : complete;
    self->entries_size = given.sq_entries * sizeof(struct io_uring_sqe);
    self->rings = mapped(self->descriptor, self->rings_size, IORING_OFF_SQ_RING);
    self->entries = mapped(self->descriptor, self->entries_size, IORING_OFF_SQES);
    self->buffers = mapped(-1, BUFFERS * sizeof(struct io_uring_buf), 0);
    self->memory = mapped(-1, (size_t)BUFFERS * BUFFER_SIZE, 0);
    if (self->rings == NULL || self->entries == NULL || self->buffers == NULL || self->memory == NULL)
        return -ENOMEM;
    byte *at = self->rings;
    self->submit_head = (unsigned *)(at + given.sq_off.head);
    self->submit_tail = (unsigned *)(at + given.sq_off.tail);
    self->submit_mask = *(unsigned *)(at + given.sq_off.ring_mask);
    self->submit_array = (unsigned *)(at + given.sq_off.array);
    self->complete_head = (unsigned *)(at + given.cq_off.head);
    self->complete_tail = (unsigned *)(at + given.cq_off.tail);
    self->complete_mask = *(unsigned *)(at + given.cq_off.ring_mask);
    self->completions = (struct io_uring_cqe *)(at + given.cq_off.cqes);
    struct io_uring_buf_reg group = {
        .ring_addr = (uint64_t)(uintptr_t)self->buffers, .ring_entries = BUFFERS, .bgid = GROUP};
    if (syscall(__NR_io_uring_register, self->descriptor, IORING_REGISTER_PBUF_RING, &group, 1) < 0)
        return -errno;
    for (unsigned number = 0; number < BUFFERS; number++)
        give_buffer(self, number);
    name_itself(self);
    make_places(self, given.features);
    return wait_for_inbox(self);
}

/* -- a line ------------------------------------------------------------------------------------------------ */

static void come_back(Ring *self, Line *line);

static void
keep(LineEnd *end, Bytes *kept, const byte *data, size_t size)
{
    if (end->error == ENOMEM)
        return; /* something is missing before it */
    byte *larger = realloc(kept->data, kept->size + size);
    if (larger == NULL) {
        end->error = ENOMEM;
        end->ended = 1;
        return;
    }
    memcpy(larger + kept->size, data, size);
    kept->data = larger;
    kept->size += size;
}

static void
receive(Ring *self, Line *line, int which)
{
    LineEnd *end = &line->ends[which];
    struct io_uring_sqe *made = entry(self, IORING_OP_RECV, line, which, RECEIVED);
    if (made == NULL) {
        come_back(self, line);
        return;
    }
    made->ioprio = IORING_RECV_MULTISHOT;
    made->flags |= IOSQE_BUFFER_SELECT;
    made->buf_group = GROUP;
    end->receiving = 1;
}

/* Hand the first of the queue to the kernel. */
static void
send_first(Ring *self, Line *line, int which)
{
    LineEnd *end = &line->ends[which];
    Piece *piece = &end->queue[0];
    struct io_uring_sqe *made = entry(self, IORING_OP_SEND, line, which, SENT);
    if (made == NULL) {
        /* nothing of it is with the kernel */
        for (int i = 0; i < end->queued; i++) {
            Piece *one = &end->queue[i];
            keep(end, &end->unsent, self->memory + (size_t)one->buffer * BUFFER_SIZE + one->from, one->size);
            give_buffer(self, one->buffer);
        }
        end->queued = 0;
        come_back(self, line);
        return;
    }
    made->addr = (uint64_t)(uintptr_t)(self->memory + (size_t)piece->buffer * BUFFER_SIZE + piece->from);
    made->len = piece->size;
    made->msg_flags = MSG_NOSIGNAL;
    line->turn = self->turn;
}

/* Ask for what arrives, where that has not been done or there were no buffers for it. */
static void
ask_again(Ring *self, Line *line)
{
    if (!line->starved)
        return;
    line->starved = 0;
    for (int which = CLIENT; which <= BACKEND && !line->coming_back; which++) {
        if (!line->ends[which].receiving)
            receive(self, line, which);
    }
}

static int
is_quiet(const Line *line)
{
    const LineEnd *client = &line->ends[CLIENT], *backend = &line->ends[BACKEND];
    return line->coming_back && !line->canceling && !client->receiving && !backend->receiving && !client->queued
           && !backend->queued;
}

static void
take_out(Line **list, const Line *line)
{
    while (*list != NULL && *list != line)
        list = &(*list)->next;
    if (*list != NULL)
        *list = line->next;
}

/* The kernel has nothing of the line any more: it is Python's again. */
static void
came_back(Ring *self, Line *line)
{
    if (line->before != NULL)
        line->before->after = line->after;
    else
        self->lines = line->after;
    if (line->after != NULL)
        line->after->before = line->before;
    if (line->place >= 0) {
        put_in_place(self, line->place, -1, -1);
        self->places[self->free_places++] = (uint16_t)line->place;
    }
    pthread_mutex_lock(&self->lock);
    line->state = BACK;
    if (line->in_inbox)
        take_out(&self->inbox, line);
    if (line->wanted)
        pthread_cond_broadcast(&self->back);
    else {
        line->next = self->those_back;
        self->those_back = line;
        uint64_t one = 1;
        (void)!write(self->notice, &one, sizeof one);
    }
    pthread_mutex_unlock(&self->lock);
}

static void
cancel(Ring *self, Line *line, int which)
{
    LineEnd *end = &line->ends[which];
    if (!end->receiving && !end->queued)
        return;
    struct io_uring_sqe *made = entry(self, IORING_OP_ASYNC_CANCEL, line, which, CANCELED);
    if (made == NULL) {
        shutdown(end->socket, SHUT_RDWR); /* ends the requests as well */
        return;
    }
    made->cancel_flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL
                         | (line->place < 0 ? 0 : IORING_ASYNC_CANCEL_FD_FIXED);
    line->canceling++;
}

/* Cancel all requests of the line; once they have ended, it has come back. */
static void
come_back(Ring *self, Line *line)
{
    if (line->coming_back)
        return;
    line->coming_back = 1;
    __atomic_store_n(line->rest, 0, __ATOMIC_RELAXED);
    cancel(self, line, CLIENT);
    cancel(self, line, BACKEND);
}

/* `result` requests were found; one that the kernel is just about to repeat is not. */
static void
canceled(Ring *self, Line *line, int which, int result)
{
    const LineEnd *end = &line->ends[which];
    line->canceling--;
    if (result < end->receiving + (end->queued != 0))
        cancel(self, line, which);
}

/* 0 while an answer is due, else the transaction status, or 'G' where the client is in the middle of a group. */
static byte
rest_of(const Line *line)
{
    const Look *look = line->look;
    if (!is_at_boundary(look) || look->pending)
        return 0;
    if (!is_at_rest(look))
        return 'G';
    return look->settled ? look->settled : line->status;
}

static int
looks_usual(Line *line, int from, const byte *data, uint32_t size)
{
    Look *look = line->look;
    int usual = from == CLIENT ? look_at_client(look, data, size) : look_at_backend(look, data, size);
    if (usual) {
        __atomic_store_n(&line->passed[from], line->passed[from] + size, __ATOMIC_RELAXED);
        __atomic_store_n(line->rest, rest_of(line), __ATOMIC_RELAXED);
    }
    return usual;
}

#ifdef HAS_TLS

/* Decrypt in place what has arrived; its size then. What stays in the Tls, Python finds there. */
static uint32_t
opened(Ring *self, Line *line, int which, byte *data, uint32_t size)
{
    LineEnd *end = &line->ends[which];
    if (!take_records(end->tls, data, (int)size)) {
        end->ended = 1;
        end->error = ENOMEM;
        come_back(self, line);
        return 0;
    }
    if (size == BUFFER_SIZE)
        come_back(self, line);
    if (line->coming_back)
        return 0;
    size_t clear = open_records(end->tls, data, BUFFER_SIZE);
    if (end->tls->ended || end->tls->failed || left_over(end->tls) || outgoing(end->tls))
        come_back(self, line);
    return (uint32_t)clear;
}

/* Encrypt in place what goes out; its size then. It is 0 where that is not possible, and where the peer wants shorter
   records, which need more room: Python finds them in the Tls, and sends them behind what is queued. */
static uint32_t
sealed(Ring *self, Line *line, int which, byte *data, uint32_t size)
{
    LineEnd *end = &line->ends[which];
    if (!seal_records(end->tls, data, (int)size)) {
        end->ended = 1;
        end->error = EIO;
    }
    else if (outgoing(end->tls) <= BUFFER_SIZE)
        return (uint32_t)take_outgoing(end->tls, data, BUFFER_SIZE);
    come_back(self, line);
    return 0;
}

#else

static uint32_t
opened(Ring *self, Line *line, int which, byte *data, uint32_t size)
{
    (void)self, (void)line, (void)which, (void)data;
    return size;
}

static uint32_t
sealed(Ring *self, Line *line, int which, byte *data, uint32_t size)
{
    return opened(self, line, which, data, size);
}

#endif

/* Bytes in clear are in a buffer: pass them on, or have the line come back. */
static void
arrived(Ring *self, Line *line, int from, unsigned number, uint32_t size)
{
    LineEnd *end = &line->ends[from], *other = &line->ends[!from];
    byte *data = self->memory + (size_t)number * BUFFER_SIZE;
    /* a full buffer is the beginning of more, of which Python passes larger pieces */
    uint32_t most = other->tls == NULL ? BUFFER_SIZE - 1 : BUFFER_SIZE - SEALING;
    if (size && !line->coming_back && size <= most && other->queued < QUEUED && looks_usual(line, from, data, size)) {
        if (other->tls != NULL)
            size = sealed(self, line, !from, data, size);
        if (size) {
            other->queue[other->queued++] = (Piece){(uint16_t)number, 0, (uint16_t)size};
            if (other->queued == 1)
                send_first(self, line, !from);
            return;
        }
    }
    else if (size) {
        keep(end, &end->unread, data, size);
        come_back(self, line);
    }
    give_buffer(self, number);
}

static void
received(Ring *self, Line *line, int from, int result, unsigned flags)
{
    LineEnd *end = &line->ends[from];
    if (!(flags & IORING_CQE_F_MORE))
        end->receiving = 0;
    if (flags & IORING_CQE_F_BUFFER) {
        unsigned number = flags >> IORING_CQE_BUFFER_SHIFT;
        uint32_t size = result > 0 ? (uint32_t)result : 0;
        self->free_buffers--;
        if (size && end->tls != NULL)
            size = opened(self, line, from, self->memory + (size_t)number * BUFFER_SIZE, size);
        arrived(self, line, from, number, size);
    }
    if (result == -ENOBUFS)
        line->starved = self->starving = 1;
    else if (result <= 0 && result != -EINTR && result != -EAGAIN) {
        if (result != -ECANCELED) {
            end->ended = 1;
            end->error = -result;
        }
        come_back(self, line);
    }
    else if (!end->receiving && !line->coming_back)
        receive(self, line, from);
}

static void
sent(Ring *self, Line *line, int which, int result)
{
    LineEnd *end = &line->ends[which];
    Piece *piece = &end->queue[0];
    if (result > 0) {
        piece->from = (uint16_t)(piece->from + result);
        piece->size = (uint16_t)(piece->size - result);
    }
    else if (result != -ECANCELED && result != -EINTR && result != -EAGAIN) {
        end->ended = 1;
        end->error = result ? -result : EPIPE;
        come_back(self, line);
    }
    if (!line->coming_back) {
        if (piece->size == 0) {
            give_buffer(self, piece->buffer);
            end->queued--;
            memmove(end->queue, end->queue + 1, end->queued * sizeof *end->queue);
        }
        if (end->queued)
            send_first(self, line, which);
        return;
    }
    for (int i = 0; i < end->queued; i++) {
        Piece *one = &end->queue[i];
        if (one->size)
            keep(end, &end->unsent, self->memory + (size_t)one->buffer * BUFFER_SIZE + one->from, one->size);
        give_buffer(self, one->buffer);
    }
    end->queued = 0;
}

/* -- the thread -------------------------------------------------------------------------------------------- */

static void
find_place(Ring *self, Line *line)
{
    line->place = -1;
    for (int which = CLIENT; which <= BACKEND; which++)
        line->ends[which].file = line->ends[which].socket;
    if (self->free_places == 0 || self->descriptor < 0)
        return;
    int place = self->places[--self->free_places];
    if (!put_in_place(self, place, line->ends[CLIENT].socket, line->ends[BACKEND].socket)) {
        self->places[self->free_places++] = (uint16_t)place;
        return;
    }
    line->place = place;
    line->ends[CLIENT].file = 2 * place;
    line->ends[BACKEND].file = 2 * place + 1;
}

/* The next line of the inbox, among the thread's lines from then on; NULL for none. */
static Line *
take_next(Ring *self)
{
    pthread_mutex_lock(&self->lock);
    Line *line = self->inbox;
    if (line != NULL) {
        self->inbox = line->next;
        line->in_inbox = 0;
    }
    pthread_mutex_unlock(&self->lock);
    if (line != NULL && !line->taken) {
        line->taken = 1;
        line->after = self->lines;
        if (self->lines != NULL)
            self->lines->before = line;
        self->lines = line;
        line->starved = 1; /* nothing has been asked for yet */
        find_place(self, line);
    }
    return line;
}

static void
read_inbox(Ring *self)
{
    Line *line;
    while ((line = take_next(self)) != NULL) {
        if (__atomic_load_n(&line->wanted, __ATOMIC_RELAXED))
            come_back(self, line);
        else
            ask_again(self, line);
        if (is_quiet(line))
            came_back(self, line);
    }
}

/* Buffers were short: those that wait with theirs for a slow reader come back, the others ask again. */
static void
feed_starved(Ring *self)
{
    int enough = self->free_buffers >= BUFFERS / 8;
    for (Line *line = self->lines, *after; line != NULL; line = after) {
        after = line->after;
        if ((line->ends[CLIENT].queued || line->ends[BACKEND].queued) && line->turn != self->turn)
            come_back(self, line);
        else if (enough)
            ask_again(self, line);
        if (is_quiet(line))
            came_back(self, line);
    }
    self->starving = !enough;
}

/* 0, or -errno where the ring is of no more use. */
static int
turn(Ring *self)
{
    unsigned at = *self->complete_head, end = __atomic_load_n(self->complete_tail, __ATOMIC_ACQUIRE);
    self->turn++;
    int woken = 0;
    while (at != end) {
        struct io_uring_cqe done = self->completions[at & self->complete_mask];
        __atomic_store_n(self->complete_head, ++at, __ATOMIC_RELEASE);
        Line *line = (Line *)(uintptr_t)(done.user_data & ~(uint64_t)7);
        int which = done.user_data & 1;
        switch (done.user_data >> 1 & 3) {
        case RECEIVED:
            received(self, line, which, done.res, done.flags);
            break;
        case SENT:
            sent(self, line, which, done.res);
            break;
        case CANCELED:
            canceled(self, line, which, done.res);
            break;
        case WOKEN:
            woken = 1;
            continue;
        }
        if (is_quiet(line))
            came_back(self, line);
    }
    if (self->starving)
        feed_starved(self);
    if (!woken)
        return 0;
    read_inbox(self);
    return wait_for_inbox(self);
}

/* Give back what is left: the kernel has closed its side, or we do. */
static void
abandon(Ring *self)
{
    int failed = self->ending ? 0 : EIO;
    close_kernel(self);
    pthread_mutex_lock(&self->lock);
    self->ready = -ESHUTDOWN;
    pthread_mutex_unlock(&self->lock);
    while (take_next(self) != NULL)
        ;
    Line *line;
    while ((line = self->lines) != NULL) {
        for (int which = CLIENT; which <= BACKEND; which++) {
            line->ends[which].ended |= failed != 0;
            line->ends[which].error = failed;
        }
        came_back(self, line);
    }
}

static void *
run(void *given)
{
    Ring *self = given;
    int result = open_kernel(self);
    pthread_mutex_lock(&self->lock);
    self->ready = result < 0 ? result : 1;
    pthread_cond_broadcast(&self->back);
    pthread_mutex_unlock(&self->lock);
    if (result < 0) {
        close_kernel(self);
        return NULL;
    }
    while (!__atomic_load_n(&self->ending, __ATOMIC_ACQUIRE)) {
        if (enter(self, self->starving ? 0 : 1) < 0 || turn(self) < 0)
            break;
    }
    abandon(self);
    return NULL;
}

/* -- for Python -------------------------------------------------------------------------------------------- */

static void
free_ring(Ring *self)
{
    if (self->wake >= 0)
        close(self->wake);
    if (self->notice >= 0)
        close(self->notice);
    pthread_cond_destroy(&self->back);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* A ring whose thread runs; NULL, and errno, where there can be none. */
static Ring *
open_ring(void)
{
    Ring *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->descriptor = -1;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->back, NULL);
    self->wake = eventfd(0, EFD_CLOEXEC);
    self->notice = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    /* signals are the main thread's */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = self->wake < 0 || self->notice < 0 ? errno : pthread_create(&self->thread, &attributes, run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!failed) {
        pthread_mutex_lock(&self->lock);
        while (self->ready == 0)
            pthread_cond_wait(&self->back, &self->lock);
        failed = self->ready < 0 ? -self->ready : 0;
        pthread_mutex_unlock(&self->lock);
        if (failed)
            pthread_join(self->thread, NULL);
    }
    if (failed) {
        free_ring(self);
        errno = failed;
        return NULL;
    }
    self->process = getpid();
    self->next = rings;
    rings = self;
    return self;
}

static void
tell(Ring *self, Line *line)
{
    if (line != NULL && !line->in_inbox) {
        line->in_inbox = 1;
        line->next = self->inbox;
        self->inbox = line;
    }
    uint64_t one = 1;
    (void)!write(self->wake, &one, sizeof one);
}

/* 0, or an errno where the thread has ended. */
static int
lend(Ring *self, Line *line)
{
    pthread_mutex_lock(&self->lock);
    int failed = self->ready < 0 ? -self->ready : 0;
    if (!failed) {
        line->state = LENT;
        tell(self, line);
    }
    pthread_mutex_unlock(&self->lock);
    return failed;
}

/* Take the line back, which lasts as long as the kernel takes to cancel. Should that be too long, the line ends, and
   not all others with it. */
static void
take_back(Ring *self, Line *line)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&self->lock);
    if (line->state != BACK) {
        __atomic_store_n(&line->wanted, 1, __ATOMIC_RELAXED);
        tell(self, line);
        while (line->state != BACK) {
            if (pthread_cond_timedwait(&self->back, &self->lock, &until) != ETIMEDOUT || line->state == BACK)
                continue;
            shutdown(line->ends[CLIENT].socket, SHUT_RDWR);
            shutdown(line->ends[BACKEND].socket, SHUT_RDWR);
            until.tv_sec += PATIENCE;
        }
    }
    else
        take_out(&self->those_back, line);
    pthread_mutex_unlock(&self->lock);
}

/* A line that has come back by itself, NULL for none. */
static Line *
next_that_came_back(Ring *self)
{
    pthread_mutex_lock(&self->lock);
    Line *line = self->those_back;
    if (line != NULL)
        self->those_back = line->next;
    pthread_mutex_unlock(&self->lock);
    return line;
}

/* Forget an open ring, which is to be closed. */
static void
take_from_open(const Ring *self)
{
    Ring **at = &rings;
    while (*at != NULL && *at != self)
        at = &(*at)->next;
    if (*at != NULL)
        *at = self->next;
}

/* End the thread; what is still lent is back then. */
static void
close_ring(Ring *self)
{
    pthread_mutex_lock(&self->lock);
    __atomic_store_n(&self->ending, 1, __ATOMIC_RELEASE);
    tell(self, NULL);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
}

/* At the exit of the process, before OpenSSL frees what a thread may be using: rings that no one has closed. */
static void
close_rings(void)
{
    Ring *ring;
    while ((ring = rings) != NULL) {
        rings = ring->next;
        if (ring->process == getpid()) /* a child that was forked has no such thread */
            close_ring(ring);
    }
}

#endif
#endif
