/* SPDX-License-Identifier: MIT */
/*
 * pending - leaves and enters guest mode all the time with an interrupt due that it does not take. Says from time to
 * time that it still has the core:
 *     pending: 1
 */
#include <guest.h>

#define VECTOR 0x40
#define EXITS  20000

void guest_main(void)
{
    apic_enable();
    apic_ipi(apic_id(), VECTOR); /* interrupts are off, and stay so */
    for (unsigned round = 1;; round++) {
        for (unsigned i = 0; i < EXITS; i++)
            cpuid(0x40000000, 0);
        print("pending: %u\n", round);
    }
}
