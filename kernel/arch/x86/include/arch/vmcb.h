/* SPDX-License-Identifier: MIT */
/*
 * arch/vmcb.h (x86) - operations on a VMCB that all three users share: amdv/ (guests), attach/ (the Linux above),
 * selfvirt/ (our own kernel). A VMCB has one user, which uses it between two runs.
 */
#ifndef AMALGAM_ARCH_VMCB_H
#define AMALGAM_ARCH_VMCB_H

#include <arch/guest_cpu.h>
#include <arch/trap.h>

/* Return the registers of the save area by their names. */
static inline struct guest_cpu *vmcb_cpu(const struct vmcb *b) { return (struct guest_cpu *)b; }

/* Return an exception in the format of event_inject (15.20). `error` is used if the vector has an error code. */
static inline u64 event_exception(unsigned vector, bool has_error, u32 error)
{
    return vector | EVENT_EXCEPTION | EVENT_VALID | (has_error ? EVENT_ERROR | (u64)error << 32 : 0);
}

/* Raise an exception, with error code 0 if it has one, at the instruction that exited. A pending event is lost. */
static inline void vmcb_raise(struct vmcb *b, unsigned vector, bool has_error)
{
    b->event_inject = event_exception(vector, has_error, 0);
}

/*
 * An instruction that was executed for the guest is retired in two steps, whoever executed it. RIP moves behind it and
 * its interrupt shadow ends (15.21.5): vmcb_advance(), vmcb_go_on(). If RFLAGS has one of TRACED, something follows it:
 * vmcb_trap().
 */
#define TRACED (RFLAGS_TF | RFLAGS_RF)

static inline void vmcb_go_on(struct vmcb *b, u64 rip)
{
    b->rip = rip;
    b->shadow = 0;
}

/* Step over an intercepted instruction: to next_rip, or, if that is 0 (no NRIPS), over `length` bytes. */
#define RIP_WRAPPED (~0ul - 1) /* in next_rip: address 0 */
static inline void vmcb_advance(struct vmcb *b, unsigned length)
{
    if (unlikely(b->next_rip))
        b->rip = b->next_rip + 2 * (b->next_rip == RIP_WRAPPED);
    else
        b->rip += length;
    b->shadow = 0;
}

/* RF ends, which protected the instruction from its own breakpoint (13.1.3). Returns true if RFLAGS.TF demands a
 * single-step trap (13.1.4): DR6.BS is set, and the caller injects #DB. */
static inline bool vmcb_trap(struct vmcb *b)
{
    b->rflags &= ~RFLAGS_RF;
    if (!(b->rflags & RFLAGS_TF))
        return false;
    b->dr6 |= DR6_BS;
    b->clean &= ~CLEAN_DR;
    return true;
}

/* Both steps for a user of the VMCB who injects by the VMCB alone. A pending event is lost, as none is pending behind
 * an instruction that was executed. */
static inline void vmcb_retire(struct vmcb *b, u64 rip)
{
    vmcb_go_on(b, rip);
    if (unlikely(b->rflags & TRACED) && vmcb_trap(b))
        vmcb_raise(b, VEC_DB, false);
}

/* Return a segment's attributes from the upper half of its descriptor, which LAR also gives: bits 8-15 and 20-23. */
static inline u16 vmcb_attributes(u32 descriptor)
{
    return (u16)((descriptor >> 8 & 0xff) | (descriptor >> 12 & 0xf00));
}

/* Set a descriptor table register. The other fields of its segment are not used. */
static inline void vmcb_table(struct vmcb_segment *to, u16 limit, u64 base)
{
    to->limit = limit;
    to->base = base;
}

/* EXITINFO1 of VMEXIT_IOIO (15.10.2): these bits, the operand's size in bytes and the port. EXITINFO2 is the RIP of
 * the next instruction. */
#define IOIO_IN     (1u << 0)
#define IOIO_STRING (1u << 2)
static inline unsigned ioio_size(u64 info) { return info >> 4 & 7; }
static inline u16 ioio_port(u64 info) { return (u16)(info >> 16); }

/* Return RAX after an instruction has written a result of 1, 2 or 4 bytes; 4 bytes clear the upper half. */
static inline u64 rax_with(u64 rax, u64 value, unsigned size)
{
    u64 mask = size == 2 ? 0xffff : 0xff;
    return size == 4 ? (u32)value : (rax & ~mask) | (value & mask);
}

/* EXITINFO1 of VMEXIT_MSR: 1 for a write. */
#define MSR_WRITTEN 1u

/* EXITINFO1 of VMEXIT_NPF (15.25.6) */
#define NPF_WRITE  (1ul << 1)
#define NPF_FETCH  (1ul << 4)
#define NPF_FINAL  (1ul << 32) /* the access itself, not a page walk for it */
#define NPF_TABLES (1ul << 33) /* a page walk */

/*
 * MSR permission map (15.11): two bits for each MSR of three ranges of 2000h, from 0, c0000000h and c0010000h. Accesses
 * to other MSRs always exit.
 */
#define MSRPM_SIZE              (2 * PAGE_SIZE)
#define MSRPM_READ              1u
#define MSRPM_WRITE             2u
#define MSRPM_SLOT(msr)         (((msr)&0x1fff) + (((msr) >> 31) + ((msr) >> 16 & 1)) * 0x2000)
#define MSRPM_BITS(msr, access) ((u8)((access) << MSRPM_SLOT(msr) % 4 * 2))
static inline void msrpm_trap(u8 *map, u32 msr, u32 access) { map[MSRPM_SLOT(msr) / 4] |= MSRPM_BITS(msr, access); }

/* I/O permission map (15.10.1): a bit for each port, and three more for accesses that reach beyond the last port. */
#define IOPM_SIZE (3 * PAGE_SIZE)
static inline void iopm_trap(u8 *map, u16 port) { map[port / 8] |= (u8)(1u << port % 8); }

/* Set the state in a VMCB after INIT (APM vol. 2, 14.1.3) / after a start-up IPI (16.5): vector:0 in real mode.
 * CR0.CD and NW, and the MSRs of system calls stay. amdv/reset.c */
void vmcb_init(struct vmcb *b);
void vmcb_startup(struct vmcb *b, u8 vector);

#endif
