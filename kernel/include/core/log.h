/* SPDX-License-Identifier: MIT */
/*
 * core/log.h - the kernel's log. printk formats: %d %u %x, %llu %llx (u64), %s %%, a width, zero padding of numbers up
 * to 23 digits, and '-'. A unit test checks that the kernel uses no other.
 */
#ifndef AMALGAM_CORE_LOG_H
#define AMALGAM_CORE_LOG_H

#include <types.h>

void printk(const char *fmt, ...) __printf(1, 2);
/* Write a line of at most 255 bytes in the name of a console source (core/console.h). */
void vprintk(unsigned source, const char *fmt, __builtin_va_list ap);
/* Format into `buf`. Returns the length of the whole text, like snprintf. */
int ksnprintf(char *buf, size_t size, const char *fmt, ...) __printf(3, 4);
int kvsnprintf(char *buf, size_t size, const char *fmt, __builtin_va_list ap);

/* Report what happened with a dump, then stop all cores. */
__noreturn void panic(const char *fmt, ...) __printf(1, 2);
#define assert(cond)                                                                                                   \
    do {                                                                                                               \
        if (unlikely(!(cond)))                                                                                         \
            panic("assertion failed: %s (%s:%d)", #cond, __FILE__, __LINE__);                                          \
    } while (0)

#endif
