/* SPDX-License-Identifier: MIT */
/* console_calls.c - a guest's console by hypercall (docs/hypercalls.md). */
#include "dev.h"
#include <board/console.h>
#include <errors.h>
#include <generated/api_calls.h>

s32 api_console_write(struct vm *caller, u32 data, u32 len, u32 unused0)
{
    const volatile u8 *p = guest_pa(caller, data, len);
    if (!p)
        return -EFAULT;
    u32 taken = console_write(caller->id, p, len); /* at most 64 bytes: calls.yaml */
    console_ask(); /* let the port interrupt: sending at once would double the time with interrupts off */
    return (s32)taken;
}

s32 api_console_read(struct vm *caller, u32 unused0, u32 unused1, u32 unused2)
{
    struct vuart *u = &caller->uart;
    return u->rx_tail == READ_ONCE(u->rx_head) ? -EAGAIN : uart_take(u);
}
