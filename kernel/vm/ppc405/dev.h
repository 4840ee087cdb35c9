/* SPDX-License-Identifier: MIT */
/*
 * dev.h - shared by the devices of a 405EP guest (kernel/vm/ppc405/).
 */
#ifndef AMALGAM_VM_PPC405_DEV_H
#define AMALGAM_VM_PPC405_DEV_H

#include <arch/devices.h>
#include <arch/regs.h>
#include <partition/partition.h>

/* Universal interrupt controller: set the level of these inputs (0 is the most significant bit); this drives
 * VMP_EXTERNAL and VMP_CRITICAL. */
void vuic_lines(struct vm *vm, u32 inputs, bool level);
#define UIC_INPUT(n) (0x80000000u >> (n))

u32 vuic_read(struct vm *vm, u32 reg);
void vuic_write(struct vm *vm, u32 reg, u32 value);

#define UART_GPA  0xef600300u
#define UART_SIZE 8
#define UART_IRQ  0

u32 uart_read(struct vm *vm, u32 reg);
void uart_write(struct vm *vm, u32 reg, u8 value);

/* Take the first byte of input, which must be there. */
static inline u8 uart_take(struct vuart *u)
{
    u->looped -= u->looped > 0;
    return u->rx[u->rx_tail++];
}

/* Return a pointer to that part of the caller's memory; NULL: it is outside. */
static inline void *guest_pa(struct vm *vm, u32 gpa, u32 size)
{
    return gpa < vm->size && size <= vm->size - gpa ? (void *)(uintptr_t)(vm->base + gpa) : NULL;
}

/* Tunnels (tunnel.c), and their withdrawal by a monitor (withdraw.c). */
#define TUNNEL_GPA(index) (PT_TUNNEL_GPA + (index)*PT_TUNNEL_STEP)
#define BELL_GPA(index)   (PT_BELL_GPA + (index)*PT_BELL_STEP)
bool tunnel_bell(struct vm *vm,
                 u32 gpa); /* a store at `gpa`: ring; returns false if no bell is there or the VM may not ring it */
bool tunnel_withdrawn(u32 index);             /* index below PT_TUNNELS */
void tunnels_unmap(struct vm *vm, u32 which); /* unmap these tunnels of the VM, 1 << index; on its core */

/* Devices of the board that are lent to a guest: lent.c (CONFIG_DRIVER). */
void lent_reset(struct vm *vm);
void lent_irq_update(struct vm *vm);                         /* the guest has written SR or ER of its controller */
u32 lent_dcr(struct vm *vm, u32 dcr, bool write, u32 value); /* returns the value read; 0 if the register is not lent */

#endif
