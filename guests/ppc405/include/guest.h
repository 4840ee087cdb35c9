/* SPDX-License-Identifier: MIT */
/*
 * guest.h - the library of our bare-metal programs for the PPC405.
 *
 * The same ELF file runs on the bare board (qemu-system-ppc -M ref405ep -kernel FILE) and as a guest. It uses only what
 * both have: RAM from address 0, UART0, the UIC and the core's own registers. It is linked at 0x10000 with the
 * exception vectors first (EVPR). Exceptions save registers below 0x2000, because a store reaches the low 32 KiB
 * without a base register. The program starts in real mode with its command line in r6 or in a device tree (args.c).
 * The return from guest_main(), or an unexpected exception, resets the chip: with -no-reboot this ends the board, under
 * the hypervisor it is the guest's reset event.
 */
#ifndef GUEST_H
#define GUEST_H

#include <arch/regs.h>

#define FRAME          0x1000 /* registers at the last exception, struct frame */
#define FRAME_CRITICAL 0x1100 /* the same for critical interrupts, which may interrupt an exception handler */
#define TRY            0x1200 /* the registers with which try() starts */
#define FRAME_PC       128
#define FRAME_MSR      132
#define FRAME_CR       136
#define FRAME_LR       140
#define FRAME_CTR      144
#define FRAME_XER      148
#define FRAME_VECTOR   152
#define FRAME_ESR      156
#define FRAME_DEAR     160
#define FRAME_INSIDE   164

#ifndef __ASSEMBLER__
#include <types.h>

void guest_main(void);
__noreturn void power_off(void);

/* --- registers ------------------------------------------------------------- */
#define STRING_(x) #x
#define STRING(x)  STRING_(x)
#define mfspr(n)                                                                                                       \
    ({                                                                                                                 \
        u32 value_;                                                                                                    \
        __asm__ volatile("mfspr %0, " STRING(n) : "=r"(value_) : : "memory");                                          \
        value_;                                                                                                        \
    })
#define mtspr(n, v) __asm__ volatile("mtspr " STRING(n) ", %0" : : "r"((u32)(v)) : "memory")
#define mfdcr(n)                                                                                                       \
    ({                                                                                                                 \
        u32 value_;                                                                                                    \
        __asm__ volatile("mfdcr %0, %1" : "=r"(value_) : "i"(n) : "memory");                                           \
        value_;                                                                                                        \
    })
#define mtdcr(n, v) __asm__ volatile("mtdcr %0, %1" : : "i"(n), "r"((u32)(v)) : "memory")

static inline u32 mfmsr(void)
{
    u32 v;
    __asm__ volatile("mfmsr %0" : "=r"(v) : : "memory");
    return v;
}

static inline void mtmsr(u32 v) { __asm__ volatile("mtmsr %0; isync" : : "r"(v) : "memory"); }

static inline u32 ticks(void) /* low half of the time base */
{
    u32 v;
    __asm__ volatile("mftb %0" : "=r"(v) : : "memory");
    return v;
}

static inline u32 load8(u32 address)
{
    u8 v = *(volatile u8 *)address;
    __asm__ volatile("eieio" : : : "memory");
    return v;
}

static inline void store8(u32 address, u32 v)
{
    *(volatile u8 *)address = (u8)v;
    __asm__ volatile("eieio" : : : "memory");
}

/* --- console: UART0, polled -------------------------------------------------- */
#define UART0      0xef600300u
#define UART_DATA  (UART0 + 0)
#define UART_IER   (UART0 + 1)
#define UART_IIR   (UART0 + 2)
#define UART_LCR   (UART0 + 3)
#define UART_MCR   (UART0 + 4)
#define UART_LSR   (UART0 + 5)
#define UART_SCR   (UART0 + 7)
#define UART_INPUT 0x80000000u /* its bit in the UIC */

/* %c %s %p, %d %u %x with l, width and 0. In real mode only, in which handlers run, too. */
void print(const char *format, ...) __printf(1, 2);
void put_char(char c);

/* --- command line: name=value words --------------------------------------------- */
u32 arg_number(const char *name, u32 otherwise); /* decimal or 0x hex */

/* --- exceptions ------------------------------------------------------------------- */
struct frame {
    u32 gpr[32];
    u32 pc, msr, cr, lr, ctr, xer;
    u32 vector, esr, dear;
    u32 inside; /* MSR at the start of the handler */
};
_Static_assert(offsetof(struct frame, pc) == FRAME_PC, "layout");
_Static_assert(offsetof(struct frame, dear) == FRAME_DEAR, "layout");

/* The handler runs in real mode with interrupts off. It may change the frame, to which it returns. */
typedef void (*exception_handler)(struct frame *);
void on_exception(u32 vector, exception_handler handler);
/*
 * Run at f->pc with f->msr and all registers of *f until the first exception of any kind. *f becomes the state at that
 * exception. The caller continues in real mode with interrupts off.
 */
void try(struct frame *f);

/* --- TLB, interrupt controller, time --------------------------------------------------- */
#define PAGE_4K  1
#define PAGE_16M 7
void tlb_write(u32 index, u32 hi, u32 lo, u32 tid);
/* Write entry `index`: maps `ea` to `ra`; 1 KiB << 2 * size bytes; `rights`: TLBLO_*; tid 0: for any PID. */
void tlb_map(u32 index, u32 ea, u32 ra, u32 size, u32 rights, u32 tid);
void tlb_flush(void);
void code_changed(void *code, u32 bytes); /* after writing instructions: flush them to memory, invalidate the cache */
void uic_init(void);                      /* all inputs off, level-triggered, positive, not critical */
void wait_ticks(u32 n);

static inline u32 random_next(u32 *state) /* xorshift32; state is not 0 */
{
    u32 x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
bool text_equal(const char *a, const char *b);
#endif

#endif
