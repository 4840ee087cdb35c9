/* SPDX-License-Identifier: MIT */
/*
 * core/log.h - what the kernel says.  printk formats: %d %u %x, %llu %llx (u64), %s %%, width,
 * zero padding of numbers up to 23 digits, and '-', nothing else (a unit test holds it to that list).
 */
#ifndef AMALGAM_CORE_LOG_H
#define AMALGAM_CORE_LOG_H

#include <types.h>

void printk(const char *fmt, ...) __printf(1, 2);
/* A line, at most 255 bytes, in the name of a console source (core/console.h). */
void vprintk(unsigned source, const char *fmt, __builtin_va_list ap);
/* Returns the length that the whole text would have, like snprintf. */
int ksnprintf(char *buf, size_t size, const char *fmt, ...) __printf(3, 4);
int kvsnprintf(char *buf, size_t size, const char *fmt, __builtin_va_list ap);

/* Say what happened, dump, stop all cores. */
__noreturn void panic(const char *fmt, ...) __printf(1, 2);
#define assert(cond)                                                                                                   \
    do {                                                                                                               \
        if (unlikely(!(cond)))                                                                                         \
            panic("assertion failed: %s (%s:%d)", #cond, __FILE__, __LINE__);                                          \
    } while (0)

#endif
