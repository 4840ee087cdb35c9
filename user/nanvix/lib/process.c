/* SPDX-License-Identifier: MIT */
/* process.c - see nanvix/runtime/pm/process.h; the wire is in amalgam/process_server.h. */
#include <amalgam/clusters.h>
#include <amalgam/process_server.h>
#include <nanvix/runtime/pm/process.h>

#include "ask.h"
#include "nanvix.h"
#include "process.h"

#define SERVERS 32

_Static_assert(offsetof(struct processes_message, nonce) == offsetof(struct ask_head, nonce) &&
                   offsetof(struct processes_message, reply_port) == offsetof(struct ask_head, reply_port),
               "a message of processes begins as ask.h says");
_Static_assert(NANVIX_PROCESS_NAME <= PROCESSES_PART, "an answer has room for a name");
_Static_assert(NANVIX_PROCESS_OUTPUT == PROCESSES_PART, "an answer has no more output");

static struct process_server servers[SERVERS];
static unsigned n_servers;
static uint64_t secret;
static uint32_t tag;
uint32_t nanvix_process_lock;

int nanvix_process_begin(void)
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

struct process_server *nanvix_process_server(int node)
{
    for (unsigned i = 0; i < n_servers; i++)
        if (servers[i].ask.node == node)
            return &servers[i];
    return NULL;
}

struct processes_message nanvix_process_request(const struct process_server *s, enum processes_op op, uint32_t number)
{
    return (struct processes_message){
        .magic = PROCESSES_MAGIC, .op = (uint8_t)op, .life = s->life, .client = secret, .number = number
    };
}

int nanvix_process_ask(struct process_server *s, struct processes_message *m)
{
    struct processes_message asked = *m;
    asked.tag = ++tag;
    for (int i = 0; i < PROCESS_TRIES; i++) {
        *m = asked;
        s->ask.rests_until = 0;
        if (!ask(&s->ask, m, sizeof(*m)))
            continue;
        s->life = m->life;
        return m->result == PROCESSES_LOST ? -EIO : m->result;
    }
    return -ETIMEDOUT;
}

int nanvix_process_ask_deed(struct process_server *s, struct processes_message *m)
{
    int result = nanvix_process_ask(s, m);
    return result == -ETIMEDOUT ? -EIO : result;
}

/* Ask the cluster of a number. Returns the result or an error. */
static int ask_of(int number, enum processes_op op, struct processes_message *m)
{
    int error = number < 0 || !(number & PROCESS_IN_ITS) ? -ESRCH : nanvix_process_begin();
    struct process_server *s = error ? NULL : nanvix_process_server(number >> PROCESS_SHIFT);
    if (!s)
        return error ? error : -ESRCH;
    *m = nanvix_process_request(s, op, (uint32_t)number & PROCESS_IN_ITS);
    return nanvix_process_ask_deed(s, m);
}

int nanvix_process_wait(int number, int *status)
{
    struct processes_message m;
    nanvix_lock_take(&nanvix_process_lock);
    int result = ask_of(number, PROCESSES_WAIT, &m);
    nanvix_lock_drop(&nanvix_process_lock);
    if (result == PROCESSES_DONE && status)
        *status = (int)m.value;
    return result < 0 || result == PROCESSES_DONE ? result : result == PROCESSES_RUNS ? -EAGAIN : -ESRCH;
}

int nanvix_process_output(int number, char *to)
{
    struct processes_message m;
    nanvix_lock_take(&nanvix_process_lock);
    int result = ask_of(number, PROCESSES_OUTPUT, &m);
    nanvix_lock_drop(&nanvix_process_lock);
    if (result == PROCESSES_REFUSED)
        return -EPIPE;
    if (result != PROCESSES_DONE)
        return result < 0 ? result : result == PROCESSES_RUNS ? -EAGAIN : -ESRCH;
    if (m.n > PROCESSES_PART)
        return -EIO;
    kmemcpy(to, m.data, m.n);
    return m.n;
}

/* Returns how many a server has killed, or an error. */
static int answer_to_kill(int result, const struct processes_message *m)
{
    if (result != PROCESSES_DONE)
        return result < 0 ? result : -ESRCH;
    return m->value <= PROCESS_IN_ITS ? (int)m->value : -EIO;
}

int nanvix_process_kill(int number)
{
    struct processes_message m;
    nanvix_lock_take(&nanvix_process_lock);
    int result = ask_of(number, PROCESSES_KILL, &m);
    nanvix_lock_drop(&nanvix_process_lock);
    return answer_to_kill(result, &m);
}

int nanvix_process_kill_name(const char *name)
{
    if (!name || !*name || kstrlen(name) >= NANVIX_PROCESS_NAME)
        return -ESRCH;
    nanvix_lock_take(&nanvix_process_lock);
    int error = nanvix_process_begin(), killed = 0;
    for (unsigned i = 0; i < n_servers; i++) {
        struct processes_message m = nanvix_process_request(&servers[i], PROCESSES_KILL, 0);
        kstrncpy(m.data, name, sizeof(m.data) - 1);
        int result = answer_to_kill(nanvix_process_ask_deed(&servers[i], &m), &m);
        if (result >= 0)
            killed += result;
        else if (result != -ESRCH && !error)
            error = result;
    }
    nanvix_lock_drop(&nanvix_process_lock);
    return error ? error : killed ? killed : -ESRCH;
}

/* Ask a cluster what does not depend on its server's life, which is left for who waits to be told. Returns the result
 * or an error. */
static int ask_at(int node, enum processes_op op, uint32_t number, struct processes_message *m)
{
    int error = nanvix_process_begin();
    struct process_server *s = error ? NULL : nanvix_process_server(node);
    if (!s)
        return error ? error : -EINVAL;
    uint32_t life = s->life;
    *m = nanvix_process_request(s, op, number);
    m->life = 0;
    int result = nanvix_process_ask(s, m);
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
    uint32_t last = (uint32_t)number & PROCESS_IN_ITS;
    nanvix_lock_take(&nanvix_process_lock);
    int result = ask_at(node, PROCESSES_LIST, last, &m);
    nanvix_lock_drop(&nanvix_process_lock);
    if (result)
        return result < 0 ? result : -ESRCH;
    if (!process_is_number(m.number, last))
        return -EIO;
    *p = (struct nanvix_process){ .number = node << PROCESS_SHIFT | (int)m.number, .from = m.from, .threads = m.n };
    p->runs = m.runs;
    copy_printable(p->name, m.data);
    return 0;
}

int nanvix_process_stats(int node, struct nanvix_process_stats *s)
{
    struct processes_message m;
    struct processes_stats told;
    nanvix_lock_take(&nanvix_process_lock);
    int result = ask_at(node, PROCESSES_STATS, 0, &m);
    nanvix_lock_drop(&nanvix_process_lock);
    if (result)
        return result < 0 ? result : -EAGAIN;
    kmemcpy(&told, m.data, sizeof(told));
    *s = (struct nanvix_process_stats){
        .life = told.cluster_life,
        .server_life = told.server_life,
        .started = told.started,
        .refused = told.refused,
        .dropped = told.dropped,
        .awake = told.awake,
        .awake_limit = told.awake_limit,
        .cores = told.cores < PROCESSES_CORES ? told.cores : PROCESSES_CORES,
        .core_awake = told.core_awake,
        .core_waits = told.core_waits,
    };
    return 0;
}

int nanvix_process_handle(int node, int renew, struct nanvix_process_handle *h)
{
    struct processes_message m;
    struct processes_handle told;
    nanvix_lock_take(&nanvix_process_lock);
    int error = nanvix_process_begin();
    struct process_server *s = error ? NULL : nanvix_process_server(node);
    if (s) {
        m = nanvix_process_request(s, PROCESSES_HANDLE, 0);
        m.value = renew != 0;
    }
    int result = s ? nanvix_process_ask_deed(s, &m) : error ? error : -EINVAL;
    nanvix_lock_drop(&nanvix_process_lock);
    if (result)
        return result < 0 ? result : result == PROCESSES_FORBIDDEN ? -EPERM : -EIO;
    kmemcpy(&told, m.data, sizeof(told));
    *h = (struct nanvix_process_handle){ .key = told.key, .from = told.from, .node = (uint32_t)node };
    return 0;
}

int nanvix_process_use(const struct nanvix_process_handle *h)
{
    nanvix_lock_take(&nanvix_process_lock);
    int error = nanvix_process_begin();
    struct process_server *s = error || h->node > INT32_MAX ? NULL : nanvix_process_server((int)h->node);
    if (s)
        s->handle = (struct processes_handle){ .key = h->key, .from = h->from };
    nanvix_lock_drop(&nanvix_process_lock);
    return s ? 0 : error ? error : -EINVAL;
}

int nanvix_process_cluster(unsigned i, int *node)
{
    nanvix_lock_take(&nanvix_process_lock);
    int error = nanvix_process_begin();
    if (!error && i >= n_servers)
        error = -EINVAL;
    if (!error)
        *node = servers[i].ask.node;
    nanvix_lock_drop(&nanvix_process_lock);
    return error;
}
