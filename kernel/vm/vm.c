/* SPDX-License-Identifier: MIT */
/*
 * vm.c - virtual machines as domains. Everything is allocated when the domain is created. A start resets devices, then
 * memory, and loads the images again, so a restarted guest finds nothing of its former run. The order matters: until
 * the devices are reset they write what peers and users send into the guest's memory, and their timers fire.
 */
#include <core/console.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <string.h>
#include <vm/machine_check.h>
#include <vm/vm.h>

struct vm *vm_of(struct domain *d) { return d->impl; }
const struct guest_memory *vm_memory(struct vm *vm) { return &vm->memory; }
struct vm_devs *vm_devs(struct vm *vm) { return &vm->devs; }

void vm_console_write(struct vm *vm, const char *text, size_t len) { console_write(vm->domain->id, text, len); }
size_t vm_console_offer(struct vm *vm, const char *text, size_t len)
{
    return console_offer(vm->domain->id, text, len);
}

/* Of several vCPUs and the watchdog the first one says how and why. */
static void request_end(struct vm *vm, unsigned how, const char *why)
{
    u8 none = END_NONE;
    if (!__atomic_compare_exchange_n(&vm->end, &none, (u8)how, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    vm->end_why = why; /* read after the request */
    vcpu_request(vm->vcpu[0], VCPU_END);
}

void vm_power_off(struct vm *vm) { request_end(vm, END_POWER_OFF, "the guest powered off"); }
void vm_reset(struct vm *vm, const char *why) { request_end(vm, END_RESET, why); }

__init_text void *vm_device_alloc(struct vm *vm)
{
    struct vm_devs *devs = vm_devs(vm);
    void *page = devs->n_pages < VM_DEVICE_PAGES ? page_alloc() : NULL;
    if (page)
        devs->page[devs->n_pages++] = page;
    return page;
}

/* Allocate *pages in one piece, or the longest piece there is; *pages becomes its length. */
static __init_text paddr_t alloc_memory(u64 *pages)
{
    paddr_t pa = (paddr_t)-1;
    if (*pages >= GIB >> PAGE_SHIFT)
        pa = frames_alloc(*pages, GIB);
    if (pa == (paddr_t)-1)
        pa = frames_alloc(*pages, 2 * MIB);
    return pa == (paddr_t)-1 ? frames_alloc_longest(pages, 2 * MIB) : pa;
}

__init_text int vm_add_memory(struct vm *vm, gpa_t gpa, u64 size)
{
    int err = 0;
    while (size && !err) {
        u64 pages = size >> PAGE_SHIFT;
        paddr_t pa = vm->memory.n < GUEST_RANGES ? alloc_memory(&pages) : (paddr_t)-1;
        if (pa == (paddr_t)-1)
            return -ENOMEM;
        u64 got = pages << PAGE_SHIFT;
        vm->memory.range[vm->memory.n++] = (struct guest_range){ gpa, phys_to_virt(pa), got };
        err = stage2_map(&vm->stage2, gpa, pa, got, S2_WRITE | S2_EXEC);
        gpa += got;
        size -= got;
    }
    return err;
}

static void request_all(struct vm *vm, u32 request)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++)
        vcpu_request(vm->vcpu[i], request);
}

static void arm_watchdog(struct vm *vm)
{
    if (vm->conf->watchdog_ms)
        timer_arm(&vm->watchdog, time_after(vm->conf->watchdog_ms * 1000000ul));
}

/* End the domain if no vCPU has run or idled since the last check (struct sys_domain). A halted vCPU counts if an
 * interrupt can wake it. */
static void watchdog(void *arg)
{
    struct vm *vm = arg;
    if (READ_ONCE(vm->stop))
        return;
    bool alive = false;
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        alive |= vm->vcpu[i]->alive || (READ_ONCE(vm->vcpu[i]->halted) && machine_interruptible(vm->vcpu[i]));
        vm->vcpu[i]->alive = false;
    }
    if (alive)
        arm_watchdog(vm);
    else
        request_end(vm, END_WATCHDOG, "the watchdog saw no sign of life");
}

static __init_text int create_vcpus(struct vm *vm)
{
    for (unsigned i = 0; i < vm->conf->n_vcpus; i++) {
        struct vcpu *v = page_alloc();
        if (!v)
            return -ENOMEM;
        v->vm = vm;
        v->id = i;
        v->core = vm->conf->core[i];
        machine_vcpu_init(v);
        vm->vcpu[vm->n_vcpus++] = v;
        int err = hal_vcpu_create(&v->hal, &vm->stage2, i);
        if (err)
            return err;
    }
    return 0;
}

static __init_text int vm_create(struct domain *d)
{
    if (!vm_is_here(d))
        return 0;
    struct vm *vm = page_alloc();
    if (!vm)
        return -ENOMEM;
    d->impl = vm;
    vm->domain = d;
    vm->conf = d->conf;
    timer_init(&vm->watchdog, watchdog, vm);
    int err = stage2_init(&vm->stage2);
    if (!err)
        err = machine_memory(vm, vm->conf->memory);
    if (!err)
        err = create_vcpus(vm);
    return err ? err : machine_create(vm);
}

static void join_threads(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        struct vcpu *v = vm->vcpu[i];
        struct thread *t = thread_take(&v->thread, v->core);
        if (t)
            thread_join(t);
        v->in_guest = v->halted = v->alive =
            false; /* it cannot be kicked any more, though devices may try while they are reset */
    }
}

void vm_quiesce(struct vm *vm)
{
    join_threads(vm);
    for (unsigned round = 0; round < 2; round++) {
        vm_devices_reset(vm);
        machine_cancel_timers(vm);
        timer_cancel(&vm->watchdog);
        timers_synchronize();
    }
}

/* Free the first `n` threads, which were never started. */
static __cold void discard_threads(struct vm *vm, unsigned n)
{
    while (n--)
        thread_discard(thread_take(&vm->vcpu[n]->thread, vm->vcpu[n]->core));
}

static int start_threads(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        struct vcpu *v = vm->vcpu[i];
        char name[16];
        ksnprintf(name, sizeof(name), "%s/%u", vm->conf->name, i);
        v->thread = thread_create(name, v->core, vm->conf->prio, vcpu_thread, v, vm->domain, true);
        if (!v->thread) {
            discard_threads(vm, i);
            return -ENOMEM;
        }
    }
    vm->domain->live = vm->n_vcpus;
    for (unsigned i = 0; i < vm->n_vcpus; i++)
        thread_start(vm->vcpu[i]->thread);
    return 0;
}

static int vm_start(struct domain *d)
{
    struct vm *vm = vm_of(d);
    const char *why = "there is no memory for its threads";
    vm_quiesce(vm); /* vm->stop is still set: a late watchdog of the former run sees it */
    vm->end = END_NONE;
    vm->stop = false;
    vm->started = time_now();
    for (unsigned i = 0; i < vm->memory.n; i++)
        clear_pages(vm->memory.range[i].host, vm->memory.range[i].size >> PAGE_SHIFT);
    int err = machine_start(vm, &why);
    if (!err)
        err = start_threads(vm);
    if (err) {
        strlcpy(d->reason, why, sizeof(d->reason));
        return err;
    }
    arm_watchdog(vm);
    return 0;
}

static void vm_kill(struct domain *d)
{
    struct vm *vm = vm_of(d);
    WRITE_ONCE(vm->stop, true);
    timer_cancel(&vm->watchdog);
    request_all(vm, VCPU_STOP);
}

static void vm_stats(struct domain *d)
{
    struct vm *vm = vm_of(d);
    for (unsigned i = 0; i < vm->n_vcpus; i++)
        vcpu_stats(vm->vcpu[i], i);
    machine_stats(vm);
}

static void vm_input(struct domain *d, u8 byte) { machine_input(vm_of(d), byte); }

static int vm_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot)
{
    struct vm *vm = vm_of(d);
    gpa_t gpa = machine_channel_at(n);
    if (pa)
        return stage2_map(&vm->stage2, gpa, pa, size, prot);
    int err = stage2_unmap(&vm->stage2, gpa, size);
    request_all(vm, VCPU_FLUSH);
    return err;
}

static void vm_doorbell(struct domain *d, unsigned n) { vm_irq_pulse(vm_of(d), machine_channel_line(n)); }

static __init_text void vm_init(void)
{
    static const struct domain_ops ops = {
        .check = machine_check,
        .create = vm_create,
        .start = vm_start,
        .kill = vm_kill,
        .stats = vm_stats,
        .input = vm_input,
        .share = vm_share,
        .doorbell = vm_doorbell,
        .destroy = vm_destroy,
    };
    if (!hal_guest_enable())
        domain_register_kind(SYS_KIND_VM, &ops);
}
INIT_CALL(vm_init);
