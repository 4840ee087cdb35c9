/* SPDX-License-Identifier: MIT */
/* apex_ends.h - both ends of ARINC 653 channels in one process: each has its own copy of the library's state. */
#ifndef APEX_ENDS_H
#define APEX_ENDS_H

#include <port.h>
#include <string.h>

#define TUNNEL_BYTES 4096

static uint64_t fake_now = 1000000;
static unsigned notified, waited;
uint64_t apex_now_ns(void) { return fake_now; }
void apex_wait(void)
{
    waited++;
    fake_now += 1000;
}
void apex_notify(uint32_t tunnel) { notified++; }
void apex_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static struct end {
    struct port ports[APEX_PORTS];
    uint32_t n;
} ends[2];
static int at_end;

/* Which end the next calls are made by. */
static inline void be(int end)
{
    memcpy(ends[at_end].ports, apex_ports, sizeof(apex_ports));
    ends[at_end].n = apex_n_ports;
    at_end = end;
    memcpy(apex_ports, ends[end].ports, sizeof(apex_ports));
    apex_n_ports = ends[end].n;
}

static const struct apex_port ends_ports[2][2] = {
    { { "speed", 0, 60, 0, SOURCE }, { "orders", 0, 33, 4, SOURCE } },
    { { "speed", 0, 60, 0, DESTINATION }, { "orders", 0, 33, 4, DESTINATION } },
};

#endif
