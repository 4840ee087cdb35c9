/* SPDX-License-Identifier: MIT */
/* console_none.c - for a kernel without CONFIG_CONSOLE: the serial port is unused, or lent to a guest (CONFIG_DRIVER).
 */
#include <board/console.h>

void console_init(void) {}
u32 console_input(void) { return 0; }
void console_poll(void) {}
void console_alarm_passed(void) {}
void console_drain(void) {}
void console_focus(u32 id) {}
