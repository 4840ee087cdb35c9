/* SPDX-License-Identifier: MIT */
/*
 * pending - leaves and enters guest mode all the time while an interrupt is pending that it does not take. It prints
 * from time to time that it still runs: pending: 1
 */
#include <guest.h>

#define VECTOR 0x40
#define EXITS  20000

void guest_main(void)
{
    apic_enable();
    apic_ipi(apic_id(), VECTOR); /* stays pending, because interrupts are off */
    for (unsigned round = 1;; round++) {
        for (unsigned i = 0; i < EXITS; i++)
            cpuid(0x40000000, 0);
        print("pending: %u\n", round);
    }
}
