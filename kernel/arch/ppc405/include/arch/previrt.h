/* SPDX-License-Identifier: MIT */
/*
 * arch/previrt.h - pre-virtualized guests (docs/previrtualization.md; tools/amalgam/previrt/ writes their stubs).
 *
 * The stubs are the last PREVIRT_AREA bytes of the memory that such a guest maps from its start.
 */
#ifndef AMALGAM_ARCH_PREVIRT_H
#define AMALGAM_ARCH_PREVIRT_H

#include <arch/vm.h>

#define PREVIRT_AREA  0x20000u
#define PREVIRT_REACH 0x1000000u
#define PREVIRT_NONE                                                                                                   \
    (0x40000000u | PREVIRT_NOT) /* vm.stubs if there are none: out of reach of a comparison modulo 1 GiB */
#define PREVIRT_NOT 0x2000u

/*
 * A call is a store of a byte to the page below the register page. That page is never mapped for guests with stubs, so
 * the store misses. The offset in the page is the number of the call. Calls from problem mode are ignored.
 */
#define PREVIRT_CALLS (-0x2000)
#define CALL_RFI      0    /* rfi */
#define CALL_MTPID    0x80 /* + 4 n: mtspr PID, rn; n > 1 */
#define CALL_LONGEST  3
/* + n: the instructions at n from the start of the stubs, 8-aligned: up to three, or to a 0; mtspr not of a register
 * that is storage only: emulate.S serves that */
#define CALL_TABLE 0x800
/* + n < 0x100: like CALL_TABLE + n, for certain instructions whose registers are not r0 and r1 */
#define CALL_TLBWE 0x100 /* tlbwe of the low and the high word of one entry, then mtspr PID */
#define CALL_TLBSX 0x200 /* mtspr PID, tlbsx. rt, 0, rb, mtspr PID */
#define CALL_TLBIA 0x300 /* tlbia */

#define PREVIRT_TABLE 0x800u /* bytes at the start of the stubs that are no stubs */

/*
 * System calls can be delivered to a translated copy of the beginning of the guest's handler
 * (tools/amalgam/previrt/entry.py). The copy reads SRR0 and SRR1 by its first two instructions. In this case the first
 * two patches have the address PREVIRT_HANDLER, and their contents are vm.handler and vm.handler_msr.
 */
#define PREVIRT_HANDLER 0xffffffffu

/* If the guest is at one of those two instructions, an exception there would overwrite the system call's SRR0 and
 * SRR1. Move it to its handler in real mode, where no exception occurs. Returns whether it was. */
bool previrt_retreat(struct vm *vm);

/* Set vm.handler of a pre-virtualized guest. */
void previrt_handler(struct vm *vm);

/* Handle a data miss at `ea`. Returns true if it was a call, which has been served. */
bool previrt_store(struct vm *vm, u32 ea);

/* Set vm.stubs and vm.handler. */
void previrt_reset(struct vm *vm);

/*
 * The low TLB word with which privileged mode executes the stubs' page (or the handler's copy) at `ea`, whatever the
 * guest's TLB says; 0 if `ea` is not in them.
 */
u32 previrt_page(struct vm *vm, u32 ea);

/* Called before an exception is delivered: leave the stub, backwards or forwards (previrt.c). */
void previrt_leave_stub(struct vm *vm);
/* Serve the call CALL_TABLE + n. */
void previrt_table(struct vm *vm, u32 n);
/* Handle a trap instruction. Returns true if it was a stub's request to the hypervisor. */
bool previrt_trap(struct vm *vm);

#endif
