/* SPDX-License-Identifier: MIT */
/*
 * layer.h - the layer below our own kernel, by AMD-V (APM vol. 2 chapter 15).
 *
 * While it is attached each core runs the kernel as a guest: nested pages are one to one; page tables, descriptor
 * tables, GS and extended state do not change. The layer is a loop around VMRUN on a stack of its own. It has the
 * physical interrupts, the local APIC and the ports. It shares the kernel's address space (the paper's 3.1.2) and its
 * text: it keeps the kernel from the hardware, but does not protect itself from the kernel's errors.
 *
 * An interrupt makes the guest exit. The layer sets GIF for a moment, takes the interrupt by the kernel's own IDT
 * (layer_takes() sees by the stack whose it is), records its vector, and offers it as a virtual interrupt.
 */
#ifndef AMALGAM_ARCH_SELFVIRT_LAYER_H
#define AMALGAM_ARCH_SELFVIRT_LAYER_H

#include <arch/trap.h>
#include <arch/vmcb.h>
#include <attach/object.h>
#include <hal/selfvirt.h>

#define VEC_SWITCH 0xf7 /* the interrupt of a switch */

/* One core's part of the layer. */
struct layer {
    paddr_t vmcb_pa;
    u64 stack_top;
    u64 guest_rsp; /* stack on which to continue if VMRUN refused or the layer leaves */
    struct vmcb *vmcb;
    /* the guest's; RBP and R12-R15 stay in the registers. selfvirt/entry.S knows the offsets up to here */
    u64 regs[16];
    void *stack;
    paddr_t host_save;
    struct vobject_state state; /* pending: bit n for vector VEC_IRQ_FIRST + n */
    bool more;                  /* more interrupts are pending: the next acknowledgement is to call the layer */
    struct layer_stats stats;
};

_Static_assert(offsetof(struct layer, vmcb) == 24 && offsetof(struct layer, regs) == 32, "selfvirt/entry.S");

extern struct layer layers[MAX_CPUS];

/* Calls of the virtual object to the layer: the number in RAX, arguments in RDI, RSI, RDX; the result in RAX. */
enum layer_call {
    LAYER_ALARM, /* deadline */
    LAYER_NEXT,  /* acknowledged: offer the next pending interrupt */
    LAYER_IPI,   /* core, enum vobject_ipi */
    LAYER_STOP_OTHERS,
    LAYER_POWER_OFF,
    LAYER_CONSOLE_PUT,  /* port | bytes << 8, the bytes in two registers */
    LAYER_CONSOLE_IRQS, /* port, which */
    LAYER_CONSOLE_GETC, /* port */
    LAYER_LEAVE,        /* leave: the caller continues on the bare core */
};

u64 layer_call(enum layer_call which, u64 a, u64 b, u64 c);

/* Enter guest mode on this core and change nothing else. Returns 0, or -EIO with the core's state unchanged.
 * Interrupts must be off. */
int layer_attach(struct layer *l);
/* selfvirt/entry.S: the caller continues as the layer's guest and gets 0; -1: VMRUN refused. */
int layer_enter(struct layer *l);
/* Call LAYER_LEAVE. As after any call, the registers that a function may change are lost. */
void layer_leave(void);

/* The next step of the entry code after an exit. */
enum layer_next { LAYER_RESUME, LAYER_GONE, LAYER_REFUSED };
enum layer_next layer_exit(struct layer *l);
/* Handle an interrupt that came while the layer had GIF set. */
void layer_interrupt(struct layer *l, unsigned vector);
/* Fill the save area of `b` with this core's live state, without RIP, RSP, RFLAGS and RAX, which the entry code sets.
 */
void amdv_capture(struct vmcb *b);
/* Load the guest's control and debug registers into the core. */
void amdv_release(const struct vmcb *b);
/* Disable AMD-V on this core; sets GIF; interrupts are off. */
void amdv_off(void);

/* native.c: acknowledge an interrupt / interrupt a core, on the hardware. */
void native_eoi(void);
void native_ipi(unsigned cpu, enum vobject_ipi which);

#endif
