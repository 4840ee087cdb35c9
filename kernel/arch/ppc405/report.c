/* SPDX-License-Identifier: MIT */
/*
 * report.c - prints the kernel's own messages, names and hexadecimal numbers, through the console's ring.
 *
 * An event of a VM is only noted. The console's interrupt asks for a line (report_next()) when the line before has been
 * sent. So many events of a VM take only one line's time at once, and VMs with events take turns.
 */
#include <board/console.h>
#include <partition/partition.h>
#include <partition/ready.h>
#include <wcet.h>

#define CORE_AT 14
static u8 line[CONSOLE_LONGEST] = "amalgam: core 0: ";

static struct {
    const char *what;
    u32 a, b;
} noted[PT_VMS];
static u32 untold,
    after; /* one bit for each VM: its event has not been printed; the VMs after the one that was printed last */

static u32 put(u32 at, const char *s)
{
    for (; *s; s++) {
        line[at++] = (u8)*s;
        LOOP_BOUND(32); /* the kernel's own words are shorter */
    }
    return at;
}

static u32 put_hex(u32 at, u32 v)
{
    line[at++] = ' ';
    for (int shift = 28; shift >= 0; shift -= 4) {
        line[at++] = (u8) "0123456789abcdef"[v >> shift & 15];
        LOOP_BOUND(8);
    }
    return at;
}

void hal_report(const char *what, u32 a, u32 b)
{
    line[CORE_AT] = (u8)('0' + core.id);
    u32 n = put_hex(put_hex(put(CORE_AT + 3, what), a), b);
    line[n++] = '\r';
    line[n++] = '\n';
    if (console_room(CONSOLE_KERNEL) >= n) {
        console_write(CONSOLE_KERNEL, line, n);
        console_ask();
    }
}

void hal_report_event(u32 id, const char *what, u32 a, u32 b)
{
    noted[id].what = what;
    noted[id].a = a;
    noted[id].b = b;
    untold |= vm_bit(id);
    console_ask();
}

bool report_next(void)
{
    u32 fit = untold & after ? untold & after : untold;
    if (!fit)
        return false;
    u32 id = (u32)__builtin_clz(fit);
    untold &= ~vm_bit(id);
    after = vm_bit(id) - 1;
    hal_report(noted[id].what, noted[id].a, noted[id].b);
    return true;
}

bool report_waits(void) { return untold; }
