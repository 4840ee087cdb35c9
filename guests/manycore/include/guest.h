/* SPDX-License-Identifier: MIT */
/*
 * guest.h - the library of the small S-mode programs of the manycore board. Such a program runs in place of a cluster's
 * kernel and has the SBI and its device tree; page tables only if it makes them. rv64 and rv32.
 */
#ifndef MANYCORE_GUEST_H
#define MANYCORE_GUEST_H

#define STACK_SHIFT 12
#define MOST_HARTS  64 /* in one cluster */
#define NO_FAULT    99 /* touch() returns it if the access succeeded */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned long ulong;

#define csr_read(name)                                                                                                 \
    ({                                                                                                                 \
        ulong value_;                                                                                                  \
        __asm__ volatile("csrr %0," #name : "=r"(value_)::"memory");                                                   \
        value_;                                                                                                        \
    })
#define csr_write(name, value) __asm__ volatile("csrw " #name ",%0" ::"rK"((ulong)(value)) : "memory")
#define csr_set(name, bits)    __asm__ volatile("csrs " #name ",%0" ::"rK"((ulong)(bits)) : "memory")
#define csr_clear(name, bits)  __asm__ volatile("csrc " #name ",%0" ::"rK"((ulong)(bits)) : "memory")

/* sbi.c */
struct sbi {
    long error;
    ulong value;
};
struct sbi sbi_call(ulong extension, ulong function, ulong a0, ulong a1, ulong a2, ulong a3);
enum {
    SBI_BASE = 0x10,
    SBI_TIME = 0x54494d45,
    SBI_IPI = 0x735049,
    SBI_HSM = 0x48534d,
    SBI_SRST = 0x53525354,
    SBI_DBCN = 0x4442434e
};
_Noreturn void power_off(bool failed);

/* print.c: %s %d %x %lx; the text of one call is not mixed with another hart's */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* tree.c: the contents of the device tree, read once by the first hart */
struct around {
    u32 kind, master, n_harts, dma;
};
struct board {
    u32 number, count; /* this cluster's number; how many clusters there are */
    ulong memory, memory_size, noc, noc_size, outbox, outbox_size, doorbells;
    u32 n_harts, master, first_slave;
    const char *bootargs;
    ulong module, module_end;
    u32 n_around;
    struct around around[128];
};
extern struct board board;
void tree_read(const void *tree);
/* Returns the number after `word=` in the boot arguments, or `otherwise` if it is not there. */
ulong argument(const char *word, ulong otherwise);
bool is_argument(const char *word, const char *value);

/* Sleep until the counter reaches `end`, by the supervisor timer, whose interrupt only ends the WFI. Rings that come
 * meanwhile are lost. */
void sleep_until(ulong end);

/* start.S and trap.c */

/* Every program defines these: the first function of the first hart, and of a hart that hart_start() started. */
void guest_main(ulong hart, ulong start_number);
void guest_hart(ulong hart);
/* Start another hart of the cluster in guest_hart(). */
struct sbi hart_start(ulong hart);

enum access { LOAD, STORE, FETCH };
/* Access `address` in S-mode with the current translation. Returns scause, or NO_FAULT. A fetch jumps there, so the
 * memory must hold a return. */
ulong touch(enum access how, ulong address);
/* Call touch() for each letter of `modes` (l, s, f), and print a line "WHAT HOW: CAUSE" for each. */
void say_access(const char *what, ulong address, const char *modes);
/* touch() in U-mode; `code` is the address at which user_touch (start.S) is mapped for U-mode. */
ulong touch_user(enum access how, ulong address, ulong code);
extern const char user_begin[], user_end[];

static inline void wfi(void) { __asm__ volatile("wfi" ::: "memory"); }
static inline void fence(void) { __asm__ volatile("fence iorw,iorw" ::: "memory"); }
/* Returns the outbox of a cluster: it writes there, and all may read. */
static inline volatile u32 *outbox(u32 cluster) { return (volatile u32 *)(board.noc + cluster * board.outbox_size); }
/* Returns the hart number of this cluster's i-th hart; its master is the 0th. */
static inline ulong own_hart(ulong i) { return i ? board.first_slave + i - 1 : board.master; }
/* The reverse. */
ulong own_number(ulong hart);
static inline void ring(ulong hart) { *(volatile u32 *)(board.doorbells + 4 * hart) = 1; }
/* Sleep until `condition` is true; it is checked after each ring. sie.SSIE must be set, sstatus.SIE clear. */
#define wait_until(condition)                                                                                          \
    do {                                                                                                               \
        csr_clear(sip, 2);                                                                                             \
        fence();                                                                                                       \
        if (condition)                                                                                                 \
            break;                                                                                                     \
        wfi();                                                                                                         \
    } while (1)
#endif
#endif
