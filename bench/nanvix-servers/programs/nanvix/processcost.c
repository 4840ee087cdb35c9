/* SPDX-License-Identifier: MIT */
/*
 * processcost.c - starts a program by a process server of another cluster and waits for its end, between marks 5 and 6,
 * between which the emulator's plugin counts. The program is its file /spawnmark, which ends at once, and has marks of
 * its own.
 */
#include <nanvix/runtime/pm/process.h>
#include <nanvix/sys/noc.h>
#include <stdio.h>

#include "../../../../user/programs/mark.h"
#include "../../../../user/programs/nanvix/check.h"

#define LARGEST (320u << 10)
#define SAMPLES 31

static char file[LARGEST];
static size_t size;

static void run(int node)
{
    static const char *const arguments[] = { "/bin/spawnmark", "child", NULL };
    int number, error, status;
    while ((number = nanvix_process_start(node, file, size, 1, arguments, NULL)) == -EAGAIN)
        kthread_yield(); /* the server has just begun, or the last one is on its way out of the slot */
    MUST(number > 0);
    while ((error = nanvix_process_wait(number, &status)) == -EAGAIN)
        kthread_yield();
    MUST(!error && !status);
}

void ___start(int argc, const char *argv[], char **envp)
{
    int node;
    UNUSED(argc);
    UNUSED(argv);
    UNUSED(envp);
    knoc_init();
    MUST(nanvix_process_cluster(0, &node) == 0);
    FILE *f = fopen("/spawnmark", "r");
    MUST(f);
    size = fread(file, 1, sizeof(file), f);
    MUST(size && size < sizeof(file));
    fclose(f);
    run(node);
    for (int i = 0; i < SAMPLES; i++) {
        MARK(5);
        run(node);
        MARK(6);
    }
    uprintf("processcost: done");
}
