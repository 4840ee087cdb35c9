/* SPDX-License-Identifier: MIT */
/* fault.c - does one thing that a process must not do: arguments [null | text | jump | privileged | breakpoint | abort,
 * seconds to wait before]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *volatile nothing;

#if defined(__riscv)
#define PRIVILEGED "csrci sstatus, 2"
#define BREAKPOINT "ebreak"
#else
#define PRIVILEGED "cli"
#define BREAKPOINT "int3"
#endif

static int touch(void) { return *nothing = 1; }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "null";
    printf("fault: %s\n", what);
    sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 0);
    if (!strcmp(what, "null"))
        touch();
    else if (!strcmp(what, "text"))
        *(volatile char *)main = 0;
    else if (!strcmp(what, "jump"))
        ((void (*)(void))(void *)nothing)();
    else if (!strcmp(what, "privileged"))
        __asm__ volatile(PRIVILEGED);
    else if (!strcmp(what, "breakpoint"))
        __asm__ volatile(BREAKPOINT);
    else
        abort();
    printf("fault: still here after %s\n", what);
    return 1;
}
