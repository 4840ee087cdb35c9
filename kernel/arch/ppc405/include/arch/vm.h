/* SPDX-License-Identifier: MIT */
/*
 * arch/vm.h - a virtual machine of the PowerPC 405 port: registers, virtual privileged registers, virtual TLB, devices.
 *
 * A VM has one virtual CPU. Its record lies in shared memory, since any core may run it. The core that runs it (state
 * VM_RUNNING, `core`) owns the record, except for the members that are named as shared. All addresses are physical: the
 * kernel runs with translation off. The guest always runs in problem state with translation on (docs/shadow-tlb.md).
 *
 * asm_offsets.c turns members into names for the assembly files. A member that they use may move, but must stay within
 * reach of a 16-bit displacement.
 */
#ifndef AMALGAM_ARCH_VM_H
#define AMALGAM_ARCH_VM_H

#include <types.h>
#include <partition/record.h>

/*
 * Virtual special purpose registers that only store a value, in the order in which regs_slot (spr.c) finds them.
 *
 * With IRFM (paper 2.3) the guest's privileged mode sees this page at REGPAGE_EA and reads and writes it without a
 * trap. So the kernel trusts none of it: it checks or masks every value when it uses it.
 */
#define REGPAGE_EA 0xfffff000u

struct regpage {
    u32 srr0, srr1, srr2, srr3; /* 0x00 */
    u32 sprg[8];                /* 0x10 */
    u32 esr, dear, evpr, pid;   /* 0x30: evpr and pid are copies for reading */
    u32 zpr;                    /* 0x40: copy */
    /* 0x44: the virtual MSR. With IRFM the guest's kernel writes EE here. Other bits it could also write by mtmsr, so a
     * wrong value here harms only the guest */
    u32 msr;
    u32 usprg0;     /* 0x48 */
    u32 attention;  /* 0x4c: not 0: an interrupt waits for EE. Code that sets EE then makes a hypercall */
    u32 scratch[8]; /* 0x50: for pre-virtualized code (docs/previrtualization.md) */
    u32 ccr0, sgr, icdbdr, dbsr, dbcr0; /* 0x70 */
    u32 plain[16];                      /* other debug and storage-control registers, storage only */
};

/* Bits of an entry's high word that silicon does not use. */
#define TLB_SHADOWED 1u /* shadows may exist */
#define TLB_ALL_PIDS 2u /* a valid page of all PIDs, so one shadow may be in the space of PID 0, beside tlb_space */

#define GUEST_TLB 64
#define TLB_SETS  128            /* a power of 2 */
#define TLB_LISTS (TLB_SETS + 1) /* lists of valid entries: 4 KiB pages by number, and one for the rest */

/* Guest-physical addresses that are memory, in multiples of 4 KiB. [0] is the guest's own memory; then come lent
 * devices and tunnels. size 0: not in use. If gpa is 0 too, all later areas are unused as well. */
struct vm_area {
    u32 gpa, size, hpa;
    u32 lo; /* TLBLO_EX, TLBLO_WR: the rights that are allowed at most; TLBLO_I | TLBLO_G: a device */
};
#define VM_AREAS 11

struct vuic {
    u32 reg[9]; /* by number (regs.h); read-only registers are updated with the others */
    u32 lines;  /* level of each input */
};

struct vtimers { /* in ticks of the time base; its low half wraps around, so times are compared by their difference */
    u32 tcr, tsr;
    u32 pit_start, pit_length; /* the period ends pit_length after pit_start; pit_length 0: stopped */
    u32 pit_reload;
    u32 seen; /* when FIT and watchdog were last updated */
};

struct vuart {
    u8 reg[10];          /* as written; with LCR[DLAB] set the first two are reg[8] and reg[9] */
    bool thri;           /* the transmitter-empty interrupt has not been read yet */
    u8 full;             /* bits of LSR that read as 0 while the console takes no more; cleared by a core that sends */
    u8 looped;           /* bytes of the guest's own, written in loopback, before those that were typed */
    u8 rx_tail, rx_head; /* tail: written by the core that owns the VM; head: by the core that received the byte */
    u8 rx[256];
};

enum vm_state {
    VM_STOPPED,
    VM_READY,   /* wants a core; in the ready structure if it is not bound */
    VM_RUNNING, /* runs on `core` */
    VM_IDLE,    /* waits for an interrupt (MSR[WE], or vm_yield with nothing to do) */
};

/* What an interrupt or exception saves. The idle loop has only this. */
struct context {
    u32 gpr[32];
    u32 pc, cr, lr, ctr, xer;
};

struct vm {
    struct context ctx;
    u32 pending; /* bits VMP_*: interrupts that are delivered when EE (CE) is set */

    /* Values of hardware registers for each mode of the guest, for the fast paths (emulate.S). mmu.c writes them. */
    u32 space_pid[4];   /* PID by MSR[IR],MSR[DR] as a two-bit number */
    u32 mode_zpr[2];    /* ZPR by MSR[PR] */
    u32 zones_shadowed; /* 11 in the ZPR field of each zone that some entry in the hardware TLB depends on */
    /* not 0: a change of the guest's PID needs mmu_set_pid() (a mixed space is in use, or PIDs are shared) */
    u32 pid_slow;

    /* where its system calls are delivered with translation on, and the MSR there; 0: not so (previrt.h) */
    u32 handler, handler_msr;
    u32 stubs; /* gpa of the stubs of pre-virtualized code; if it has none, an address that never matches (previrt.h) */

    /* For miss.S and previrt_call.S; written by fast.c. */
    u32 calls; /* in privileged mode a miss above this address is a call or in the register page */
    u32 table; /* host-physical address of the calls' table of instructions */
    u32 whole; /* the guest's memory below this guest-physical address can be shown by entries of 16 MiB */

    /* where the partition table puts it */
    u32 base, size; /* its memory: host-physical address, and size in bytes */
    const struct pt_vm *conf;
    u8 id;
    u8 state; /* enum vm_state; written under the ready lock unless the VM is bound */
    u8 core;  /* where it runs or last ran */
    u8 flags; /* VMF_* */

    struct vuic uic;
    struct vtimers timers;
    struct vuart uart;
    u32 used;     /* ticks that it has run, for statistics and overrun */
    u32 runs;     /* number of starts (count_on) */
    u32 exits[8]; /* by enum exit_class */

    /* the virtual TLB; mmu.c */
    u32 tlb_hi[GUEST_TLB], tlb_lo[GUEST_TLB]; /* as written by tlbwe; the high word has our bits, too */
    u8 tlb_tid[GUEST_TLB];
    u8 tlb_space[GUEST_TLB]; /* for a 4 KiB page with TLB_SHADOWED: the hardware PID of its shadow */
    u8 tlb_next[GUEST_TLB], tlb_list[TLB_LISTS]; /* index + 1; 0: end */
    struct vm_area areas[VM_AREAS];

    struct partition part; /* partition/ */
};

/*
 * The register page lies directly before the VM's record, so that assembly code reaches both by a displacement from one
 * pointer. It is a page of its own because guests with IRFM see it.
 */
struct vm_record {
    struct regpage regs __attribute__((aligned(4096)));
    struct vm vm __attribute__((aligned(4096)));
};

static inline struct regpage *regs_of(struct vm *vm) { return &((struct vm_record *)((char *)vm - 4096))->regs; }

/* vm.pending */
#define VMP_FIT      0x1 /* the timers' bits are TCR's enable bits, rotated */
#define VMP_EXTERNAL 0x2 /* an interrupt of the virtual UIC that is not critical */
#define VMP_CRITICAL 0x4 /* a critical interrupt of the virtual UIC */
#define VMP_PIT      0x8 /* TSR[PIS] & TCR[PIE] */
#define VMP_WDT      0x10
#define VMP_REQUEST  0x80 /* a request of another core: stop, console input (shared; vm_requests) */

#endif
