/* SPDX-License-Identifier: MIT */
/* lane_test.h - the two ends of a lane, whose caches are not coherent, and which look when the test lets them. */
#ifndef AMALGAM_TESTS_LANE_TEST_H
#define AMALGAM_TESTS_LANE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cluster/lane_notice.h>
#include <cluster/lane_signal.h>
#include <errors.h>
#include <hal/time.h>
#include <life.h>

#include "noc_host.h"

ticks_t host_now;
ticks_t time_from_ns(u64 ns) { return ns; }

static struct lane lane[2];

static inline struct lane *at(unsigned cluster)
{
    noc_host_self = cluster;
    return &lane[cluster];
}

/* As a sweep over the lanes does. */
static inline int look_at(struct lane *l)
{
    lane_is_quiet(l);
    return lane_poll(l);
}

/* Both look until neither has anything new. */
static inline void finish_all(void)
{
    for (unsigned i = 0; i < 6; i++)
        look_at(at(i % 2));
    assert_true(lane[0].up && lane[1].up);
}

static inline int setup(void **state)
{
    memset(noc_host_seen, 0, sizeof(noc_host_seen));
    memset(noc_host_memory, 0, sizeof(noc_host_memory));
    host_now = 100;
    memset(noc_host_life, 0, sizeof(noc_host_life));
    noc_host_begin_life(1);
    noc_host_begin_life(0);
    lane_start(at(0), 1);
    lane_start(at(1), 0);
    finish_all();
    return 0;
}

static inline void begin_life_of_0(void)
{
    noc_host_begin_life(0);
    lane_start(&lane[0], 1);
}

static inline struct lane_half *half_of(unsigned from, unsigned to)
{
    return (struct lane_half *)noc_host_memory[from] + to;
}

#endif
