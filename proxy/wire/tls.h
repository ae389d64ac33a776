/* One end of a TLS connection, the server's or the client's, between two buffers in memory, by the OpenSSL 3 that
   Python's module ssl has loaded. It is found at run time: no header or library of it is needed for the build.

   Owns: which functions of OpenSSL are used, and what their results mean. No Python, no sockets. A Tls is used by one
   thread at a time.

   Where Python has its own OpenSSL inside, or another one, `find_openssl` fails: two in one process would follow two
   configurations, and call each other's functions. */

#ifndef ASKWIRE_TLS_H
#define ASKWIRE_TLS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__linux__)
#define HAS_TLS 1
#include <dlfcn.h>

#define OPENSSL "libssl.so.3"
#define LONGEST_RECORD 16384
#define USUAL_MEMORY 65536
/* What a record of usual length may be longer than its text, with any cipher of TLS 1.2 and 1.3: header, nonce, padding
   and digest. */
#define SEALING 512

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct bio_st BIO;

typedef int select_protocol(SSL *, const unsigned char **, unsigned char *, const unsigned char *, unsigned, void *);
typedef int give_password(char *, int, int, void *);

#define FUNCTIONS(F)                                                                                               \
    F(unsigned long, OpenSSL_version_num, (void))                                                                  \
    F(const void *, TLS_server_method, (void))                                                                     \
    F(const void *, TLS_client_method, (void))                                                                     \
    F(SSL_CTX *, SSL_CTX_new, (const void *))                                                                      \
    F(void, SSL_CTX_free, (SSL_CTX *))                                                                             \
    F(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *))                                                          \
    F(uint64_t, SSL_CTX_set_options, (SSL_CTX *, uint64_t))                                                        \
    F(int, SSL_CTX_set_cipher_list, (SSL_CTX *, const char *))                                                     \
    F(int, SSL_CTX_set_ciphersuites, (SSL_CTX *, const char *))                                                    \
    F(int, SSL_CTX_set_num_tickets, (SSL_CTX *, size_t))                                                           \
    F(void, SSL_CTX_set_default_passwd_cb, (SSL_CTX *, give_password *))                                           \
    F(int, SSL_CTX_use_certificate_chain_file, (SSL_CTX *, const char *))                                          \
    F(int, SSL_CTX_use_PrivateKey_file, (SSL_CTX *, const char *, int))                                            \
    F(int, SSL_CTX_check_private_key, (const SSL_CTX *))                                                           \
    F(int, SSL_CTX_load_verify_locations, (SSL_CTX *, const char *, const char *))                                 \
    F(int, SSL_CTX_set_default_verify_paths, (SSL_CTX *))                                                          \
    F(void, SSL_CTX_set_verify, (SSL_CTX *, int, void *))                                                          \
    F(void *, SSL_CTX_get0_param, (SSL_CTX *))                                                                     \
    F(int, X509_VERIFY_PARAM_set_flags, (void *, unsigned long))                                                   \
    F(void, X509_VERIFY_PARAM_set_hostflags, (void *, unsigned))                                                   \
    F(int, X509_VERIFY_PARAM_set1_host, (void *, const char *, size_t))                                            \
    F(int, X509_VERIFY_PARAM_set1_ip_asc, (void *, const char *))                                                  \
    F(void *, a2i_IPADDRESS, (const char *))                                                                       \
    F(void, ASN1_OCTET_STRING_free, (void *))                                                                      \
    F(void, SSL_CTX_set_alpn_select_cb, (SSL_CTX *, select_protocol *, void *))                                    \
    F(SSL *, SSL_new, (SSL_CTX *))                                                                                 \
    F(void, SSL_free, (SSL *))                                                                                     \
    F(void, SSL_set_bio, (SSL *, BIO *, BIO *))                                                                    \
    F(void, SSL_set0_rbio, (SSL *, BIO *))                                                                         \
    F(void, SSL_set_accept_state, (SSL *))                                                                         \
    F(void, SSL_set_connect_state, (SSL *))                                                                        \
    F(long, SSL_ctrl, (SSL *, int, long, void *))                                                                  \
    F(void *, SSL_get0_param, (SSL *))                                                                             \
    F(int, SSL_do_handshake, (SSL *))                                                                              \
    F(int, SSL_read, (SSL *, void *, int))                                                                         \
    F(int, SSL_pending, (const SSL *))                                                                             \
    F(int, SSL_write, (SSL *, const void *, int))                                                                  \
    F(int, SSL_shutdown, (SSL *))                                                                                  \
    F(int, SSL_get_error, (const SSL *, int))                                                                      \
    F(long, SSL_get_verify_result, (const SSL *))                                                                  \
    F(void, SSL_get0_alpn_selected, (const SSL *, const unsigned char **, unsigned *))                             \
    F(const void *, BIO_s_mem, (void))                                                                             \
    F(BIO *, BIO_new, (const void *))                                                                              \
    F(int, BIO_free, (BIO *))                                                                                      \
    F(int, BIO_read, (BIO *, void *, int))                                                                         \
    F(int, BIO_write, (BIO *, const void *, int))                                                                  \
    F(long, BIO_ctrl, (BIO *, int, long, void *))                                                                  \
    F(void, ERR_clear_error, (void))                                                                               \
    F(unsigned long, ERR_peek_last_error, (void))                                                                  \
    F(const char *, ERR_reason_error_string, (unsigned long))                                                      \
    F(const char *, X509_verify_cert_error_string, (long))

/* Numbers of OpenSSL's interface. */
enum {
    FILE_PEM = 1,
    ERROR_WANT_READ = 2,
    ERROR_WANT_WRITE = 3,
    ERROR_ZERO_RETURN = 6,
    SET_MODE = 33,
    MODE_RELEASE_BUFFERS = 0x10,
    SET_SESSION_CACHE = 44,
    SESSION_CACHE_OFF = 0,
    SET_LEAST_VERSION = 123,
    SET_SERVER_NAME = 55,
    SERVER_NAME_IS_HOST = 0,
    NO_PARTIAL_WILDCARDS = 4,
    BIO_PENDING = 10,
    BIO_SET_MEMORY_END = 130,
    PROTOCOL_CHOSEN = 0,
    PROTOCOL_NONE = 3,
    LIBRARY_OF = 23, /* bits below it, in an error */
    LIBRARY_SSL = 20,
    CERTIFICATE_REFUSED = 0x0A000086,
    FOR_ANOTHER_HOST = 62,
    FOR_ANOTHER_ADDRESS = 64,
};

static struct {
#define F(result, name, arguments) result(*name) arguments;
    FUNCTIONS(F)
#undef F
} openssl;

typedef struct {
    SSL *ssl;
    BIO *in, *out;        /* belong to `ssl` */
    size_t most;          /* that has been in `in` */
    unsigned long error;  /* what OpenSSL said of it when it failed */
    unsigned char shaken;
    unsigned char ended;  /* the peer sends no more */
    unsigned char failed;
} Tls;

/* What both have under a name, and all others too; else NULL. */
static void *
shared(void *library, void *user, const char *name)
{
    void *found = dlsym(library, name), *global = dlsym(RTLD_DEFAULT, name);
    return dlsym(user, name) == found && (global == NULL || global == found) ? found : NULL;
}

/* Whether OpenSSL is there, in the version that Python says it uses, and as its module, the file `user`, finds it. */
static int
find_openssl(unsigned long version, const char *user_file)
{
    static int found;
    void *library = dlopen(OPENSSL, RTLD_NOW | RTLD_NOLOAD);
    void *user = *user_file ? dlopen(user_file, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (library == NULL || user == NULL)
        return 0;
#define F(result, name, arguments)                                                                                 \
    void *of_##name = shared(library, user, #name);                                                                \
    if (of_##name == NULL)                                                                                         \
        return 0;
    FUNCTIONS(F)
#undef F
    if (!found) {
#define F(result, name, arguments) *(void **)&openssl.name = of_##name;
        FUNCTIONS(F)
#undef F
        found = 1;
    }
    return openssl.OpenSSL_version_num() == version;
}

/* -- what all connections share ---------------------------------------------------------------------------- */

static int
give_none(char *password, int size, int writes, void *given)
{
    (void)password, (void)size, (void)writes, (void)given;
    return -1; /* never ask on the terminal */
}

/* Choose our protocol among the client's, or none: who insists on one looks himself. */
static int
choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                unsigned size, void *ours)
{
    (void)ssl;
    const char *name = ours;
    size_t wanted = strlen(name);
    for (unsigned at = 0; at < size; at += 1U + offered[at]) {
        if (offered[at] == wanted && at + 1 + wanted <= size && memcmp(offered + at + 1, name, wanted) == 0) {
            *chosen = offered + at + 1;
            *length = (unsigned char)wanted;
            return PROTOCOL_CHOSEN;
        }
    }
    return PROTOCOL_NONE;
}

typedef struct {
    const char *certificate, *key; /* of a server */
    const char *protocol;          /* of a server, and outlives the context */
    const char *authorities, *ciphers, *suites;
    unsigned long long options;
    unsigned long verify_flags;
    int verify;
    int least_version;
    int is_client;
} TlsGiven;

static int
be_server(SSL_CTX *context, const TlsGiven *given)
{
    openssl.SSL_CTX_set_default_passwd_cb(context, give_none);
    openssl.SSL_CTX_set_alpn_select_cb(context, choose_protocol, (void *)given->protocol);
    return openssl.SSL_CTX_use_certificate_chain_file(context, given->certificate) == 1
           && openssl.SSL_CTX_use_PrivateKey_file(context, given->key, FILE_PEM) == 1
           && openssl.SSL_CTX_check_private_key(context) == 1;
}

/* Without authorities of its own, a client that verifies trusts those of the system. */
static int
be_client(SSL_CTX *context, const TlsGiven *given)
{
    openssl.X509_VERIFY_PARAM_set_hostflags(openssl.SSL_CTX_get0_param(context), NO_PARTIAL_WILDCARDS);
    return given->authorities != NULL || !given->verify || openssl.SSL_CTX_set_default_verify_paths(context) == 1;
}

/* NULL when something of it cannot be used; `failure` says why then. */
static SSL_CTX *
new_context(const TlsGiven *given, unsigned long *failure)
{
    openssl.ERR_clear_error();
    SSL_CTX *made = openssl.SSL_CTX_new(given->is_client ? openssl.TLS_client_method() : openssl.TLS_server_method());
    if (made != NULL) {
        openssl.SSL_CTX_set_options(made, given->options);
        openssl.SSL_CTX_ctrl(made, SET_MODE, MODE_RELEASE_BUFFERS, NULL);
        /* no sessions are taken up again: nothing is kept of them, and no key that opens all of them exists */
        openssl.SSL_CTX_ctrl(made, SET_SESSION_CACHE, SESSION_CACHE_OFF, NULL);
        openssl.SSL_CTX_set_num_tickets(made, 0);
        openssl.SSL_CTX_set_verify(made, given->verify, NULL);
        if (openssl.SSL_CTX_ctrl(made, SET_LEAST_VERSION, given->least_version, NULL) == 1
            && openssl.X509_VERIFY_PARAM_set_flags(openssl.SSL_CTX_get0_param(made), given->verify_flags) == 1
            && openssl.SSL_CTX_set_cipher_list(made, given->ciphers) == 1
            && openssl.SSL_CTX_set_ciphersuites(made, given->suites) == 1
            && (given->is_client ? be_client(made, given) : be_server(made, given))
            && (given->authorities == NULL
                || openssl.SSL_CTX_load_verify_locations(made, given->authorities, NULL) == 1))
            return made;
        openssl.SSL_CTX_free(made);
    }
    *failure = openssl.ERR_peek_last_error();
    openssl.ERR_clear_error();
    return NULL;
}

/* -- one connection ----------------------------------------------------------------------------------------

   OpenSSL keeps errors of a thread until they are cleared, and takes older ones for those of the call. Each function
   clears what it leaves; in a thread where others call OpenSSL, `forget_errors` comes first. */

static void
forget_errors(void)
{
    openssl.ERR_clear_error();
}

/* Memory for what arrives. */
static BIO *
new_incoming(void)
{
    BIO *made = openssl.BIO_new(openssl.BIO_s_mem());
    if (made != NULL)
        openssl.BIO_ctrl(made, BIO_SET_MEMORY_END, -1, NULL); /* more may come */
    return made;
}

/* Tell the server which host is meant, and, where that is `checked`, accept no certificate of another one. An address
   is told to no one (RFC 6066, 3). */
static int
name_server(SSL *ssl, const char *host, int checked)
{
    void *wanted = openssl.SSL_get0_param(ssl), *address = openssl.a2i_IPADDRESS(host);
    if (address != NULL) {
        openssl.ASN1_OCTET_STRING_free(address);
        return !checked || openssl.X509_VERIFY_PARAM_set1_ip_asc(wanted, host) == 1;
    }
    return openssl.SSL_ctrl(ssl, SET_SERVER_NAME, SERVER_NAME_IS_HOST, (void *)host) == 1
           && (!checked || openssl.X509_VERIFY_PARAM_set1_host(wanted, host, 0) == 1);
}

/* The client's end with a `host`, to which the server's certificate has to belong where that is `checked`. */
static int
open_tls(Tls *self, SSL_CTX *context, const char *host, int checked)
{
    self->ssl = openssl.SSL_new(context);
    self->in = new_incoming();
    self->out = openssl.BIO_new(openssl.BIO_s_mem());
    if (self->ssl == NULL || self->in == NULL || self->out == NULL
        || (host != NULL && !name_server(self->ssl, host, checked))) {
        self->error = openssl.ERR_peek_last_error();
        if (self->ssl != NULL)
            openssl.SSL_free(self->ssl);
        openssl.BIO_free(self->in);
        openssl.BIO_free(self->out);
        self->ssl = NULL;
        openssl.ERR_clear_error();
        return 0;
    }
    openssl.SSL_set_bio(self->ssl, self->in, self->out);
    if (host == NULL)
        openssl.SSL_set_accept_state(self->ssl);
    else
        openssl.SSL_set_connect_state(self->ssl);
    openssl.ERR_clear_error();
    return 1;
}

static void
close_tls(Tls *self)
{
    if (self->ssl != NULL)
        openssl.SSL_free(self->ssl);
    self->ssl = NULL;
}

/* Note why a call has not gone on: for want of bytes, or for good. */
static void
note_result(Tls *self, int result)
{
    switch (openssl.SSL_get_error(self->ssl, result)) {
    case ERROR_WANT_READ:
    case ERROR_WANT_WRITE:
        break;
    case ERROR_ZERO_RETURN:
        self->ended = 1;
        break;
    default:
        self->failed = 1;
        self->error = openssl.ERR_peek_last_error();
    }
    openssl.ERR_clear_error();
}

/* Bytes that have arrived, and that OpenSSL has not looked at. */
static size_t
incoming(const Tls *self)
{
    return (size_t)openssl.BIO_ctrl(self->in, BIO_PENDING, 0, NULL);
}

/* Whether bytes that have arrived could be kept. */
static int
take_records(Tls *self, const void *data, int size)
{
    if (size == 0)
        return 1;
    if (openssl.BIO_write(self->in, data, size) != size)
        return 0;
    if (incoming(self) > self->most)
        self->most = incoming(self);
    return 1;
}

/* Give back what much has needed that arrived at once: memory for what arrives never becomes less. */
static void
release_memory(Tls *self)
{
    if (self->most <= USUAL_MEMORY || incoming(self))
        return;
    BIO *made = new_incoming();
    if (made != NULL) {
        openssl.SSL_set0_rbio(self->ssl, made); /* which frees the former */
        self->in = made;
        self->most = 0;
    }
    openssl.ERR_clear_error();
}

static int
shake_hands(Tls *self)
{
    int result = openssl.SSL_do_handshake(self->ssl);
    if (result == 1)
        self->shaken = 1;
    else
        note_result(self, result);
    return self->shaken;
}

/* What was wrong with the certificate that OpenSSL has refused, as its number. */
static long
why_refused(const Tls *self)
{
    return openssl.SSL_get_verify_result(self->ssl);
}

/* Bytes that have arrived, or are decrypted already, and have not been asked for. */
static size_t
left_over(const Tls *self)
{
    return incoming(self) + (size_t)openssl.SSL_pending(self->ssl);
}

/* Bytes to be sent. */
static size_t
outgoing(const Tls *self)
{
    return (size_t)openssl.BIO_ctrl(self->out, BIO_PENDING, 0, NULL);
}

/* Decrypt what has arrived, at most `room` bytes; how many there were. */
static size_t
open_records(Tls *self, unsigned char *into, size_t room)
{
    size_t size = 0;
    while (size < room && !self->ended && !self->failed && left_over(self)) {
        size_t wanted = room - size < LONGEST_RECORD ? room - size : LONGEST_RECORD;
        int got = openssl.SSL_read(self->ssl, into + size, (int)wanted);
        if (got <= 0) {
            note_result(self, got);
            break;
        }
        size += (size_t)got;
    }
    return size;
}

/* Encrypt bytes, which are then outgoing; whether that was possible. */
static int
seal_records(Tls *self, const void *data, int size)
{
    if (self->failed)
        return 0;
    int result = openssl.SSL_write(self->ssl, data, size);
    if (result == size)
        return 1;
    note_result(self, result);
    self->failed = 1; /* there is always room for it, and nothing that has to arrive first */
    return 0;
}

static size_t
take_outgoing(Tls *self, void *into, size_t room)
{
    int got = openssl.BIO_read(self->out, into, (int)room);
    return got < 0 ? 0 : (size_t)got;
}

/* Say that no more is sent. */
static void
end_tls(Tls *self)
{
    if (!self->shaken || self->failed)
        return;
    openssl.SSL_shutdown(self->ssl);
    openssl.ERR_clear_error();
}

#else

typedef struct {
    unsigned char shaken, ended;
} Tls;

#endif
#endif
