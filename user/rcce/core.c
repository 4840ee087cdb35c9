/* SPDX-License-Identifier: MIT */
/* core.c - RCCE_init() and RCCE_finalize(), and which UE runs on which core. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rcce.h"

#define EXIT_LOST 125 /* as of a program for OpenMP */

struct rcce rcce = { .ue = -1 };

static struct rcce_mpb *mpb_of(int core)
{
    const struct native_calls *c = rcce.calls;
    return (struct rcce_mpb *)(c->mpb + (size_t)core * c->mpb_size + c->mpb_kernel);
}

void rcce_end(void)
{
    fflush(stdout);
    _exit(EXIT_LOST);
}

static void end_if_lost(void)
{
    u32 lost = rcce.calls->lost();
    if (lost) {
        printf("rcce: the kernel of core %u is dead: the program ends here, too\n", (unsigned)(lost - 1));
        rcce_end();
    }
}

void rcce_rest(void)
{
    end_if_lost();
    rcce.calls->rest();
}

void rcce_polled(void)
{
    if (++rcce.polls % POLLS == 0)
        end_if_lost();
}

/* The first polls take longer than a rest. Else two UEs that answer each other could rest by turns for ever: each would
 * give up while the other one is still asleep. */
void rcce_relax_long(unsigned looks)
{
    if (rcce.push)
        rcce.push();
    if (looks >= LOOKS_FIRST && looks % LOOKS == 0)
        rcce_rest();
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Read the arguments: program, number of UEs, clock, cores. Ranks are in the order of the cores' numbers. */
static int read_hosts(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > RCCE_MAXNP || argc < n + 3)
        return RCCE_ERROR_NUM_UES;
    for (int i = 0; i < n; i++) {
        rcce.core[i] = atoi(argv[i + 3]);
        if (rcce.core[i] < 0 || (u32)rcce.core[i] >= rcce.calls->cores)
            return RCCE_ERROR_ID;
    }
    qsort(rcce.core, (size_t)n, sizeof(rcce.core[0]), compare);
    rcce.ue = -1;
    rcce.registers = (struct rcce_registers *)rcce.calls->shared;
    for (int i = 0; i < n; i++) {
        if (i && rcce.core[i] == rcce.core[i - 1])
            return RCCE_ERROR_ID;
        if ((u32)rcce.core[i] == rcce.calls->core)
            rcce.ue = i;
        rcce.mpb[i] = mpb_of(rcce.core[i]);
        rcce.lock[i] = rcce.registers->lock[rcce.core[i]];
    }
    rcce.n = n;
    return rcce.ue < 0 ? RCCE_ERROR_CORE_NOT_IN_HOSTFILE : RCCE_SUCCESS;
}

static int init(int *argc, char ***argv, bool gory)
{
    if (rcce.n)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_INITIALIZED);
    int error = read_hosts(*argc, *argv);
    if (!error)
        rcce.own = rcce.mpb[rcce.ue];
    if (error) {
        rcce.n = 0;
        rcce.ue = -1;
        return rcce_error(DEBUG_COMM, error);
    }
    rcce.n_lines = (u32)((rcce.calls->mpb_size - rcce.calls->mpb_kernel - sizeof(struct rcce_mpb)) / RCCE_LINE_SIZE);
    int skip = rcce.n + 2;
    (*argv)[skip] = (*argv)[0];
    *argv += skip;
    *argc -= skip;
    rcce_meet();
    rcce_lines_init();
    rcce_comm_world();
    rcce_shm_init();
    rcce_barriers_init();
    rcce_queue_init();
    rcce_air_init();
    rcce.combuf = gory ? NULL : (char *)RCCE_malloc(COMBUF * RCCE_LINE_SIZE);
    return RCCE_SUCCESS;
}

int RCCE_init(int *argc, char ***argv) { return init(argc, argv, false); }

int RCCE_init_gory(int *argc, char ***argv) { return init(argc, argv, true); }

int RCCE_finalize(void)
{
    if (!rcce.n)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_UNDEFINED);
    end_if_lost(); /* what it has read meanwhile may be wrong */
    RCCE_barrier(&RCCE_COMM_WORLD);
    rcce_tell(&rcce.own->ended, true);
    rcce.n = 0;
    return RCCE_SUCCESS;
}

int RCCE_ue(void) { return rcce.ue; }

int RCCE_num_ues(void) { return rcce.n; }

int RCCE_dev(void) { return 0; }

int RCCE_dev_ue(void) { return rcce.ue; }

int RCCE_num_dev(void) { return 1; }

int RCCE_num_ues_dev(int device) { return device ? 0 : rcce.n; }

int RCCE_ue_to_dev(int ue) { return rcce_ue_ok(ue) ? 0 : -1; }

double RCCE_wtime(void)
{
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (double)((uint64_t)high << 32 | low) / (rcce.calls->khz * 1000.0);
}
