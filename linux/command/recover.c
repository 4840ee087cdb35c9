/* SPDX-License-Identifier: MIT */
/*
 * recover.c - `recover` and `domain destroy`: take back all that is given or was left offline, from any state.
 *
 * A command can be killed between any two steps, so this relies only on the module and on the kernel below. The module
 * records which CPUs and which memory are given, and which memory blocks the command set offline and did not set online
 * again. The kernel knows whether there is a system of domains. A block that another program set offline is not
 * recorded and stays offline.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define PATIENCE_MS 60000 /* a system that is still being created clears its guests' memory first */
#define CPU_TRIES   10    /* rounds over the CPUs, each of which waits a second for a late one */

static struct held held;
static struct {
    unsigned cpus;
    u64 bytes;
} back; /* what this command has taken back */

int held_list(struct held *to)
{
    for (to->n = 0; to->n < MAX_HELD; to->n++) {
        struct amalgam_held *h = &to->entry[to->n];
        *h = (struct amalgam_held){ .index = to->n };
        int error = device_try(AMALGAM_HELD, h);
        if (error)
            return error == ENOENT ? DONE : device_call(AMALGAM_HELD, h);
    }
    return DONE;
}

static unsigned count(u32 kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < held.n; i++)
        n += held.entry[i].kind == kind;
    return n;
}

/* Returns entry i as the argument of the calls for memory. */
static struct amalgam_range range_of(unsigned i)
{
    return (struct amalgam_range){ .base = held.entry[i].base, .size = held.entry[i].size };
}

/* Set the blocks of one entry online. Returns DONE, or the status of the first one that stays offline. */
static int set_online(const struct amalgam_held *h)
{
    u64 size = memory_block_size();
    int status = DONE;
    for (u64 at = h->base; size && at < h->base + h->size; at += size) {
        unsigned n = (unsigned)(at / size);
        int error = block_online(n) ? 0 : block_set(n, true);
        if (error && !status)
            status = fail("amalgam recover", "memory block %u does not go online: %s", n, strerror(error));
        back.bytes += error ? 0 : size;
    }
    return status;
}

int recover_offline(void)
{
    int status = held_list(&held);
    for (unsigned i = 0; i < held.n; i++)
        if (held.entry[i].kind == AMALGAM_HELD_OFFLINE) {
            int one = set_online(&held.entry[i]);
            status = status ? status : one;
        }
    return status;
}

/* Take back the memory that can be taken now. Memory that is still in use is tried again when the CPUs are back. */
static void try_memory(void)
{
    held_list(&held);
    for (unsigned i = 0; i < held.n; i++) {
        struct amalgam_range range = range_of(i);
        if (held.entry[i].kind == AMALGAM_HELD_MEMORY)
            device_try(AMALGAM_MEM_TAKE, &range);
    }
}

static int take_memory_held(void)
{
    int status = held_list(&held);
    for (unsigned i = 0; i < held.n; i++) {
        struct amalgam_range range = range_of(i);
        int one = held.entry[i].kind == AMALGAM_HELD_MEMORY ? device_call(AMALGAM_MEM_TAKE, &range) : DONE;
        status = status ? status : one;
    }
    int online = recover_offline();
    return status ? status : online;
}

int take_all_memory(void)
{
    back.bytes = 0;
    int status = take_memory_held();
    return status || back.bytes ? status : say_already("no memory is given");
}

/* Try once to take back each given CPU. Returns how many came back; *late: at least one is leaving, but has not left.
 */
static unsigned take_cpus_once(bool *late)
{
    unsigned n = 0;
    *late = false;
    for (unsigned i = held.n; i-- > 0;) {
        struct amalgam_cpu cpu = { .cpu = held.entry[i].cpu };
        if (held.entry[i].kind != AMALGAM_HELD_CPU)
            continue;
        int error = device_try(AMALGAM_CPU_TAKE, &cpu);
        n += !error;
        *late |= error == ETIMEDOUT;
    }
    return n;
}

/* Take back all given CPUs. The kernel's core 0, which was given first, can only leave last, so a busy CPU is tried
 * again after the others. A core leaves when its threads have ended, which may take longer than one call waits. */
static int take_cpus_held(void)
{
    bool late = true;
    int status = held_list(&held);
    for (unsigned tries = 0; !status && count(AMALGAM_HELD_CPU) && late && tries < CPU_TRIES; tries++) {
        unsigned n = take_cpus_once(&late);
        back.cpus += n;
        late |= n != 0;
        status = held_list(&held);
    }
    for (unsigned i = 0; i < held.n && !status; i++)
        if (held.entry[i].kind == AMALGAM_HELD_CPU)
            status = take_cpu(held.entry[i].cpu); /* prints why it does not come back */
    return status;
}

/* End the kernel's system of domains; *there: there was one. Only the kernel knows, because it may have finished a
 * `create` whose command was killed. */
static int end_domains(bool *there)
{
    struct amalgam_status s;
    char *answer = NULL;
    int refused = 0, status = device_call(AMALGAM_STATUS, &s);
    if (status || s.state != AMALGAM_ATTACHED || !s.cores)
        return status;
    if (s.dead)
        return fail("restart this machine", "the kernel has panicked: what is given cannot be taken back");
    status = control_try("destroy", &answer, PATIENCE_MS, &refused);
    free(answer);
    *there = !status;
    if (refused == ENOENT) /* there was none */
        return DONE;
    return refused ? fail("amalgam log", "the kernel does not end its domains: %s", strerror(refused)) : status;
}

static int bring_back(bool *there)
{
    int ended = end_domains(there);
    try_memory();
    int cpus = take_cpus_held(), memory = take_memory_held();
    return ended ? ended : cpus ? cpus : memory;
}

static int recover(const char *already)
{
    bool there = false;
    if (!device_there())
        return say_already(already);
    catch_signals();
    int status = device_lock();
    if (!status)
        status = bring_back(&there);
    if (!status)
        status = held_list(&held);
    if (status)
        return status;
    if (held.n)
        return fail("amalgam status", "%u CPUs or pieces of memory are still given or offline", held.n);
    if (!there && !back.cpus && !back.bytes)
        return say_already(already);
    if (json)
        printf("{\"already\": false, \"cpus\": %u, \"memory\": %llu}\n", back.cpus, (unsigned long long)back.bytes);
    else
        printf("back with Linux: %u CPUs, %llu MiB\n", back.cpus, (unsigned long long)back.bytes >> 20);
    return DONE;
}

int cmd_recover(int n, char **word)
{
    return n ? usage("recover: '%s' is too much", word[0]) : recover("nothing is given, nothing was left offline");
}

int cmd_destroy(int n, char **word)
{
    return n ? usage("domain destroy: '%s' is too much: a system is destroyed as a whole", word[0])
             : recover("there are no domains, and nothing is given");
}
