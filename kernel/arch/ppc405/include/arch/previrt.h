/* SPDX-License-Identifier: MIT */
/*
 * arch/previrt.h - pre-virtualized guests: their stubs are the last PREVIRT_AREA bytes of the memory that they map from
 * the start (docs/previrtualization.md; tools/amalgam/previrt/ writes them).
 */
#ifndef AMALGAM_ARCH_PREVIRT_H
#define AMALGAM_ARCH_PREVIRT_H

#include <arch/vm.h>

#define PREVIRT_AREA  0x20000u
#define PREVIRT_REACH 0x1000000u
#define PREVIRT_NONE                                                                                                   \
    (0x40000000u | PREVIRT_NOT) /* vm.stubs where there are none: out of the reach of a comparison modulo 1 GiB */
#define PREVIRT_NOT 0x2000u

/*
 * Calls: a store of a byte to the page below the register page. That page is never mapped for those who have stubs, so
 * the store misses, and its place in the page says what is wanted. Only privileged mode is heard.
 */
#define PREVIRT_CALLS (-0x2000)
#define CALL_RFI      0    /* rfi */
#define CALL_MTPID    0x80 /* + 4 n: mtspr PID, rn; n > 1 */
#define CALL_LONGEST  3
#define CALL_TABLE                                                                                                     \
    0x800 /* + n: the instructions at n from the start of the stubs, 8-aligned: up to three, or to a 0;                \
           * mtspr not of a register that is storage only: emulate.S serves that */
/* + n < 0x100: as CALL_TABLE + n, where certain instructions are, whose registers are not r0, r1 */
#define CALL_TLBWE 0x100 /* tlbwe of the low and of the high word of one entry, mtspr PID */
#define CALL_TLBSX 0x200 /* mtspr PID, tlbsx. rt, 0, rb, mtspr PID */
#define CALL_TLBIA 0x300 /* tlbia */

#define PREVIRT_TABLE 0x800u /* bytes at the start of the stubs that are none */

/*
 * System calls can be delivered to a translated copy of the handler's beginning (tools/amalgam/previrt/entry.py), which
 * reads SRR0 and SRR1 by its first two instructions. The first two patches have this address then: what they are is
 * vm.handler and vm.handler_msr.
 */
#define PREVIRT_HANDLER 0xffffffffu

/* If the guest is at one of those two, an exception there would lose the system call's: take it to its handler in real
 * mode, where there is none. */
bool previrt_retreat(struct vm *vm);

/* Set vm.handler; the guest is pre-virtualized. */
void previrt_handler(struct vm *vm);

/* A data miss at `ea`: true if it was a call, which is served. */
bool previrt_store(struct vm *vm, u32 ea);

/* Set vm.stubs, vm.handler. */
void previrt_reset(struct vm *vm);

/*
 * The low TLB word by which privileged mode executes the page of the stubs (and of the handler's copy) at `ea`, whatever the
 * guest's TLB says; 0: `ea` is not in them.
 */
u32 previrt_page(struct vm *vm, u32 ea);

/* Before an exception is delivered: leave the stub, backwards or forwards. */
void previrt_settle(struct vm *vm);
/* The call CALL_TABLE + n. */
void previrt_table(struct vm *vm, u32 n);
/* A trap instruction: true if it was a stub's, which wants the hypervisor's help. */
bool previrt_trap(struct vm *vm);

#endif
