/* SPDX-License-Identifier: MIT */
/* shim_devices.c - until the virtual devices are here: no timers, no interrupts, the real UART for output. */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/devices.h>
#include <board/board.h>
#include <core/partition.h>

void devices_reset(struct vm *vm) {}
u32 dcr_read(struct vm *vm, u32 dcr) { return 0; }
void dcr_write(struct vm *vm, u32 dcr, u32 value) {}
u32 timer_read(struct vm *vm, u32 spr) { return 0; }
void timer_write(struct vm *vm, u32 spr, u32 value) {}
void timers_run(struct vm *vm, u32 now) {}
bool timers_next(struct vm *vm, u32 *due) { return false; }
void console_init(void) {}
void console_putc(u32 id, u8 byte)
{
    while (!(io_read8(UART0_BASE + 5) & 0x20))
        ;
    io_write8(UART0_BASE, byte);
}
void irq_init(void) { mtdcr(DCR_UIC + UIC_ER, 0); }
void irq_external(void) {}
