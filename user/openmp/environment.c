/* SPDX-License-Identifier: MIT */
/*
 * environment.c - OMP_* variables. A native program has no environment, so the first of its arguments that look like
 * OMP_NAME=value take its place. Programs see them by getenv(), too.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "start/environment.h"
#include "openmp.h"

static bool set_cancellation(const char *value)
{
    omp_self.cancels = !strcasecmp(value, "true");
    return omp_self.cancels || !strcasecmp(value, "false");
}

static bool set_threads(const char *value)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (end == value || *end || !n)
        return false;
    omp_self.default_threads = n < omp_self.all ? (u32)n : omp_self.all;
    return true;
}

static bool set(const char *name, const char *value)
{
    static const struct {
        const char *name;
        bool (*set)(const char *value);
    } known[] = { { "OMP_CANCELLATION", set_cancellation }, { "OMP_NUM_THREADS", set_threads } };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (!strcmp(name, known[i].name))
            return known[i].set(value) && !setenv(name, value, 1);
    return false;
}

int environment_read(int argc, char **argv)
{
    int n = 0;
    for (; n + 1 < argc && !strncmp(argv[n + 1], "OMP_", 4) && strchr(argv[n + 1], '='); n++) {
        const char *value = strchr(argv[n + 1], '=') + 1;
        char *name = strndup(argv[n + 1], (size_t)(value - argv[n + 1] - 1));
        if (!name || !set(name, value))
            omp_fail("OMP_CANCELLATION is true or false, OMP_NUM_THREADS a number from 1 on; no other is known");
        free(name);
    }
    return n;
}
