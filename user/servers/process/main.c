/* SPDX-License-Identifier: MIT */
/*
 * main.c - the process server: a process with slots, in which it starts programs for those of all clusters
 * (docs/servers.md).
 *   process [threads=N] [share=N] [largest=KIB] [from=N,N,...] [dies=N]
 * threads: that each slot has; share: slots that one cluster may use; largest: of a program, whole pages; from:
 * clusters that may start programs, without it all. It reads one request after the other and answers each at once. What
 * it cannot do without ends it by a fault, so that `restart: [fault]` starts it again; what it had started has ended
 * then. dies=N: it faults after N requests of its life, for tests.
 */
#include <amalgam/clusters.h>
#include <amalgam/cores.h>
#include <amalgam/spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../lib/fastclock.h"
#include "../outputs.h"
#include "../random.h"
#include "../requests.h"
#include "options.h"
#include "start.h"
#include "table.h"

#define PAGE 4096u

static struct processes table;
static uint32_t image; /* the handle of all uploads' memory */
static unsigned char *uploads;

static int64_t start(const struct processes_upload *u, uint32_t argc, uint32_t envc, uint32_t *output)
{
    struct amalgam_program p = { .image = image,
                                 .offset = (uint32_t)(u->memory - uploads),
                                 .size = u->size,
                                 .argc = argc,
                                 .envc = envc,
                                 .length = u->texts,
                                 .texts = (uintptr_t)(u->memory + u->size) };
    return start_program(&p, output);
}

static int64_t read_output(uint32_t output, void *to, size_t n)
{
    int64_t read = amalgam_pipe_read(output, to, n);
    return read == -AMALGAM_EAGAIN || read >= 0 ? read : 0;
}

static void close_output(uint32_t output) { amalgam_handle_close(output); }

static bool ended(uint32_t child, uint32_t *status)
{
    int64_t end = amalgam_spawn_wait(child);
    if (end == -AMALGAM_EAGAIN)
        return false;
    if (end < 0) {
        printf("process: no end of %u: error %d\n", (unsigned)child, (int)-end);
        fflush(stdout);
        __builtin_trap();
    }
    *status = (uint32_t)end;
    return true;
}

static void kill(uint32_t child) { amalgam_spawn_kill(child, PROCESSES_KILLED); }

static uint32_t info(unsigned field)
{
    int64_t value = amalgam_cluster_info(field);
    return value < 0 ? 0 : (uint32_t)value;
}

/* The loop ends by -AMALGAM_EINVAL behind the last core, or where the kernel does not tell (-AMALGAM_ENOSYS). */
static void count_cores(struct processes_stats *s)
{
    int64_t state;
    for (; s->cores < PROCESSES_CORES && (state = amalgam_core_state(s->cores)) >= 0; s->cores++) {
        s->core_awake |= (uint64_t)(state == AMALGAM_CORE_AWAKE) << s->cores;
        s->core_waits |= (uint64_t)(state == AMALGAM_CORE_WAITS) << s->cores;
    }
}

static void count(struct processes_stats *s)
{
    s->cluster_life = info(AMALGAM_CLUSTER_INFO_LIFE);
    s->server_life = info(AMALGAM_CLUSTER_INFO_PROCESS_LIFE);
    s->dropped = info(AMALGAM_CLUSTER_INFO_DROPPED);
    s->awake = info(AMALGAM_CLUSTER_INFO_AWAKE);
    s->awake_limit = info(AMALGAM_CLUSTER_INFO_AWAKE_LIMIT);
    count_cores(s);
}

static uint64_t draw(void)
{
    uint64_t drawn;
    return getentropy(&drawn, sizeof(drawn)) ? 0 : drawn;
}

static const struct processes_calls calls = { start, read_output, close_output, ended, kill, count, draw };

static uint32_t draw_life(void)
{
    uint32_t drawn = (uint32_t)servers_random();
    return drawn ? drawn : 1;
}

/* Answer requests until `most` have come, if it is not 0, or the mailbox fails. */
static void serve(unsigned in, unsigned most)
{
    union {
        struct processes_message message;
        unsigned char bytes[REQUESTS_BYTES];
    } m;
    int node;
    for (unsigned n = 0; (!most || n < most) && (node = requests_receive("process", in, &m)) >= 0; n++)
        if (processes_serve(&table, (unsigned)node, &m.message, fastclock()))
            outputs_send((unsigned)node, m.message.reply_port, &m.message, sizeof(m.message));
}

int main(int argc, char **argv)
{
    struct options o = { .threads = 1, .share = PROCESSES_MOST, .largest = 64, .from = UINT32_MAX };
    const char *wrong = options_read(argc, argv, &o);
    if (wrong) {
        printf("process: \"%s\" is no argument\n", wrong);
        return 1;
    }
    unsigned room = (o.largest * 1024 + PAGE - 1) & -PAGE;
    size_t each = room + PROCESSES_TEXTS, all = PROCESSES_UPLOADS * each;
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE);
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, PROCESSES_PORT);
    uploads = aligned_alloc(PAGE, all);
    int64_t handle = uploads ? amalgam_handle_memory(uploads, all, 0) : -AMALGAM_ENOMEM;
    if (in < 0 || handle < 0) {
        printf("process: %s: error %d\n", in < 0 ? "no mailbox at its port" : "no room for programs",
               (int)-(in < 0 ? in : handle));
        return 1;
    }
    image = (uint32_t)handle;
    processes_begin(&table, draw_life(), uploads, room, o.threads, o.share, &calls);
    table.starters = o.from;
    printf("process: serves port %d of cluster %d\n", PROCESSES_PORT, (int)node);
    fflush(stdout);
    serve((unsigned)in, o.dies);
    __builtin_trap();
}
