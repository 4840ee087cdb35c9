/* SPDX-License-Identifier: MIT */
/*
 * host.h - the fake machine that kernel code meets in unit tests and fuzzers:
 * definitions for tests/host/include/arch and for the HAL (tests/host/host.c).
 *
 * host_boot() makes cores and memory.  Threads are real (ucontext), everything runs
 * in one host thread; time moves only by host_spend() and host_run(), so that a
 * test sees the same switches every time.
 */
#ifndef AMALGAM_TESTS_HOST_H
#define AMALGAM_TESTS_HOST_H

#include <core/cpu.h>
#include <hal/time.h>

/* `n` cores with run queues and 4 MiB of memory; on core 0. The counter starts at 1000 and runs at 1 GHz. Again and
 * again in one program: everything starts anew. */
void host_boot(unsigned n);
/* The test is the idle thread of cores that came later, too. */
void host_adopt(void);
/* Be core `id` until the next call. */
void host_on(unsigned id);
/* A running thread computes for `t` ticks; alarms and asked-for interrupts come on the way if interrupts are on. */
void host_spend(ticks_t t);
/* All cores do what they have to do until time `until`, in idle loops; the calling test is every core's idle thread. */
void host_run(ticks_t until);
/* The same without moving time. */
void host_settle(void);

extern ticks_t host_alarm[MAX_CPUS]; /* what the hardware is armed for */
extern unsigned host_alarms_set;     /* hal_timer_arm() calls */
extern unsigned host_ipis;           /* hal_ipi_resched() calls; one to an absent core aborts */
extern unsigned host_ipis_to[MAX_CPUS];
extern unsigned host_fpu_saves, host_fpu_loads;
extern bool host_powered_off;

/* Console ports: what was sent, what is to be received. */
extern char host_out[2][65536];
extern size_t host_out_len[2];
extern bool host_tagged_port;
extern unsigned host_room[2]; /* bytes that the transmitter takes before it is busy; ~0u: never busy */
extern unsigned host_console_irqs[2], host_polls; /* what hal_console_irqs() set; how often the port was busy */
extern void (*host_meanwhile)(void);              /* called once before the next byte goes out */
/* It interrupts until all is taken; host_typed_irqs: how often. */
extern unsigned host_typed_irqs;
void host_type(unsigned port, const void *bytes, size_t n);
void host_clear_out(void);

/* panic() of the fake lands here: the test fails unless it set host_panic_expected, then longjmp to host_panic_jmp. */
#include <setjmp.h>
extern bool host_panic_expected;
extern jmp_buf host_panic_jmp;

#endif
