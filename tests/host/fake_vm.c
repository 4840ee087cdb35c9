/* SPDX-License-Identifier: MIT */
/* fake_vm.c - see fake_vm.h. Interrupt lines reach an I/O APIC or 8259 pair if the test links one. */
#include <assert.h>
#include <errors.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <core/console.h>
#include "fake_vm.h"

struct cpu *host_this_cpu;
bool host_irq_on = true;
ticks_t host_now;
u64 time_hz = 1000000000;

struct vm fake_vms[FAKE_VMS];
u64 fake_wall_clock;
int fake_entropy;
unsigned fake_busy;
unsigned fake_line_cost, fake_console_cost;
unsigned fake_timers_armed, fake_repeats, fake_repeat_limit, fake_fired;
void (*fake_meanwhile)(void);

static u8 ram[FAKE_VMS][2][FAKE_RAM] __attribute__((aligned(4096)));
static struct list timers = LIST_INIT(timers);
static void *pages[128];
static unsigned n_pages;
static void *payload_data;
static u64 payload_size;

#pragma weak ioapic_line
#pragma weak i8259_line

u64 mul_div(u64 a, u64 b, u64 c) { return (unsigned __int128)a * b / c; }
u64 time_to_ns(ticks_t t) { return t; }
ticks_t time_from_ns(u64 ns) { return ns; }
u64 hal_wall_clock_at(u64 ns) { return fake_wall_clock + ns; }

int hal_entropy(void *buf, size_t n)
{
    memset(buf, 0x5a, n);
    if (fake_meanwhile)
        fake_meanwhile();
    return fake_entropy;
}

void *vm_device_alloc(struct vm *vm)
{
    assert(n_pages < 128);
    return pages[n_pages++] = calloc(1, PAGE_SIZE);
}

void fake_init(void)
{
    while (n_pages)
        free(pages[--n_pages]);
    list_init(&timers);
    memset(fake_vms, 0, sizeof(fake_vms));
    assert(!madvise(ram, sizeof(ram), MADV_DONTNEED)); /* clear, but cheaply when little of it was used */
    host_irq_on = true;
    host_now = 1000;
    fake_wall_clock = 0;
    fake_entropy = 0;
    fake_busy = 0;
    fake_line_cost = fake_console_cost = 0;
    fake_timers_armed = 0;
    payload_data = NULL;
    fake_repeat_limit = 1000;
    fake_meanwhile = NULL;
    fake_fired = 0;
    fake_asleep = false;
    for (int i = 0; i < FAKE_VMS; i++) {
        fake_vms[i].mem.n = 2;
        fake_vms[i].mem.range[0] = (struct guest_range){ 0, ram[i][0], FAKE_RAM };
        fake_vms[i].mem.range[1] = (struct guest_range){ 4 * GIB, ram[i][1], FAKE_RAM };
    }
}

void fake_payload(void *data, u64 size)
{
    payload_data = data;
    payload_size = size;
}

const void *sys_payload(const struct sys_header *h, unsigned i, u64 *size)
{
    *size = payload_size;
    return i == SYS_NONE ? NULL : payload_data;
}

/* A test that wants to know what is printed has its own. */
__attribute__((weak)) void printk(const char *format, ...) {}

/* --- the VM ---------------------------------------------------------------------------------------- */

static int claim(struct vm *vm, bool mmio, u64 base, u32 size, struct vdev *d)
{
    for (unsigned i = 0; i < vm->n_ranges; i++) {
        struct fake_range *r = &vm->range[i];
        if (r->mmio == mmio && base < r->base + r->size && r->base < base + size)
            return -EEXIST;
    }
    if (vm->n_ranges == ARRAY_SIZE(vm->range))
        return -ENOSPC;
    vm->range[vm->n_ranges++] = (struct fake_range){ mmio, base, size, d->size, d };
    d->size += size;
    return 0;
}

int vm_claim_pio(struct vm *vm, u16 port, u16 count, struct vdev *d) { return claim(vm, false, port, count, d); }
int vm_claim_mmio(struct vm *vm, gpa_t gpa, u32 size, struct vdev *d) { return claim(vm, true, gpa, size, d); }
struct vm_devs *vm_devs(struct vm *vm) { return &vm->devs; }
struct pc_parts *pc_parts(struct vm *vm) { return &vm->parts; }
const struct guest_memory *vm_memory(struct vm *vm) { return &vm->mem; }
void vm_power_off(struct vm *vm) { vm->power_offs++; }
void vm_extint(struct vm *vm) { vm->extints++; }

void vm_reset(struct vm *vm, const char *why)
{
    vm->resets++;
    vm->reset_why = why;
}

/* Execute n instructions. */
static void burn(unsigned n)
{
    n /= 2;
    __asm__ volatile("1: dec %0; jnz 1b" : "+r"(n)::"cc");
}

void vm_irq_line(struct vm *vm, unsigned gsi, bool level)
{
    assert(gsi < ARRAY_SIZE(vm->line));
    vm->rises[gsi] += level && !vm->line[gsi];
    if (level && !vm->line[gsi] && fake_line_cost)
        burn(fake_line_cost);
    vm->line[gsi] = level;
    if (ioapic_line)
        ioapic_line(vm, gsi == 0 ? 2 : gsi, level);
    if (i8259_line && gsi < 16)
        i8259_line(vm, gsi, level);
}

void vm_apic_message(struct vm *vm, u64 icr)
{
    vm->message.dest = icr >> 32;
    vm->message.logical = icr >> 11 & 1;
    vm->message.vector = icr & 0xff;
    vm->message.mode = icr >> 8 & 7;
    vm->message.level = icr >> 15 & 1;
    vm->messages++;
}

void vm_console_write(struct vm *vm, const char *text, size_t len)
{
    static volatile char sink;
    vm->console_calls += len != 0;
    for (size_t i = 0; i < len; i++) {
        sink = text[i]; /* touch all of it even when it is not kept */
        if (vm->console_n < sizeof(vm->console) - 1)
            vm->console[vm->console_n++] = text[i];
    }
    (void)sink;
    if (fake_meanwhile)
        fake_meanwhile();
}

size_t vm_console_offer(struct vm *vm, const char *text, size_t len)
{
    if (fake_busy && fake_busy--)
        return 0;
    if (fake_console_cost)
        burn(fake_console_cost);
    size_t n = 0;
    while (n < MIN(len, 64u) && text[n++] != '\n')
        ;
    vm_console_write(vm, text, n);
    return n;
}

/* --- the dispatcher -------------------------------------------------------------------------------- */

static struct fake_range *find(struct vm *vm, bool mmio, u64 addr, unsigned size)
{
    for (unsigned i = 0; i < vm->n_ranges; i++) {
        struct fake_range *r = &vm->range[i];
        if (r->mmio == mmio && addr >= r->base && addr + size <= r->base + r->size)
            return r;
    }
    return NULL;
}

static u64 access_read(struct vm *vm, bool mmio, u64 addr, unsigned size)
{
    u64 mask = size == 8 ? -1ull : (1ull << size * 8) - 1;
    struct fake_range *r = find(vm, mmio, addr, size);
    if (!r)
        return mask;
    unsigned long flags = spin_lock_irqsave(&r->dev->lock);
    u64 v = r->dev->ops->read(r->dev, r->first + (u32)(addr - r->base), size);
    spin_unlock_irqrestore(&r->dev->lock, flags);
    return v & mask;
}

static void access_write(struct vm *vm, bool mmio, u64 addr, unsigned size, u64 value)
{
    struct fake_range *r = find(vm, mmio, addr, size);
    bool again = r;
    for (fake_repeats = 0; again; fake_repeats += again) {
        unsigned long flags = spin_lock_irqsave(&r->dev->lock);
        r->dev->ops->write(r->dev, r->first + (u32)(addr - r->base), size,
                           size == 8 ? value : value & ((1ull << size * 8) - 1));
        again = r->dev->again && fake_repeats < fake_repeat_limit;
        r->dev->again = false;
        spin_unlock_irqrestore(&r->dev->lock, flags);
    }
}

/* As kernel/vm/io.c: parts of the device's width, bytes where the access crosses the range's end. */
static unsigned part(struct vm *vm, u16 port, unsigned size)
{
    struct fake_range *r = find(vm, false, port, 1);
    return !r || size <= r->dev->ops->width ? size : r->dev->ops->width;
}

u64 fake_in(struct vm *vm, u16 port, unsigned size)
{
    unsigned width = part(vm, port, size);
    u64 value = 0;
    for (unsigned i = 0; i < size; i += width)
        value |= access_read(vm, false, port + i, width) << i * 8;
    return value;
}

void fake_out(struct vm *vm, u16 port, unsigned size, u64 value)
{
    unsigned width = part(vm, port, size);
    for (unsigned i = 0; i < size; i += width)
        access_write(vm, false, port + i, width, value >> i * 8);
}

u64 fake_load(struct vm *vm, u64 gpa, unsigned size) { return access_read(vm, true, gpa, size); }
void fake_store(struct vm *vm, u64 gpa, unsigned size, u64 value) { access_write(vm, true, gpa, size, value); }

void fake_reset_devices(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_ranges; i++) {
        struct vdev *d = vm->range[i].dev;
        unsigned long flags = spin_lock_irqsave(&d->lock);
        d->ops->reset(d);
        spin_unlock_irqrestore(&d->lock, flags);
    }
}

/* --- timers ---------------------------------------------------------------------------------------- */

void timer_init(struct timer *t, void (*fn)(void *), void *arg)
{
    *t = (struct timer){ .fn = fn, .arg = arg };
    list_init(&t->link);
}

void timer_arm(struct timer *t, ticks_t deadline)
{
    struct list *at;
    timer_cancel(t);
    if (deadline == TICKS_NEVER)
        return;
    t->deadline = deadline;
    t->armed = true;
    list_for_each(at, &timers) if (list_entry(at, struct timer, link)->deadline > deadline) break;
    list_insert(&t->link, at->prev, at);
    fake_timers_armed++;
}

bool timer_cancel(struct timer *t)
{
    bool was = t->armed;
    list_remove(&t->link);
    t->armed = false;
    return was;
}

/* A vCPU comes to run as soon as the interrupt that made it leave is over. */
bool fake_asleep;
unsigned fake_inputs;
static bool await_pit[FAKE_VMS];
extern void pit_resume(struct vm *vm) __attribute__((weak)); /* not every test has one */
void vm_request_pit(struct vm *vm) { await_pit[vm - fake_vms] = true; }
extern bool virtio_console_resume(struct vm *vm) __attribute__((weak));
void vm_request_input(struct vm *vm)
{
    if (fake_asleep)
        fake_inputs++;
    else
        virtio_console_resume(vm);
}

void fake_advance(u64 ns)
{
    ticks_t end = host_now + ns;
    while (!list_empty(&timers)) {
        struct timer *t = list_entry(timers.next, struct timer, link);
        if (t->deadline > end)
            break;
        host_now = MAX(host_now, t->deadline);
        timer_cancel(t);
        fake_fired++;
        bool irq = host_irq_on;
        host_irq_on = false;
        t->fn(t->arg);
        host_irq_on = irq;
        for (int i = 0; i < FAKE_VMS && !fake_asleep; i++)
            if (await_pit[i]) {
                await_pit[i] = false;
                pit_resume(&fake_vms[i]);
            }
    }
    host_now = end;
}

unsigned fake_timers(void)
{
    unsigned n = 0;
    struct list *at;
    list_for_each(at, &timers) n++;
    return n;
}
