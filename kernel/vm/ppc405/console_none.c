/* SPDX-License-Identifier: MIT */
/*
 * console_none.c - without CONFIG_CONSOLE: the board's serial port is nobody's, or lent to a guest (CONFIG_DRIVER);
 * guests have no virtual one, so nothing answers where no memory is.
 */
#include "dev.h"
#include <arch/deliver.h>

void console_init(void) {}
void console_focus(u32 id) {}
u32 console_input(void) { return 0; }
void console_poll(void) {}
void console_drain(void) {}
void console_alarm_passed(void) {}
void uart_poll(struct vm *vm) {}

void mmio(struct vm *vm, u32 gpa, u32 ea)
{
    step(vm); /* before the event, which may give the core away */
    partition_event(vm, PT_ON_FAULT, VEC_DTLB, gpa);
}
