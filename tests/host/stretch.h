/* SPDX-License-Identifier: MIT */
/*
 * stretch.h - how long interrupts stay off: the processor steps through the code under test one instruction at a time
 * (the trap flag), and the longest stretch with host_irq_on clear is kept. A test that includes this is compiled as the
 * kernel is (STRETCH_CFLAGS of tests/unit/00-core.mk) and calls stretch_begin() first.
 */
#ifndef TESTS_STRETCH_H
#define TESTS_STRETCH_H

#include <arch/cpu.h>
#include <signal.h>

static volatile unsigned stretch, longest, steps;

static void on_step(int number)
{
    steps++;
    stretch = host_irq_on ? 0 : stretch + 1;
    if (stretch > longest)
        longest = stretch;
}

static void stretch_begin(void) { signal(SIGTRAP, on_step); }

/* Count from here on. What lies below the stack's end is the caller's. */
static __noinline void count(void)
{
    stretch = longest = steps = 0;
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orl $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
}

/* Count no longer. Returns the longest stretch. */
static __noinline unsigned counted(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andl $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    assert_in_range(steps, 50, 1000000); /* something was counted, and it ended */
    assert_true(longest > 5);
    return longest;
}

#endif
