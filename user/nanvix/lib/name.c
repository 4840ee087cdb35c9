/* SPDX-License-Identifier: MIT */
/* name.c - nanvix_name_*() by name_client.c; see nanvix/runtime/pm/name.h. */
#include <amalgam/clusters.h>
#include <nanvix/runtime/pm/name.h>
#include <nanvix/sys/noc.h>
#include <string.h>

#include "../../lib/fastclock.h"
#include "ask.h"
#include "name_client.h"
#include "nanvix.h"

static uint32_t lock;
static bool begun;
static struct name_client client;

static struct ask_server servers[NAMES_SERVERS];
_Static_assert(offsetof(struct names_message, nonce) == offsetof(struct ask_head, nonce) &&
                   offsetof(struct names_message, reply_port) == offsetof(struct ask_head, reply_port),
               "a message of names begins as ask.h says");
_Static_assert(sizeof(union name_room) == ASK_MESSAGE, "it is sent as it is");

/* Who was not answered in haste may ask again with patience at once. */
bool name_ask(unsigned server, union name_room *room, bool patient)
{
    static bool hasty[NAMES_SERVERS]; /* its rest is after a question in haste */
    struct ask_server *s = &servers[server];
    if (patient) {
        s->rests_until = hasty[server] ? 0 : s->rests_until;
        hasty[server] = false;
        return ask_in_place(s, room, ASK_PATIENCE_NS);
    }
    uint64_t rested = s->rests_until;
    bool answered = ask_in_place(s, room, NAME_HASTE_NS);
    if (s->rests_until != rested)
        hasty[server] = !answered;
    return answered;
}

uint64_t name_now(void) { return fastclock(); }

/* Once. */
static __attribute__((noinline)) int begin(void)
{
    int error = ask_begin();
    unsigned n = ask_list("NAMES", "0", servers, NAMES_PORT, NAMES_SERVERS);
    if (error || !n)
        return error ? error : -EINVAL;
    name_client_begin(&client, n, (unsigned)knode_get_num(), ask_random());
    begun = true;
    return 0;
}

/* Take the lock and begin. Returns 0; an error: the lock is not taken. */
static int enter(void)
{
    nanvix_lock_take(&lock);
    int error = begun ? 0 : begin();
    if (error)
        nanvix_lock_drop(&lock);
    return error;
}

static int leave(int outcome)
{
    nanvix_lock_drop(&lock);
    switch (outcome) {
    case NAME_TAKEN: return -EEXIST;
    case NAME_UNKNOWN: return -ENOENT;
    case NAME_NOBODY: return -EAGAIN;
    case NAME_FULL: return -ENOSPC;
    case NAME_WRONG: return -EINVAL;
    default: return outcome;
    }
}

static int check(const char *name)
{
    if (!name || !*name)
        return -EINVAL;
    return strnlen(name, NANVIX_PROC_NAME_MAX) < NANVIX_PROC_NAME_MAX ? 0 : -ENAMETOOLONG;
}

int __nanvix_name_setup(void)
{
    int error = enter();
    return error ? error : leave(0);
}

int __nanvix_name_cleanup(void)
{
    nanvix_lock_take(&lock);
    for (unsigned i = 0; begun && i < client.servers; i++)
        ask_close(&servers[i]);
    begun = false;
    name_client_begin(&client, 0, 0, 0);
    return leave(0);
}

int nanvix_name_link(int node, const char *name)
{
    int error = check(name), self = knode_get_num();
    if (!error && node != self)
        error = WITHIN(node, 0, amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES)) ? -EPERM : -EINVAL;
    error = error ? error : enter();
    return error ? error : leave(name_client_link(&client, name));
}

int nanvix_name_unlink(const char *name)
{
    int error = check(name);
    error = error ? error : enter();
    return error ? error : leave(name_client_unlink(&client, name));
}

/* Out of line: a name that is remembered has not to save registers for it. */
static __attribute__((noinline)) int look_up(const char *name, uint64_t now)
{
    int error = check(name);
    error = error ? error : enter();
    return error ? error : leave(name_client_lookup(&client, name, now));
}

/* A name that is remembered costs no lock and no call. */
int nanvix_name_lookup(const char *name)
{
    uint64_t now = fastclock();
    int known = name ? name_client_recall(&client, name, now) : NAME_UNKNOWN;
    return known >= 0 ? known : look_up(name, now);
}

int nanvix_name_heartbeat(void)
{
    int error = enter();
    return error ? error : leave(name_client_beat(&client));
}
