/* SPDX-License-Identifier: MIT */
/* begins.c - checks what a program that begins with __main3() finds: its cluster's name, mailboxes, remote memory. */
#include <nanvix/runtime/runtime.h>
#include <nanvix/sys/noc.h>
#include <nanvix/ulib.h>

#include "../../../user/programs/nanvix/check.h"

int __main3(int argc, const char *argv[]);

int __main3(int argc, const char *argv[])
{
    char name[NANVIX_PROC_NAME_MAX];
    int *page;
    usprintf(name, "cluster%d", knode_get_num());
    MUST(argc == 1 && !ustrcmp(argv[0], "begins"));
    MUST(!ustrcmp(nanvix_getpname(), name) && nanvix_name_lookup(name) == knode_get_num());
    MUST(stdinbox_get() >= 0 && stdinportal_get() >= 0);
    while (!(page = nanvix_vmem_alloc(1))) /* its server may begin later */
        kthread_yield();
    *page = 7; /* the pager brings it */
    MUST(*page == 7 && !nanvix_vmem_free(page));
    uprintf("begins: right, %s", name);
    return 7;
}
