/* SPDX-License-Identifier: MIT */
/*
 * strong.c - one guest on several cores of an SCC (docs/scc-linux.md): each of the kernels there runs one of its vCPUs.
 *
 * From PARA_STRONG_AT on its memory is strong pages (svm/guest.h), the same on all cores; below, each core has a copy
 * of its own of what was loaded, for text and for what is one vCPU's. The vCPU of the lowest core is number 0 and
 * begins; it starts the others. What a vCPU asks of another one is a request to that one's kernel, which checks it.
 *
 * A page that has come stays until the vCPU's next instruction is another one (svm_guest_retired()): known when it
 * leaves next, for which a request of another core interrupts it.
 */
#include <board/scc.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <generated/para_calls.h>
#include <string.h>
#include <svm/guest.h>
#include <svm/svm.h>

#include "machine.h"

enum { ASK_START, ASK_LINE, ASK_FORGET, ASK_END };
#define FORGET_MOST 64u

static struct {
    struct para_vcpu *v; /* NULL: no such guest is here */
    u8 core[SCC_CORES];  /* of each vCPU */
    unsigned n, me;
    u32 eip, esi;      /* where this one begins */
    bool started, ran; /* ran: once, and it does not begin again */
    bool gets;         /* pages have come for the instruction at `at` */
    u32 at;
} strong;

bool strong_is(const struct vm *vm) { return strong.v && strong.v->vcpu.vm == vm; }
static bool is_ours(const struct para_vcpu *v) { return v == strong.v; }
static u64 ues_of(const struct sys_domain *d) { return sys_vm(d)->ues; }

/* A kernel has one, and no guest beside it. */
__init_text const char *strong_check(const struct sys_header *h, const struct sys_domain *d)
{
    if (!sys_vm(d)->strong || sys_vm(d)->strong > SVM_PAGES)
        return "a guest of this kernel has no strong pages, or more than there are";
    if (sys_vm(d)->n_devices)
        return "a guest on several cores has no devices";
    for (unsigned i = 0; i < h->n_domains; i++) {
        const struct sys_domain *other = sys_domain(h, i);
        if (other != d && other->kind == SYS_KIND_VM)
            return "a system has one guest on several cores and no other one";
    }
    return NULL;
}

/* --- what other kernels ask ------------------------------------------------------------- */

static void lose(unsigned page)
{
    if (strong.v)
        vcpu_lose(&strong.v->vcpu.hal, page);
}

/* Begin once: a second start is not told from the first one by who has asked. */
static void asked_start(struct para_vcpu *v, u32 eip, u32 esi)
{
    if (strong.started)
        return;
    strong.started = true;
    strong.eip = eip;
    strong.esi = esi;
    vcpu_request(&v->vcpu, REQ_START);
}

static void asked_line(struct para_vcpu *v, unsigned line)
{
    vcpu_raise(&v->vcpu.hal, line);
    vcpu_kick(&v->vcpu);
}

static void called(unsigned from, u32 what, u32 a, u32 b)
{
    struct para_vcpu *v = strong.v;
    if (!v || !(ues_of(v->vcpu.vm->conf) >> from & 1))
        return;
    if (what == ASK_START)
        asked_start(v, a, b);
    else if (what == ASK_LINE && a < PARA_LINES)
        asked_line(v, a);
    else if (what == ASK_FORGET && b <= FORGET_MOST)
        vcpu_forget(&v->vcpu.hal, a, b);
    else if (what == ASK_END && a)
        vm_reset(v->vcpu.vm, "the guest asked for a reset");
    else if (what == ASK_END)
        vm_power_off(v->vcpu.vm);
}

static const struct svm_guest guest = { .lose = lose, .called = called };

/* --- what the guest asks ---------------------------------------------------------------- */

static s32 ask(u32 cpu, u32 what, u32 a, u32 b)
{
    if (cpu >= strong.n || cpu == strong.me)
        return -EINVAL;
    return svm_guest_call(strong.core[cpu], what, a, b);
}

s32 strong_call(struct para_vcpu *v)
{
    const struct hal_vcpu *h = &v->vcpu.hal;
    u32 cpu = vcpu_argument(h, 0), a = vcpu_argument(h, 1), b = vcpu_argument(h, 2);
    if (!is_ours(v))
        return -ENOSYS;
    switch (vcpu_call(h)) {
    case PARA_CPUS: return (s32)(strong.n << 8 | strong.me);
    case PARA_CPU_START: return cpu ? ask(cpu, ASK_START, a, b) : -EINVAL;
    case PARA_CPU_INTERRUPT: return a < PARA_LINES ? ask(cpu, ASK_LINE, a, 0) : -ERANGE;
    case PARA_CPU_FORGET: return b <= FORGET_MOST ? ask(cpu, ASK_FORGET, a, b) : -ERANGE;
    default: return -ENOSYS;
    }
}

void strong_ends(struct para_vcpu *v, u32 how)
{
    for (unsigned cpu = 0; is_ours(v) && cpu < strong.n; cpu++)
        ask(cpu, ASK_END, how, 0); /* who is dead has ended */
}

/* --- its life ----------------------------------------------------------------------------- */

__init_text int strong_create(struct vm *vm)
{
    u64 ues = ues_of(vm->conf);
    u32 pages = sys_vm(vm->conf)->strong, size = pages * PAGE_SIZE;
    void *room = pages_alloc((STRONG_ROOM(size) + PAGE_SIZE - 1) / PAGE_SIZE);
    if (!room)
        return -ENOMEM;
    for (unsigned core = 0; core < SCC_CORES; core++) {
        if (!(ues >> core & 1))
            continue;
        if (core == scc_core)
            strong.me = strong.n;
        strong.core[strong.n++] = (u8)core;
    }
    vcpu_strong(&vm->vcpu[0]->hal, PARA_STRONG_AT, size, (void *)SVM_BASE, bus_address(SCC_SVM_PAGES), room);
    svm_guest_choose(ues, &guest);
    strong.started = !strong.me;
    strong.v = para_of(vm->vcpu[0]);
    return 0;
}

int strong_start(struct para_vcpu *v, const char **why)
{
    if (strong.ran) {
        *why = "a guest on several cores starts once";
        return -EBUSY;
    }
    strong.ran = true;
    if (strong.me)
        __atomic_fetch_or(&v->vcpu.requests, REQ_WAIT, __ATOMIC_SEQ_CST);
    return 0;
}

void strong_thread_begin(struct para_vcpu *v)
{
    if (svm_guest_memory(sys_vm(v->vcpu.vm->conf)->strong) != (void *)SVM_BASE)
        domain_end(v->vcpu.vm->domain, END_UNSTARTED, "its other cores do not share its memory");
}

bool strong_request(struct para_vcpu *v)
{
    if (vcpu_take_request(&v->vcpu, REQ_START)) {
        vcpu_take_request(&v->vcpu, REQ_WAIT);
        vcpu_start(&v->vcpu.hal, strong.eip, strong.esi);
    }
    return !(READ_ONCE(v->vcpu.requests) & REQ_WAIT);
}

/* A vCPU that sleeps has no instruction that is not retired. */
bool strong_begins(struct para_vcpu *v)
{
    if (READ_ONCE(v->vcpu.requests) & REQ_WAIT)
        return READ_ONCE(v->vcpu.requests) & REQ_START;
    svm_guest_retired();
    return vcpu_has_interrupt(&v->vcpu.hal);
}

/* --- pages ---------------------------------------------------------------------------------- */

static void retired(void)
{
    strong.gets = false;
    svm_guest_retired();
}

void strong_before_run(struct para_vcpu *v)
{
    if (is_ours(v) && strong.gets && svm_guest_asked())
        vcpu_step(&v->vcpu.hal);
}

void strong_after_run(struct para_vcpu *v)
{
    if (is_ours(v) && (vcpu_stepped(&v->vcpu.hal) | (vcpu_at(&v->vcpu.hal) != strong.at)) && strong.gets)
        retired();
}

static int get(struct para_vcpu *v, unsigned page)
{
    int err = svm_guest_take(page);
    if (err)
        return err;
    unsigned long flags = irq_save();
    vcpu_came(&v->vcpu.hal, page);
    irq_restore(flags);
    return 0;
}

bool strong_exit(struct para_vcpu *v)
{
    int page = vcpu_lacks(&v->vcpu.hal);
    if (page < 0)
        return is_ours(v); /* it has executed one instruction */
    strong.gets = true;
    strong.at = vcpu_at(&v->vcpu.hal);
    int err = get(v, (unsigned)page);
    if (err && err != -ECANCELED)
        printk("%s: no core gives page %d of its memory: error %d\n", v->vcpu.vm->conf->name, page, err);
    return !err || err == -ECANCELED;
}

/* In pieces with interrupts off, so that no page goes meanwhile. */
int strong_read(struct para_vcpu *v, void *to, u32 from, u32 n)
{
    for (;;) {
        unsigned long flags = irq_save();
        int err = vcpu_read(&v->vcpu.hal, to, from, n), page = vcpu_lacks(&v->vcpu.hal);
        irq_restore(flags);
        if (page >= 0)
            err = get(v, (unsigned)page);
        if (page < 0 || err) {
            retired();
            return err;
        }
    }
}
