/* SPDX-License-Identifier: MIT */
/*
 * stress.h - load that notices when the machine beneath it is disturbed.
 *
 * Each kind of work is a round that is repeated in a process of its own until the time is over. A round checks what it
 * did: bytes against their pattern, registers against what was put there, counts against what was sent. A round that
 * finds a difference says so and ends the whole run with a failure.
 */
#ifndef AMALGAM_STRESS_H
#define AMALGAM_STRESS_H

#include <stddef.h>
#include <stdint.h>

struct work {
    const char *name;
    int (*round)(uint64_t n); /* 0, or the round found a difference (said on stderr) */
};

int round_fork(uint64_t n);
int round_file(uint64_t n);
int round_fault(uint64_t n);
int round_timer(uint64_t n);
int round_signal(uint64_t n);
int round_registers(uint64_t n);
int round_tcp(uint64_t n);
int round_udp(uint64_t n);
int round_module(uint64_t n);

/* Say what is wrong; always 1. */
int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A pattern that differs in every round and at every place. */
void pattern_fill(void *to, size_t bytes, uint64_t seed);
int pattern_check(const void *from, size_t bytes, uint64_t seed);

#endif
