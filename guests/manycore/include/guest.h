/* SPDX-License-Identifier: MIT */
/*
 * guest.h - what the small S-mode programs of the manycore board stand on. They run as a cluster's kernel: their own
 * text, the SBI, their device tree; no page table but what a test makes. rv64 and rv32.
 */
#ifndef MANYCORE_GUEST_H
#define MANYCORE_GUEST_H

#define STACK_SHIFT 12
#define MOST_HARTS  64 /* of one cluster */
#define NO_FAULT    99 /* what touch() returns when nothing was wrong */

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

/* print.c: %s %d %x %lx; a line of one call is not mixed with another hart's */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* tree.c: what the device tree says; read once by the first hart */
struct around {
    u32 kind, master, n_harts, dma;
};
struct board {
    u32 number, count; /* of this cluster, of clusters */
    ulong memory, memory_size, noc, noc_size, outbox, outbox_size, doorbells;
    u32 n_harts, master, first_slave;
    const char *bootargs;
    ulong module, module_end;
    u32 n_around;
    struct around around[128];
};
extern struct board board;
void tree_read(const void *tree);
/* The number behind `word=` in the boot arguments; `otherwise` if it is not there. */
ulong argument(const char *word, ulong otherwise);
bool is_argument(const char *word, const char *value);

/* Sleep until the counter says `end`, by the supervisor timer, whose interrupt only ends the WFI; rings are forgotten.
 */
void sleep_until(ulong end);

/* start.S and trap.c */

/* Every program has these: the first hart's begin, and the others' after hart_start(). */
void guest_main(ulong hart, ulong start_number);
void guest_hart(ulong hart);
/* Start another hart of the cluster in guest_hart(). */
struct sbi hart_start(ulong hart);

enum access { LOAD, STORE, FETCH };
/* Access `address` in S-mode as it is now translated; returns scause, or NO_FAULT. A fetch jumps there: the memory must
 * hold a return. */
ulong touch(enum access how, ulong address);
/* The same in U-mode: `code` is where user_touch (start.S) is mapped for it. */
ulong touch_user(enum access how, ulong address, ulong code);
extern const char user_begin[], user_end[];

static inline void wfi(void) { __asm__ volatile("wfi" ::: "memory"); }
static inline void fence(void) { __asm__ volatile("fence iorw,iorw" ::: "memory"); }
/* What a cluster writes for all to read. */
static inline volatile u32 *outbox(u32 cluster) { return (volatile u32 *)(board.noc + cluster * board.outbox_size); }
/* The number of the cluster's i-th hart: its master is 0. */
static inline ulong own_hart(ulong i) { return i ? board.first_slave + i - 1 : board.master; }
/* And back. */
ulong own_number(ulong hart);
static inline void ring(ulong hart) { *(volatile u32 *)(board.doorbells + 4 * hart) = 1; }
/* Sleep until somebody rings, then look again: wait_until(condition). sie.SSIE is set, sstatus.SIE is not. */
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
