/* SPDX-License-Identifier: MIT */
/* counter - reads a device that counts how often it is read. */
#include <guest.h>
#include <x86.h>

void guest_main(void)
{
    unsigned first = inb(0x2d0), second = inb(0x2d0);
    print("counter: %u, then %u\n", first, second);
}
