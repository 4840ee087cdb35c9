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
    u32 msr;                    /* 0x44: with IRFM bit EE is the guest's to write, the rest a copy */
    u32 usprg0;                 /* 0x48 */
    u32 attention;              /* 0x4c: not 0: an interrupt waits for EE; whoever sets EE makes a hypercall */
    u32 scratch[8];             /* 0x50: of pre-virtualized code (docs/previrtualization.md) */
    u32 plain[24];              /* 0x70: debug and storage-control registers, storage only */
};

struct guest_tlb { /* one entry of the virtual TLB */
    u32 hi, lo;
};

#define GUEST_TLB 64

struct vuic {
    u32 sr, er, cr, pr, tr, vcr;
    u32 lines; /* level of each input */
};

struct vtimers {   /* due times on the low half of the time base; they wrap, so compare by difference */
    u32 tcr, tsr;
    u32 pit_reload;
    u32 pit_due;
    u32 fit_due, wdt_due;
    bool pit_on;
};

#define UART_FIFO 16
struct vuart {
    u8 ier, lcr, mcr, fcr, scr, dll, dlm, lsr_errors;
    u8 rx[UART_FIFO]; /* filled by the console multiplexer */
    u8 rx_head, rx_count;
    bool thri;        /* transmitter-empty interrupt waits to be read */
};

enum vm_state {
    VM_STOPPED,
    VM_READY,   /* wants a core, in the ready structure if it is not bound */
    VM_RUNNING, /* on `core` */
    VM_IDLE,    /* waits for an interrupt (MSR[WE], vm_yield with nothing to do) */
};

struct vm {
    /* the interrupted context; enter.S */
    u32 gpr[32];
    u32 pc, cr, lr, ctr, xer;
    u32 msr;    /* virtual machine state register */
    u32 hw_pid; /* PID register while it runs: which of its address spaces (mmu.c) */
    u32 hw_zpr; /* ZPR register while it runs: privileged or problem mode */
    u32 pending; /* bits VMP_*: something to deliver when EE (CE) is set */

    struct regpage *regs;

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
    struct guest_tlb tlb[GUEST_TLB];
    u8 tlb_tid[GUEST_TLB];
};

/* vm.pending */
#define VMP_EXTERNAL 0x1 /* virtual UIC output, not critical */
#define VMP_CRITICAL 0x2 /* virtual UIC output, critical */
#define VMP_PIT      0x4 /* TSR[PIS] & TCR[PIE] */
#define VMP_FIT      0x8
#define VMP_WDT      0x10
#define VMP_REQUEST  0x80 /* another core asks: stop, console input (shared; vm_requests) */

#endif
