/* SPDX-License-Identifier: MIT */
/* hello - the smallest guest: prints hello and its clock, computes for `us` microseconds, ends. */
#include <guest.h>

void guest_main(void)
{
    u32 start = ticks();
    print("hello: PVR %08x MSR %08x\n", mfspr(SPR_PVR), mfmsr());
    wait_ticks(arg_number("us", 0) * 333);
    print("hello: done after %s\n", ticks() != start ? "some time" : "no time");
}
