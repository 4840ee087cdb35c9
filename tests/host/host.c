/* SPDX-License-Identifier: MIT */
/* host.c - see host.h. What kernel/core defines as well is weak here, for tests that link only a little of it. */
#include "host.h"

#include "lock_order.h"
#pragma weak lock_order_switch
#pragma weak lock_order_forget

#include <boot_info.h>
#include <core/console.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define WEAK       __attribute__((weak))
#define MEMORY     (4 * MIB)
#define HOST_STACK (16 * HAL_STACK_SIZE)

struct cpu *cpus[MAX_CPUS];
unsigned n_cpus;
struct cpu *host_this_cpu;
bool host_irq_on = true;
void (*host_elsewhere)(void);
ticks_t host_now = 1000;
u64 time_hz = 1000000000;
ticks_t host_alarm[MAX_CPUS];
unsigned host_alarms_set, host_ipis, host_ipis_to[MAX_CPUS], host_fpu_saves, host_fpu_loads;
bool host_powered_off;
static bool ipi_pending[MAX_CPUS];
static ucontext_t idle_context[MAX_CPUS];
struct boot_info boot_info;

char host_out[2][65536];
size_t host_out_len[2];
bool host_tagged_port = true;
static u8 typed[2][4096];
static size_t typed_n[2], typed_at[2];

bool host_panic_expected;
jmp_buf host_panic_jmp;

/* --- what core/ defines, when it is not linked ------------------------------------------------ */

WEAK void frames_add(paddr_t base, u64 size) {}
WEAK void frames_reserve(paddr_t base, u64 size) {}
WEAK void sched_init(struct cpu *c) {}
WEAK void schedule(void) {}
WEAK void core_irq_timer(void) {}
WEAK void core_irq_ipi(void) {}
WEAK void core_irq_exit(void) {}
WEAK bool thread_next(struct thread *place, struct thread *copy) { return false; }
WEAK void thread_discard(struct thread *t) {}
WEAK void printk(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
}

WEAK void panic(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!host_panic_expected) {
        fprintf(stderr, "panic: ");
        vfprintf(stderr, fmt, ap);
        fprintf(stderr, "\n");
        abort();
    }
    va_end(ap);
    if (lock_order_forget)
        lock_order_forget();
    longjmp(host_panic_jmp, 1);
}

/* --- the machine ------------------------------------------------------------------------------- */

void host_boot(unsigned n)
{
    if (lock_order_forget)
        lock_order_forget();
    static void *memory, *records[MAX_CPUS];
    struct thread place, left;
    thread_walk(&place);
    while (thread_next(&place, &left)) /* the last test's threads; a thread's timer has its address */
        thread_discard(left.timer.arg);
    if (memory)
        frames_reserve((paddr_t)(uintptr_t)memory, MEMORY);
    free(memory);
    memory = aligned_alloc(PAGE_SIZE, MEMORY);
    frames_add((paddr_t)(uintptr_t)memory, MEMORY);
    n_cpus = n;
    host_now = 1000;
    host_irq_on = false;
    host_ipis = host_alarms_set = host_fpu_saves = host_fpu_loads = 0;
    host_powered_off = false;
    host_elsewhere = NULL;
    for (unsigned i = 0; i < MAX_CPUS; i++) {
        free(records[i]);
        cpus[i] = records[i] = i < n ? calloc(1, sizeof(struct cpu)) : NULL;
        host_alarm[i] = TICKS_NEVER;
        ipi_pending[i] = false;
        host_ipis_to[i] = 0;
    }
    for (unsigned i = 0; i < n; i++) {
        host_this_cpu = cpus[i];
        cpus[i]->id = i;
        cpus[i]->online = true;
        list_init(&cpus[i]->timers);
        sched_init(cpus[i]);
    }
    host_adopt();
    host_on(0);
}

void host_adopt(void)
{
    for (unsigned i = 0; i < n_cpus; i++)
        if (cpus[i] && cpus[i]->sched.idle)
            cpus[i]->sched.idle->ctx.sp = &idle_context[i];
}

void host_on(unsigned id) { host_this_cpu = cpus[id]; }

/* Interrupts that are due on this core; true if there was one. */
static bool take_interrupts(void)
{
    struct cpu *c = host_this_cpu;
    bool any = false;
    host_irq_on = false;
    if (ipi_pending[c->id]) {
        ipi_pending[c->id] = false;
        core_irq_ipi();
        any = true;
    }
    if (host_alarm[c->id] <= host_now) {
        host_alarm[c->id] = TICKS_NEVER;
        core_irq_timer();
        any = true;
    }
    if (any)
        core_irq_exit();
    return any;
}

void host_spend(ticks_t t)
{
    while (t) {
        ticks_t alarm = host_alarm[host_this_cpu->id];
        ticks_t step = host_irq_on && alarm > host_now ? MIN(t, alarm - host_now) : t;
        host_now += step;
        t -= step;
        if (host_irq_on) {
            take_interrupts();
            host_irq_on = true;
        }
    }
}

void host_settle(void)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < n_cpus; i++) {
            if (!cpus[i])
                continue;
            host_on(i);
            while (take_interrupts() || cpus[i]->sched.resched) {
                again = true;
                schedule();
            }
        }
    }
    host_on(0);
}

void host_run(ticks_t until)
{
    host_settle();
    while (host_now < until) {
        ticks_t next = until;
        for (unsigned i = 0; i < n_cpus; i++)
            next = MIN(next, host_alarm[i]);
        host_now = MAX(host_now, next);
        host_settle();
    }
}

/* --- HAL ------------------------------------------------------------------------------------------ */

ticks_t time_from_ns(u64 ns) { return ns; }
u64 time_to_ns(ticks_t t) { return t; }

void hal_timer_arm(ticks_t deadline)
{
    host_alarm[host_this_cpu->id] = deadline;
    host_alarms_set++;
}

void hal_ipi_resched(unsigned cpu)
{
    if (!cpus[cpu])
        abort(); /* nobody is there */
    ipi_pending[cpu] = true;
    host_ipis++;
    host_ipis_to[cpu]++;
}

void hal_power_off(void) { host_powered_off = true; }
WEAK void hal_stop_others(void) {}
WEAK void hal_halt(void) { abort(); }
WEAK void arch_dump_frame(const struct trap_frame *f) {}
WEAK void arch_backtrace(const struct trap_frame *f) {}
WEAK bool arch_frame_irqs_on(const struct trap_frame *f) { return true; }

static void trampoline(unsigned hi, unsigned lo)
{
    void **start = (void **)(uintptr_t)((u64)hi << 32 | lo);
    void (*entry)(void *) = (void (*)(void *))start[0];
    entry(start[1]);
    abort();
}

/* The host's context record, the start arguments and the stack share the thread's own stack. */
void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg)
{
    char *base = (char *)top - HOST_STACK;
    ucontext_t *u = (ucontext_t *)base;
    void **start = (void **)(base + ALIGN_UP(sizeof(ucontext_t), 16));
    start[0] = (void *)entry;
    start[1] = arg;
    getcontext(u);
    u->uc_stack.ss_sp = start + 2;
    u->uc_stack.ss_size = (size_t)((char *)top - (char *)(start + 2));
    u->uc_link = NULL;
    u64 a = (u64)(uintptr_t)start;
    makecontext(u, (void (*)(void))trampoline, 2, (unsigned)(a >> 32), (unsigned)a);
    ctx->sp = u;
}

void context_switch(struct context *from, struct context *to)
{
    if (lock_order_switch)
        lock_order_switch(host_this_cpu);
    swapcontext(from->sp, to->sp);
}

/* core/ takes the stack for HAL_STACK_SIZE bytes up from what it is given; the sanitizers' large frames get more below.
 */
void *hal_stack_alloc(void)
{
    char *p = aligned_alloc(64, HOST_STACK);
    return p ? p + HOST_STACK - HAL_STACK_SIZE : NULL;
}
void hal_stack_free(void *stack) { free((char *)stack + HAL_STACK_SIZE - HOST_STACK); }

size_t fpu_state_size(void) { return 576; }
void fpu_state_init(struct fpu *f, void *area) { f->area = area; }
void fpu_reset(struct fpu *f) {}
void fpu_switch(struct fpu *from, struct fpu *to)
{
    host_fpu_saves += from != NULL;
    host_fpu_loads++;
}

/* --- console ---------------------------------------------------------------------------------------- */

void (*host_meanwhile)(void);

unsigned host_room[2] = { ~0u, ~0u };
unsigned host_console_irqs[2], host_polls, host_typed_irqs;

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    void (*meanwhile)(void) = host_meanwhile;
    host_meanwhile = NULL;
    if (meanwhile)
        meanwhile();
    if (!hal_console_present(port))
        return n;
    if (!host_room[port]) {
        host_polls++;
        return 0;
    }
    n = MIN(MIN(n, 16u), host_room[port]);
    host_room[port] -= host_room[port] == ~0u ? 0 : n;
    for (unsigned i = 0; i < n && host_out_len[port] < sizeof(host_out[port]) - 1; i++)
        host_out[port][host_out_len[port]++] = (char)bytes[i];
    host_out[port][host_out_len[port]] = '\0';
    return n;
}

void hal_console_irqs(unsigned port, unsigned which) { host_console_irqs[port] = which; }

int hal_console_getc(unsigned port) { return typed_at[port] < typed_n[port] ? typed[port][typed_at[port]++] : -1; }
bool hal_console_present(unsigned port) { return port == 0 || host_tagged_port; }

void host_type(unsigned port, const void *bytes, size_t n)
{
    typed_at[port] = 0;
    typed_n[port] = MIN(n, sizeof(typed[port]));
    __builtin_memcpy(typed[port], bytes, typed_n[port]);
    host_typed_irqs = 0;
    do {
        host_typed_irqs++;
        core_irq_console(port);
    } while (typed_at[port] < typed_n[port] && host_console_irqs[port] & CONSOLE_IRQ_RX);
}

void host_clear_out(void)
{
    for (unsigned p = 0; p < 2; p++) {
        host_out_len[p] = 0;
        host_out[p][0] = '\0';
    }
}
WEAK void core_irq_console(unsigned port) {}
