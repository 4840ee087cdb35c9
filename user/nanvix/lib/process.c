/* SPDX-License-Identifier: MIT */
/* process.c - see nanvix/runtime/pm/process.h; the wire is in amalgam/process_server.h. */
#include <amalgam/clusters.h>
#include <amalgam/process_server.h>
#include <nanvix/runtime/pm/process.h>

#include "ask.h"
#include "image.h"
#include "nanvix.h"

#define SERVERS 32
#define TRIES   3
#define SHIFT   24 /* of a number, from which on its cluster stands */
#define IN_ITS  ((1u << SHIFT) - 1)

_Static_assert(offsetof(struct processes_message, nonce) == offsetof(struct ask_head, nonce) &&
                   offsetof(struct processes_message, reply_port) == offsetof(struct ask_head, reply_port),
               "a message of processes begins as ask.h says");
_Static_assert(NANVIX_PROCESS_NAME <= PROCESSES_PART, "an answer has room for a name");

static struct server {
    struct ask_server ask;
    uint32_t life; /* as far as it has said; 0: it has not */
} servers[SERVERS];
static unsigned n_servers;
static uint64_t secret;
static uint32_t tag;
static uint32_t lock;

static int begin(void)
{
    struct ask_server listed[SERVERS];
    int error = n_servers ? 0 : ask_begin();
    if (n_servers || error)
        return error;
    secret = ask_random();
    n_servers = ask_list("PROCESSES", "0", listed, PROCESSES_PORT, SERVERS);
    for (unsigned i = 0; i < n_servers; i++)
        servers[i].ask = listed[i];
    return n_servers ? 0 : -EINVAL;
}

static struct server *server_at(int node)
{
    for (unsigned i = 0; i < n_servers; i++)
        if (servers[i].ask.node == node)
            return &servers[i];
    return NULL;
}

/* Returns whether a server's number of a process is one, behind `last`. A wrong one would be taken for another
 * cluster's, and a list without an order has no end. */
static bool is_number(uint32_t number, uint32_t last) { return number > last && number <= IN_ITS; }

static struct processes_message request(const struct server *s, enum processes_op op, uint32_t number)
{
    return (struct processes_message){
        .magic = PROCESSES_MAGIC, .op = (uint8_t)op, .life = s->life, .client = secret, .number = number
    };
}

/* Ask, again if no answer comes. Returns the result; -ETIMEDOUT: there was no answer; -EIO: the server has begun anew,
 * which is said once. */
static int question(struct server *s, struct processes_message *m)
{
    struct processes_message asked = *m;
    asked.tag = ++tag;
    for (int i = 0; i < TRIES; i++) {
        *m = asked;
        s->ask.rests_until = 0;
        if (!ask(&s->ask, m, sizeof(*m)))
            continue;
        s->life = m->life;
        return m->result == PROCESSES_LOST ? -EIO : m->result;
    }
    return -ETIMEDOUT;
}

/* Ask what may have been done although no answer comes: to whoever asks, the server is lost then. */
static int question_of_deed(struct server *s, struct processes_message *m)
{
    int result = question(s, m);
    return result == -ETIMEDOUT ? -EIO : result;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

struct texts {
    char bytes[PROCESSES_TEXTS];
    size_t size;
    uint32_t n[2]; /* arguments, variables */
};

static int gather(struct texts *t, const char *const *list, unsigned which)
{
    for (; list && *list; list++, t->n[which]++) {
        size_t n = kstrlen(*list) + 1;
        if (n > sizeof(t->bytes) - t->size)
            return -E2BIG;
        kmemcpy(t->bytes + t->size, *list, n);
        t->size += n;
    }
    return 0;
}

/* Send what follows the `at` bytes that were sent. Returns false: the server takes nothing. */
static bool put(struct server *s, uint32_t at, const char *bytes, size_t n)
{
    for (size_t done = 0, piece; done < n; done += piece) {
        struct processes_message m = request(s, PROCESSES_PUT, at + (uint32_t)done);
        piece = n - done < PROCESSES_PART ? n - done : PROCESSES_PART;
        m.n = (uint8_t)piece;
        kmemcpy(m.data, bytes + done, piece);
        if (!ask_send(&s->ask, &m, sizeof(m)))
            return false;
    }
    return true;
}

/* Returns 0 or an error. */
static int upload(struct server *s, const char *file, size_t size, const struct texts *t)
{
    struct processes_message m = request(s, PROCESSES_UPLOAD, (uint32_t)size);
    m.value = (uint32_t)t->size;
    int result = question(s, &m);
    if (result == PROCESSES_DONE)
        return put(s, 0, file, size) && put(s, (uint32_t)size, t->bytes, t->size) ? 0 : -EAGAIN;
    return result == PROCESSES_WRONG ? -ENOMEM : result < 0 ? result : -EAGAIN;
}

/* The kernel's errors of a start, as the server says. */
static int refusal(uint32_t error)
{
    switch (error) {
    case 0: return -EIO;
    case AMALGAM_ENOEXEC: return -ENOEXEC;
    case AMALGAM_ENOMEM: return -ENOMEM;
    case AMALGAM_E2BIG: return -E2BIG;
    default: return (int)nanvix_result(-(int64_t)error);
    }
}

static int answer_to_start(const struct server *s, int result, const struct processes_message *m)
{
    if (result == PROCESSES_DONE)
        return is_number(m->number, 0) ? s->ask.node << SHIFT | (int)m->number : -EIO;
    if (result == PROCESSES_REFUSED)
        return refusal(m->value);
    return result < 0 ? result : -EAGAIN;
}

/* What is lost on the way makes the server say PROCESSES_AGAIN. */
static int start_at(struct server *s, const char *file, size_t size, int threads, const struct texts *t)
{
    int result = PROCESSES_AGAIN, error = 0;
    struct processes_message m = { 0 };
    for (unsigned i = 0; result == PROCESSES_AGAIN && i < TRIES; i++) {
        error = upload(s, file, size, t);
        if (error == -EIO || error == -ETIMEDOUT)
            break;
        if (error) {
            nanvix_relax(NANVIX_RELAX_ASLEEP);
            continue;
        }
        m = request(s, PROCESSES_START, t->n[0]);
        m.value = t->n[1];
        m.n = (uint8_t)(threads < 1 ? 1 : threads);
        result = question_of_deed(s, &m);
    }
    if (error)
        return error == -ETIMEDOUT ? -EAGAIN : error;
    return answer_to_start(s, result, &m);
}

int nanvix_process_start(int node, const void *file, size_t size, int threads, const char *const arguments[],
                         const char *const variables[])
{
    static struct texts t; /* under the lock */
    long needed = image_size(file, size);
    if (needed < 0)
        return (int)needed;
    nanvix_lock_take(&lock);
    t.size = t.n[0] = t.n[1] = 0;
    int error = begin();
    struct server *s = error ? NULL : server_at(node);
    if (!error)
        error = !s || threads > UINT8_MAX ? -EINVAL : gather(&t, arguments, 0);
    if (!error)
        error = gather(&t, variables, 1);
    int result = error ? error : start_at(s, file, (size_t)needed, threads, &t);
    nanvix_lock_drop(&lock);
    return result;
}

/* --- the other calls ---------------------------------------------------------------------------------------------- */

/* Ask the cluster of a number. Returns the result or an error. */
static int ask_of(int number, enum processes_op op, struct processes_message *m)
{
    int error = number < 0 || !(number & IN_ITS) ? -ESRCH : begin();
    struct server *s = error ? NULL : server_at(number >> SHIFT);
    if (!s)
        return error ? error : -ESRCH;
    *m = request(s, op, (uint32_t)number & IN_ITS);
    return question_of_deed(s, m);
}

int nanvix_process_wait(int number, int *status)
{
    struct processes_message m;
    nanvix_lock_take(&lock);
    int result = ask_of(number, PROCESSES_WAIT, &m);
    nanvix_lock_drop(&lock);
    if (result == PROCESSES_DONE && status)
        *status = (int)m.value;
    return result < 0 || result == PROCESSES_DONE ? result : result == PROCESSES_RUNS ? -EAGAIN : -ESRCH;
}

/* Returns how many a server has killed, or an error. */
static int answer_to_kill(int result, const struct processes_message *m)
{
    if (result != PROCESSES_DONE)
        return result < 0 ? result : -ESRCH;
    return m->value <= IN_ITS ? (int)m->value : -EIO;
}

int nanvix_process_kill(int number)
{
    struct processes_message m;
    nanvix_lock_take(&lock);
    int result = ask_of(number, PROCESSES_KILL, &m);
    nanvix_lock_drop(&lock);
    return answer_to_kill(result, &m);
}

int nanvix_process_kill_name(const char *name)
{
    if (!name || !*name || kstrlen(name) >= NANVIX_PROCESS_NAME)
        return -ESRCH;
    nanvix_lock_take(&lock);
    int error = begin(), killed = 0;
    for (unsigned i = 0; i < n_servers; i++) {
        struct processes_message m = request(&servers[i], PROCESSES_KILL, 0);
        kstrncpy(m.data, name, sizeof(m.data) - 1);
        int result = answer_to_kill(question_of_deed(&servers[i], &m), &m);
        if (result >= 0)
            killed += result;
        else if (result != -ESRCH && !error)
            error = result;
    }
    nanvix_lock_drop(&lock);
    return error ? error : killed ? killed : -ESRCH;
}

/* Ask a cluster what does not depend on its server's life, which is left for who waits to be told. Returns the result
 * or an error. */
static int ask_at(int node, enum processes_op op, uint32_t number, struct processes_message *m)
{
    int error = begin();
    struct server *s = error ? NULL : server_at(node);
    if (!s)
        return error ? error : -EINVAL;
    uint32_t life = s->life;
    *m = request(s, op, number);
    m->life = 0;
    int result = question(s, m);
    s->life = life ? life : s->life;
    return result < 0 ? -EAGAIN : result;
}

/* Who started the program chose the name, and who lists it may print it at a terminal. */
static void copy_printable(char *to, const char *name)
{
    for (size_t i = 0; i < NANVIX_PROCESS_NAME - 1 && name[i]; i++)
        to[i] = name[i] >= ' ' && name[i] < 0x7f ? name[i] : '?';
}

int nanvix_process_list(int node, int number, struct nanvix_process *p)
{
    struct processes_message m;
    uint32_t last = (uint32_t)number & IN_ITS;
    nanvix_lock_take(&lock);
    int result = ask_at(node, PROCESSES_LIST, last, &m);
    nanvix_lock_drop(&lock);
    if (result)
        return result < 0 ? result : -ESRCH;
    if (!is_number(m.number, last))
        return -EIO;
    *p = (struct nanvix_process){ .number = node << SHIFT | (int)m.number, .from = m.from, .threads = m.n };
    p->runs = m.runs;
    copy_printable(p->name, m.data);
    return 0;
}

int nanvix_process_stats(int node, struct nanvix_process_stats *s)
{
    struct processes_message m;
    struct processes_stats told;
    nanvix_lock_take(&lock);
    int result = ask_at(node, PROCESSES_STATS, 0, &m);
    nanvix_lock_drop(&lock);
    if (result)
        return result < 0 ? result : -EAGAIN;
    kmemcpy(&told, m.data, sizeof(told));
    *s = (struct nanvix_process_stats){ told.cluster_life, told.server_life, told.started,    told.refused,
                                        told.dropped,      told.awake,       told.awake_limit };
    return 0;
}

int nanvix_process_cluster(unsigned i, int *node)
{
    nanvix_lock_take(&lock);
    int error = begin();
    if (!error && i >= n_servers)
        error = -EINVAL;
    if (!error)
        *node = servers[i].ask.node;
    nanvix_lock_drop(&lock);
    return error;
}
