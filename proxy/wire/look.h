/* What of the bytes between a client and its backend is usual, and the journal of it. No Python is in here: the
   thread of ring.h looks without the interpreter's lock.

   What passes is noted in the journal, which is replayed into the Pipeline when the Python path needs it. Behind the
   ReadyForQuery that answers everything sent, a Pipeline knows nothing but the transaction status: there the
   journal begins again. */

#ifndef ASKWIRE_LOOK_H
#define ASKWIRE_LOOK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEADER 5
#define LONGEST_TAG 64
#define LONGEST_JOURNAL 65536
#define SHORT_JOURNAL 56

typedef unsigned char byte;

static inline uint32_t
read_uint32(const byte *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* -- words ------------------------------------------------------------------------------------------------- */

#define MOST_WORDS 3
#define LONGEST_WORD 64

typedef struct {
    long count;
    long length[MOST_WORDS];
    byte text[MOST_WORDS][LONGEST_WORD];
    byte shift[MOST_WORDS][256];
} WordTable;

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
words_found(const WordTable *self, const byte *data, int64_t size)
{
    for (long w = 0; w < self->count; w++) {
        int64_t length = self->length[w], at = 0;
        const byte *text = self->text[w], *shift = self->shift[w];
        while (at + length <= size) {
            byte last = data[at + length - 1];
            if (folded(last) == text[length - 1]) {
                int64_t i = 0;
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

/* What ends the answer to an extended-query message, besides CommandComplete and EmptyQueryResponse. */
static inline int
is_answer(byte kind)
{
    return kind == '1' || kind == '2' || kind == '3' || kind == 'T' || kind == 'n' || kind == 's';
}

/* -- looking ----------------------------------------------------------------------------------------------- */

enum { STOPPED, RUNNING, COPYING };

typedef struct {
    const WordTable *words;
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
} Look;

static void
forget_journal(Look *self)
{
    if (self->journal != self->brief)
        free(self->journal);
    self->journal = self->brief;
    self->room = SHORT_JOURNAL;
}

static int
note(Look *self, byte kind, const byte *detail, int64_t size)
{
    if ((size_t)self->noted + 2 + (size_t)size > self->room) {
        uint32_t room = 4 * self->room;
        if (room > LONGEST_JOURNAL)
            return 0;
        byte *larger = malloc(room);
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

/* Each returns whether the bytes are usual and may pass: they are noted then. Else nothing has changed, and the
   Python path must take them. */

static int
look_at_client(Look *self, const byte *data, uint64_t size)
{
    uint64_t skip = self->client_skip;
    if (skip >= size) {
        self->client_skip = skip - size;
        return 1;
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
                if (end > size || words_found(self->words, data + at + HEADER, (int64_t)length - 4))
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
    return 1;
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
look_at_backend(Look *self, const byte *data, int64_t size)
{
    if (self->backend_skip >= (uint64_t)size) {
        self->backend_skip -= (uint64_t)size;
        return 1;
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
                || !note(self, kind | 0x80, payload, (int64_t)length - 4))
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
    return 1;
unusual:
    self->noted = noted;
    return 0;
}

/* Passes what is usual from here on: `skip` bytes into a message of the client's. */
static void
start_look(Look *self, uint64_t skip, int copying)
{
    self->client_skip = skip;
    self->backend_skip = 0;
    self->noted = self->pending = self->answers = 0;
    self->in_group = self->settled = self->held = 0;
    self->state = copying ? COPYING : RUNNING;
}

/* Whether it passes what is usual, and both streams are between two messages. */
static int
is_at_boundary(const Look *self)
{
    return self->state == RUNNING && self->held == 0 && self->client_skip == 0 && self->backend_skip == 0;
}

/* Whether the transaction status is all there is to know: everything is answered as well. */
static int
is_at_rest(const Look *self)
{
    return is_at_boundary(self) && self->noted == 0 && self->pending == 0 && !self->in_group;
}

#endif
