/* SPDX-License-Identifier: MIT */
/*
 * runtime_start.c - __main2() for programs of the runtime: all of it begins, and __main3() is called, with which they
 * begin. Nanvix meets its spawn servers four times here; this meets nobody, because no server waits for a client.
 */
#include <nanvix/runtime/runtime.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/thread.h>
#include <nanvix/ulib.h>

extern int __main3(int argc, const char *argv[]);
extern int __main2(int argc, const char *argv[]);

/* A name server may begin later than its clients. */
static int take_name(const char *name)
{
    int error;
    while ((error = nanvix_setpname(name)) == -EAGAIN)
        kthread_yield();
    return error;
}

int __main2(int argc, const char *argv[])
{
    char name[NANVIX_PROC_NAME_MAX];
    usprintf(name, "cluster%d", knode_get_num());
    int error = __runtime_setup(SPAWN_RING_LAST), status;
    if (!error)
        error = take_name(name);
    if (error) {
        uprintf("runtime: %s does not begin: error %d", name, -error);
        return 1;
    }
    status = __main3(argc, argv);
    nanvix_name_unlink(name);
    __runtime_cleanup();
    return status;
}
