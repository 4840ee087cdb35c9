/* SPDX-License-Identifier: MIT */
/*
 * layer.h - the layer beneath our own kernel, by AMD-V (APM vol. 2 chapter 15).
 *
 * Attached, each core runs the kernel as a guest: nested pages are one to one, page tables, descriptor tables, GS and
 * extended state stay what they are.  The layer is a loop around VMRUN on a stack of its own; it has the physical
 * interrupts, the local APIC, the ports.  It shares the kernel's address space (the paper's 3.1.2) and its text: it
 * keeps the kernel from the hardware, not the kernel's mistakes from itself.
 *
 * An interrupt leaves the guest; the layer opens GIF for a moment, takes it by the kernel's own IDT (trap_dispatch sees
 * by the stack whom it came to), notes its vector, and offers it as a virtual interrupt.
 */
#ifndef AMALGAM_ARCH_SELFVIRT_LAYER_H
#define AMALGAM_ARCH_SELFVIRT_LAYER_H

#include <arch/trap.h>
#include <arch/vmcb.h>
#include <attach/object.h>
#include <hal/selfvirt.h>

#define VEC_SWITCH 0xf7 /* the switch's interrupt */

/* One core's part of the layer. */
struct layer {
    paddr_t vmcb_pa;
    u64 stack_top;
    u64 guest_rsp; /* where to go on when VMRUN refused, or the layer goes */
    struct vmcb *vmcb;
    u64 regs[16]; /* the guest's; RBP and R12-R15 stay where they are. selfvirt/entry.S knows the offsets up to here */
    void *stack;
    paddr_t host_save;
    struct vobject_state state; /* pending: bit n for vector VEC_IRQ_FIRST + n */
    bool more;                  /* interrupts wait behind the offered one: the next acknowledgement calls */
    struct layer_stats stats;
};

_Static_assert(offsetof(struct layer, vmcb) == 24 && offsetof(struct layer, regs) == 32, "selfvirt/entry.S");

extern struct layer layers[MAX_CPUS];

/* What the virtual object asks of the layer: the number in RAX, arguments in RDI, RSI, RDX; the answer in RAX. */
enum layer_call {
    LAYER_ALARM, /* deadline */
    LAYER_NEXT,  /* acknowledged: offer what waits */
    LAYER_IPI,   /* core, enum vobject_ipi */
    LAYER_STOP_OTHERS,
    LAYER_POWER_OFF,
    LAYER_CONSOLE_PUT,  /* port | bytes << 8, the bytes in two registers */
    LAYER_CONSOLE_IRQS, /* port, which */
    LAYER_CONSOLE_GETC, /* port */
    LAYER_LEAVE,        /* go: the caller continues on the bare core */
};

u64 layer_call(enum layer_call which, u64 a, u64 b, u64 c);

/* Into guest mode on this core, with nothing else changed: 0, or -EIO and all is as before. Interrupts off. */
int layer_slip_beneath(struct layer *l);
/* selfvirt/entry.S: the caller continues as the layer's guest: 0; or VMRUN refused: -1. */
int layer_enter(struct layer *l);
/* LAYER_LEAVE, and everything that the caller of a function may lose is lost. */
void layer_leave(void);

/* What entry code does after an exit. */
enum layer_next { LAYER_RESUME, LAYER_GONE, LAYER_REFUSED };
enum layer_next layer_exit(struct layer *l);
/* An interrupt that came while the layer had GIF open. */
void layer_interrupt(struct layer *l, unsigned vector);
/* Fill the save area of `b` with this core's live state, but RIP, RSP, RFLAGS and RAX, which the entry knows. */
void amdv_capture(struct vmcb *b);
/* The control and debug registers that the guest had, into the core's own. */
void amdv_release(const struct vmcb *b);
/* AMD-V off on this core; GIF set, interrupts off. */
void amdv_off(void);

/* What arch/ and board/ do on the hardware, under the names that the build links them by in this kernel (arch.mk). */
void native_timer_arm(ticks_t deadline);
void native_eoi(void);
void native_stop_others(void);
void native_power_off(void);
unsigned native_console_put(unsigned port, const u8 *bytes, unsigned n);
void native_console_irqs(unsigned port, unsigned which);
int native_console_getc(unsigned port);
void native_trap_dispatch(struct trap_frame *f);
void native_ipi(unsigned cpu, enum vobject_ipi which);

#endif
