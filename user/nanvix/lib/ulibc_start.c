/* SPDX-License-Identifier: MIT */
/* ulibc_start.c - ___start() for programs of ulibc; it calls __main2(), with which they begin. */
#include <nanvix/sys/noc.h>
#include <nanvix/ulib.h>

extern int __main2(int argc, const char *argv[]);
extern void ___start(int argc, const char *argv[], char **envp);

void ___start(int argc, const char *argv[], char **envp)
{
    (void)envp;
    knoc_init();
    ___nanvix_exit(__main2(argc, argv));
}
