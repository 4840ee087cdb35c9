/* SPDX-License-Identifier: MIT */
/*
 * dev.h - among the devices of a 405EP guest (kernel/vm/ppc405/).
 */
#ifndef AMALGAM_VM_PPC405_DEV_H
#define AMALGAM_VM_PPC405_DEV_H

#include <arch/devices.h>
#include <arch/regs.h>
#include <partition/partition.h>

u32 vuic_read(struct vm *vm, u32 reg);
void vuic_write(struct vm *vm, u32 reg, u32 value);

#define UART_GPA  0xef600300u
#define UART_SIZE 8
#define UART_IRQ  0

u32 uart_read(struct vm *vm, u32 reg);
void uart_write(struct vm *vm, u32 reg, u8 value);

void console_focus(u32 id);
extern u8 console_speaker;
u32 console_input(void); /* of the hardware interrupt controller, as a bit; 0: there is no console */

/* Where that part of the caller's memory is; NULL: it is none. */
static inline void *guest_pa(struct vm *vm, u32 gpa, u32 size)
{
    return gpa < vm->size && size <= vm->size - gpa ? (void *)(uintptr_t)(vm->base + gpa) : NULL;
}

/* Rings of other cores: doorbell.c (CONFIG_DOORBELL), or only ticks: doorbell_none.c. hal_doorbell() sends them. */
u32 doorbell_input(void); /* of the hardware interrupt controller, as a bit; 0: there is none */
void doorbell_init(void);
void doorbell_poll(void);
void doorbell_answer(void); /* look at what others want of this core, if one of them rang */

/* Tunnels (tunnel.c), and what a monitor withdraws of them (withdraw.c, or withdraw_none.c). */
#define TUNNEL_GPA(index) (0xe0000000u + ((index) << 20))
#define BELL_GPA(index)   (0xe4000000u + ((index) << 12))
bool tunnel_bell(struct vm *vm, u32 gpa);      /* a store there; false: nothing of the kind, or nobody may ring it */
u32 tunnels_withdrawn(void);                   /* a bit for each tunnel, 1 << index */
void tunnels_forget(struct vm *vm, u32 which); /* it has created these tunnels; its core */

/* Devices of the board that belong to a guest: lent.c (CONFIG_DRIVER), or nothing of the kind: lent_none.c. */
void lent_reset(struct vm *vm);
void lent_irq(u32 raised);                                   /* these hardware inputs ask */
void lent_irq_update(struct vm *vm);                         /* the guest wrote SR or ER of its controller */
u32 lent_dcr(struct vm *vm, u32 dcr, bool write, u32 value); /* what was read; 0 if the register is not its own */

#endif
