/* SPDX-License-Identifier: MIT */
/*
 * arch/vm.h - one virtual machine as the PowerPC 405 port keeps it: the interrupted
 * registers, the virtual privileged registers, the virtual TLB and devices.
 *
 * A VM has one virtual CPU.  Its record lives in shared memory, since any core may
 * run it; whoever runs it (state VM_RUNNING, `core`) owns all of it but `pending`
 * flags that are named as shared.  All addresses are physical: the kernel runs
 * with translation off.  The guest runs in problem state with translation on,
 * always (docs/shadow-tlb.md).
 *
 * asm_offsets.c turns members into names for the assembly files; a member that
 * they use may move, but not leave the reach of a 16-bit displacement.
 */
#ifndef AMALGAM_ARCH_VM_H
#define AMALGAM_ARCH_VM_H

#include <types.h>
#include <partition/record.h>

/*
 * Virtual special purpose registers that are no more than storage, in the order in which
 * regs_slot (spr.c) finds them.  With IRFM (paper 2.3) the guest's privileged mode sees
 * this page at REGPAGE_EA and reads and writes it without a trap, so the kernel
 * believes none of it: every value is checked or masked when it is used.
 */
#define REGPAGE_EA 0xfffff000u

struct regpage {
    u32 srr0, srr1, srr2, srr3; /* 0x00 */
    u32 sprg[8];                /* 0x10 */
    u32 esr, dear, evpr, pid;   /* 0x30: evpr and pid are copies for reading */
    u32 zpr;                    /* 0x40: copy */
    u32 msr;        /* 0x44: THE virtual MSR. With IRFM the guest's kernel writes EE here; what else it could
                     * write it could also write by mtmsr, so nothing here can hurt anybody else */
    u32 usprg0;     /* 0x48 */
    u32 attention;  /* 0x4c: not 0: an interrupt waits for EE; whoever sets EE makes a hypercall */
    u32 scratch[8]; /* 0x50: of pre-virtualized code (docs/previrtualization.md) */
    u32 ccr0, sgr, icdbdr, dbsr, dbcr0; /* 0x70 */
    u32 plain[16];                      /* other debug and storage-control registers, storage only */
};

#define TLB_SHADOWED 1u /* in an entry's high word, where silicon has no bit: shadows may exist */

#define GUEST_TLB 64
#define TLB_SETS  128            /* a power of 2 */
#define TLB_LISTS (TLB_SETS + 1) /* of valid entries: 4 KiB pages by their number modulo TLB_SETS, and all others */

/* Guest-physical addresses that are memory: [0] is its own, then lent devices and tunnels. Multiples of 4 KiB.
 * size 0: not in use; and gpa 0: neither is any that follows. */
struct vm_area {
    u32 gpa, size, hpa;
    u32 lo; /* TLBLO_EX, TLBLO_WR: what is allowed at most; TLBLO_I | TLBLO_G: a device */
};
#define VM_AREAS 11

struct vuic {
    u32 reg[9]; /* by number (regs.h); those that are read only are brought up to date with the others */
    u32 lines;  /* level of each input */
};

struct vtimers { /* in ticks of the time base; its low half wraps, so compare by difference */
    u32 tcr, tsr;
    u32 pit_start, pit_length; /* counts from start; length 0: stopped */
    u32 pit_reload;
    u32 seen; /* time at which FIT and watchdog were last brought up to date */
};

struct vuart {
    u8 reg[10]; /* as written; with LCR[DLAB] the first two are 8 and 9 */
    bool thri;  /* transmitter-empty interrupt waits to be read */
    u8 full;    /* bits of LSR that are clear because the console takes no more; cleared by a core that sends */
    u8 rx_head, rx_tail; /* head: written by the core whose line the byte came from, tail: by the owner */
    u8 rx[256];
};

enum vm_state {
    VM_STOPPED,
    VM_READY,   /* wants a core, in the ready structure if it is not bound */
    VM_RUNNING, /* on `core` */
    VM_IDLE,    /* waits for an interrupt (MSR[WE], vm_yield with nothing to do) */
};

/* What an interruption saves; the idle loop has only this. */
struct context {
    u32 gpr[32];
    u32 pc, cr, lr, ctr, xer;
};

struct vm {
    struct context ctx;
    u32 pending; /* bits VMP_*: something to deliver when EE (CE) is set */

    /* Hardware registers by the guest's mode, kept ready for the fast paths (emulate.S); mmu.c owns them */
    u32 space_pid[4];   /* PID by MSR[IR],MSR[DR] as a two-bit number */
    u32 mode_zpr[2];    /* ZPR by MSR[PR] */
    u32 zones_shadowed; /* 11 in the ZPR field of each zone that an entry in the hardware TLB stems from */
    u32 pid_slow; /* not 0: a change of the guest's PID needs mmu_set_pid (a mixed space is in use, PIDs are shared) */

    u32 handler,
        handler_msr; /* where its system calls are delivered translated, and its MSR there; 0: nowhere (previrt.h) */
    u32 stubs;       /* gpa of the stubs of pre-virtualized code; nowhere (previrt.h) if it has none */

    /* For miss.S and previrt_call.S; fast.c sets them. */
    u32 calls; /* misses above this address are calls or in the register page, in privileged mode */
    u32 table; /* host-physical: of the calls' instructions */
    u32 whole; /* its own memory below this guest-physical address can be shown by entries of 16 MiB */

    /* placement, from the partition table */
    u32 base, size; /* its memory: host-physical start, bytes */
    const struct pt_vm *conf;
    u8 id;
    u8 state; /* enum vm_state; under the ready lock unless bound */
    u8 core;  /* where it runs or last ran */
    u8 flags; /* VMF_* */

    struct vuic uic;
    struct vtimers timers;
    struct vuart uart;
    u32 used;     /* ticks it ran, for stats and overrun */
    u32 runs;     /* lives: counted up by every start */
    u32 exits[8]; /* by class, enum exit_class */

    /* virtual TLB; mmu.c */
    u32 tlb_hi[GUEST_TLB], tlb_lo[GUEST_TLB]; /* as written by tlbwe; hi with TLB_SHADOWED */
    u8 tlb_tid[GUEST_TLB];
    u8 tlb_space[GUEST_TLB]; /* of a 4 KiB page with TLB_SHADOWED: the hardware's PID under which its one shadow is */
    u8 tlb_next[GUEST_TLB], tlb_list[TLB_LISTS]; /* index + 1; 0: end */
    struct vm_area areas[VM_AREAS];

    struct partition part; /* partition/ */
};

/*
 * The register page lies right before the VM's record, so that assembly reaches both by a
 * displacement from one pointer.  It is a page of its own, because guests with IRFM see it.
 */
struct vm_record {
    struct regpage regs __attribute__((aligned(4096)));
    struct vm vm __attribute__((aligned(4096)));
};

static inline struct regpage *regs_of(struct vm *vm) { return &((struct vm_record *)((char *)vm - 4096))->regs; }

/* vm.pending */
#define VMP_FIT      0x1 /* the timers' are TCR's enabling bits, rotated */
#define VMP_EXTERNAL 0x2 /* virtual UIC output, not critical */
#define VMP_CRITICAL 0x4 /* virtual UIC output, critical */
#define VMP_PIT      0x8 /* TSR[PIS] & TCR[PIE] */
#define VMP_WDT      0x10
#define VMP_REQUEST  0x80 /* another core asks: stop, console input (shared; vm_requests) */

#endif
