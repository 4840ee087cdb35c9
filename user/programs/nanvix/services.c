/* SPDX-License-Identifier: MIT */
/*
 * services.c - programs of several clusters that ask each server of the I/O cluster for something, for a look at who
 * asks whom (docs/servers.md).
 *   services N         links a name and finds those of N clusters, keeps a page and a file elsewhere, starts its file
 *                      /hello there, and tells cluster 0 that all was right
 *   services leads N   in cluster 0: waits for N of them
 */
#include <nanvix/runtime/fs/vfs.h>
#include <nanvix/runtime/mm/stub.h>
#include <nanvix/runtime/pm/name.h>
#include <nanvix/runtime/pm/process.h>
#include <nanvix/sys/mailbox.h>
#include <nanvix/sys/noc.h>
#include <stdio.h>

#include "check.h"
#include "measure.h"

#define PORT    9 /* of the one that leads */
#define LARGEST (160u << 10)

static void name_of(char *name, int node) { usprintf(name, "cluster-%d", node); }

static void use_names(int me, int clusters)
{
    char name[NANVIX_PROC_NAME_MAX];
    name_of(name, me);
    while (nanvix_name_link(me, name))
        kthread_yield();
    for (int node = 1; node <= clusters; node++)
        for (name_of(name, node); nanvix_name_lookup(name) != node;)
            kthread_yield();
}

static void use_memory(int me)
{
    static unsigned page[RMEM_BLOCK_SIZE / sizeof(unsigned)];
    rpage_t kept;
    while ((kept = nanvix_rmem_alloc()) == RMEM_NULL)
        kthread_yield();
    page[7] = (unsigned)me;
    MUST(nanvix_rmem_write(kept, page) == RMEM_BLOCK_SIZE);
    page[7] = 0;
    MUST(nanvix_rmem_read(kept, page) == RMEM_BLOCK_SIZE && page[7] == (unsigned)me);
    MUST(nanvix_rmem_free(kept) == 0);
}

static void use_files(int me)
{
    char path[16], text[8] = "";
    usprintf(path, "/kept-%d", me);
    int file;
    while ((file = nanvix_vfs_open(path, O_CREAT | O_RDWR, 0644)) < 0)
        kthread_yield();
    MUST(nanvix_vfs_write(file, "written", 7) == 7 && nanvix_vfs_close(file) == 0);
    MUST((file = nanvix_vfs_open(path, O_RDONLY)) >= 0);
    MUST(nanvix_vfs_read(file, text, 7) == 7 && !ustrcmp(text, "written"));
    MUST(nanvix_vfs_close(file) == 0);
}

static void use_processes(void)
{
    static char file[LARGEST];
    const char *const words[] = { "/bin/hello", NULL };
    const char *const variables[] = { NULL };
    FILE *f = fopen("/hello", "r");
    MUST(f);
    size_t size = fread(file, 1, sizeof(file), f);
    MUST(size && size < sizeof(file));
    int number, status, error;
    while ((number = nanvix_process_start(0, file, size, 1, words, variables)) == -EAGAIN)
        kthread_yield();
    MUST(number > 0);
    while ((error = nanvix_process_wait(number, &status)) == -EAGAIN)
        kthread_yield();
    MUST(!error && !status);
}

static void lead(int clusters)
{
    int in = kmailbox_create(knode_get_num(), PORT), from;
    MUST(in >= 0);
    for (int i = 0; i < clusters; i++)
        MUST(kmailbox_read(in, &from, sizeof(from)) == sizeof(from));
    uprintf("services: %d clusters were served", clusters);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    int me = knode_get_num(), clusters = number_of(argc > 1 ? argv[argc - 1] : NULL, 1);
    if (me == 0) {
        lead(clusters);
        return;
    }
    use_names(me, clusters);
    use_memory(me);
    use_files(me);
    use_processes();
    int out = kmailbox_open(0, PORT);
    MUST(out >= 0 && kmailbox_write(out, &me, sizeof(me)) == sizeof(me));
}
