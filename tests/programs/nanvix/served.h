/* SPDX-License-Identifier: MIT */
/* served.h - what clients of the servers share whose answers are compared with what they should be (served.c,
 * patient.c). */
#ifndef NANVIX_SERVED_H
#define NANVIX_SERVED_H

#include <amalgam/clusters.h>
#include <nanvix/runtime/mm/stub.h>
#include <nanvix/runtime/pm/name.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/perf.h>

#include "../../../user/programs/nanvix/check.h"
#include "../../../user/programs/nanvix/measure.h"

#define WORDS  (RMEM_BLOCK_SIZE / sizeof(unsigned))
#define MS     1000000ull
#define LATEST (60000 * MS)

static int me; /* the program's cluster */

static inline uint64_t now(void)
{
    uint64_t ns;
    MUST(kclock(&ns) == 0);
    return ns;
}

static inline void rest(uint64_t ns)
{
    for (uint64_t until = now() + ns; now() < until;)
        amalgam_sleep_until(until); /* a signal of the library's ends it */
}

static inline const char *name_of(const char *what, int n)
{
    static char name[NANVIX_PROC_NAME_MAX];
    usnprintf(name, sizeof(name), "served-%s%d", what, n);
    return name;
}

static inline unsigned word_of(unsigned round, unsigned i) { return round * 2654435761u + i * 40503u; }

static inline void link_own(const char *name)
{
    int error;
    while ((error = nanvix_name_link(me, name)) == -EAGAIN)
        kthread_yield(); /* the server is not there yet */
    MUST(error == 0);
}

#endif
