/* SPDX-License-Identifier: MIT */
/* nanvix/cc.h - Nanvix' names for attributes of the compiler. */
#ifndef NANVIX_CC_H_
#define NANVIX_CC_H_

#define asm __asm__
#define EXTENSION     __extension__
#define NORETURN      __attribute__((noreturn))
#define SECTION(x)    __attribute__((section(x)))
#define OVERRIDE      __attribute__((weak))
#define ALIGN(x)      __attribute__((aligned(x)))
#define PACK          __attribute__((packed))
#define UNREACHABLE() __builtin_unreachable()
#define UNUSED(x)     ((void)(x))
#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define noop()        __asm__ __volatile__("" ::: "memory")

#endif
