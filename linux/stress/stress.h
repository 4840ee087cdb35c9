/* SPDX-License-Identifier: MIT */
/*
 * stress.h - load that checks its own results, to find disturbances by an attach or detach beneath it.
 *
 * Each kind of work is a function that does one round. A process of its own repeats it until the time is over. A round
 * checks its results: bytes against their pattern, registers against the values put there, counts against what was
 * sent. If it finds a difference it prints it and ends the whole run with a failure.
 */
#ifndef AMALGAM_STRESS_H
#define AMALGAM_STRESS_H

#include <stddef.h>
#include <stdint.h>

struct work {
    const char *name;
    int (*round)(uint64_t n); /* round number n. Returns 0, or 1 after it has printed a difference on stderr */
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

/* Print a difference on stderr. Returns 1. */
int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fill memory with a pattern that differs for every seed and at every address. `bytes` is a multiple of 8. */
void pattern_fill(void *to, size_t bytes, uint64_t seed);
/* Returns 0 if the memory holds that pattern, or 1 after it has printed the first difference. */
int pattern_check(const void *from, size_t bytes, uint64_t seed);

#endif
