/* SPDX-License-Identifier: MIT */
/* start.c - from the entry to main(), and to the end. On a core that is not one of its UEs the program ends at once. */
#include <stdlib.h>
#include <unistd.h>

#include "../../lib/initializers.h"
#include "../../native/console.h"
#include "../../native/start.h"
#include "../rcce.h"

extern int main(int argc, char **argv);

void _exit(int status)
{
    console_flush();
    rcce.calls->exit(status);
    __builtin_trap();
}

/* Returns whether the core is one of the arguments: program, number of UEs, clock, cores. */
static bool is_among(int argc, char **argv, uint32_t core)
{
    int n = argc > 2 ? atoi(argv[1]) : 0;
    for (int i = 3; i < argc && i < n + 3; i++)
        if ((uint32_t)atoi(argv[i]) == core)
            return true;
    return false;
}

void native_start(const struct native_calls *calls)
{
    rcce.calls = calls;
    if (calls->version != NATIVE_VERSION || !is_among(calls->argc, calls->argv, calls->core))
        _exit(0);
    run_initializers();
    exit(main(calls->argc, calls->argv));
}
