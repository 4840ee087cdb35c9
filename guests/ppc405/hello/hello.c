/* SPDX-License-Identifier: MIT */
/* hello - the smallest guest: says hello and its clock, wastes `us` microseconds, goes. */
#include <guest.h>

void guest_main(void)
{
    u32 start = ticks();
    print("hello: PVR %08x MSR %08x\n", mfspr(SPR_PVR), mfmsr());
    wait_ticks(arg_number("us", 0) * 333);
    print("hello: done after %s\n", ticks() != start ? "some time" : "no time");
}
