/* SPDX-License-Identifier: MIT */
/* module.c - rounds that load and unload a kernel module, which makes Linux patch its own code. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define NAME "dummy"

int round_module(uint64_t n)
{
    struct timespec pause = { .tv_nsec = 20000000 }; /* pause, because each load interrupts every CPU several times */
    (void)n;
    int file = open("/lib/modules/" NAME ".ko", O_RDONLY | O_CLOEXEC);
    if (file < 0 || syscall(SYS_finit_module, file, "numdummies=0", 0))
        return wrong("loading " NAME ".ko: %s", strerror(errno));
    close(file);
    if (access("/sys/module/" NAME, F_OK))
        return wrong(NAME " is loaded and not there");
    if (syscall(SYS_delete_module, NAME, O_NONBLOCK))
        return wrong("unloading " NAME ": %s", strerror(errno));
    nanosleep(&pause, NULL);
    return 0;
}
