/* SPDX-License-Identifier: MIT */
/*
 * types.h - integer and address types for all files.
 *
 * An address type names the kind of address: `paddr_t` is on the memory bus, `gpa_t` is what a guest takes for
 * physical, `uintptr_t` and pointers are this kernel's own. Time is counted in `ticks_t`, the unit of the board's
 * monotonic counter (hal/time.h converts).
 */
#ifndef AMALGAM_TYPES_H
#define AMALGAM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64; /* on all machines, so that %llu prints it */
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

typedef u64 paddr_t;
typedef u64 gpa_t;
typedef u64 ticks_t;

#define TICKS_NEVER ((ticks_t)-1)

#define likely(x)                       __builtin_expect(!!(x), 1)
#define unlikely(x)                     __builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a)                   (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define MIN(a, b)                       ((a) < (b) ? (a) : (b))
#define MAX(a, b)                       ((a) > (b) ? (a) : (b))
#define ALIGN_UP(x, a)                  (((x) + ((a)-1)) & ~((__typeof__(x))(a)-1))
#define ALIGN_DOWN(x, a)                ((x) & ~((__typeof__(x))(a)-1))
#define IS_ALIGNED(x, a)                (((x) & ((__typeof__(x))(a)-1)) == 0)

/* The most cores of a kernel. The build says it where it is another number: 1 if there is no other core
 * (CONFIG_ONE_CORE). */
#ifndef MAX_CPUS
#define MAX_CPUS 64
#endif

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1UL << PAGE_SHIFT)
#define KIB        (1UL << 10)
#define MIB        (1UL << 20)
#define GIB        (1ULL << 30)

#define __noreturn     __attribute__((noreturn))
#define __packed       __attribute__((packed))
#define __aligned(n)   __attribute__((aligned(n)))
#define __printf(f, a) __attribute__((format(printf, f, a)))
#define __must_check   __attribute__((warn_unused_result))
/* Rarely run: compiled for size in a file that is compiled for speed. */
#define __cold __attribute__((cold))
/* Not inlined: one copy in each file, also of a function in a header. */
#define __noinline __attribute__((noinline, unused))
/* Inlined wherever it is called: for what is shorter than a call. */
#define __inlined inline __attribute__((always_inline))
/* A declaration: NULL if the file that defines it is not linked. A definition beside the caller: the default where
 * the option's file, which defines it, too, is not linked. */
#define __optional __attribute__((weak))
/* Runs at boot only: its memory is freed afterwards (hal/memory.h, hal_drop_init). The build refuses calls from other
 * code, unless the text stays (CONFIG_DYNAMIC), because systems come and go. */
#define __init_text __attribute__((section(".init.text"), cold))
/* Constants that only such code uses; a string of that kind, in a function. */
#define __init_const __attribute__((section(".init.rodata")))
#define INIT_STRING(s)                                                                                                 \
    ({                                                                                                                 \
        static const char string_[] __init_const = s;                                                                  \
        string_;                                                                                                       \
    })

#define barrier()        __asm__ volatile("" ::: "memory")
#define READ_ONCE(x)     (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

#endif
