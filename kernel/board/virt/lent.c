/* SPDX-License-Identifier: MIT */
/*
 * lent.c - virtio devices of a cluster, which its firmware drives (docs/boards.md): hal/device.h, hal/virtio.h and
 * board/irq.h by calls of the firmware, in place of line.c and mmio.c. A cluster has no interrupt controller and no
 * serial port. A line's number is its device's, and the firmware has masked it when its interrupt is taken.
 */
#include <arch/cpu.h>
#include <arch/sbi.h>
#include <board/irq.h>
#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/device.h>
#include <hal/upcalls.h>
#include <hal/virtio.h>

/* The firmware's functions, the errors that they return, and where a request's number is in what is done: as
 * docs/boards.md has them. */
enum { KIND, CONFIG, RESET, START, SUBMIT, DONE, CONNECT, MASK, RAISED };
enum { SBI_FAILED = -1, SBI_INVALID_ADDRESS = -5, SBI_IO = -13 };
#define DONE_SHIFT 25

static struct hal_device devices[HAL_DEVICES];
static unsigned n_devices;
static u32 lines[HAL_LINES]; /* the firmware's numbers */
static u32 connected;

static long ask(const struct hal_device *d, long function, unsigned long b, unsigned long *value)
{
    return sbi_device(function, d->registers, b, 0, 0, value);
}

static int errno_of(long error)
{
    switch (error) {
    case SBI_FAILED: return -EAGAIN;
    case SBI_INVALID_ADDRESS: return -EINVAL;
    case SBI_IO: return -EIO;
    default: return -EACCES;
    }
}

void hal_virtio_reset(const struct hal_device *d)
{
    unsigned long status;
    ask(d, RESET, 0, &status);
}

bool hal_virtio_is_reset(const struct hal_device *d)
{
    unsigned long status;
    return !ask(d, RESET, 0, &status) && !status;
}

bool hal_virtio_start(const struct hal_device *d)
{
    unsigned long none;
    return !ask(d, START, 0, &none);
}

s64 hal_virtio_submit(const struct hal_device *d, u32 how, paddr_t at, u32 n)
{
    unsigned long number;
    long error = sbi_device(SUBMIT, d->registers, how, (unsigned long)at, n, &number);
    return likely(!error) ? (s64)number : errno_of(error);
}

s64 hal_virtio_done(const struct hal_device *d, u32 queue)
{
    unsigned long done;
    long error = ask(d, DONE, queue, &done);
    if (error)
        return errno_of(error);
    return (s64)((u64)(done >> DONE_SHIFT) << 32 | (done & ((1ul << DONE_SHIFT) - 1)));
}

u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    unsigned long value;
    return sbi_device(CONFIG, d->registers, at, width, 0, &value) ? 0 : (u32)value;
}

void hal_device_master(const struct hal_device *d, bool on) {}

unsigned hal_devices(const struct hal_device **list)
{
    *list = devices;
    return n_devices;
}

__init_text int hal_line_connect(unsigned line, unsigned n, unsigned cpu)
{
    unsigned long none;
    if (sbi_device(CONNECT, line, cpus[cpu]->arch.hart, 0, 0, &none))
        return -ENODEV;
    lines[n] = line;
    connected |= 1u << n;
    return 0;
}

/* To unmask also tells the device that its interrupt was seen. */
void hal_line_mask(unsigned n, bool masked)
{
    unsigned long none;
    sbi_device(MASK, lines[n], masked, 0, 0, &none);
}

__init_text int irq_setup(void) { return -ENODEV; }

void irq_take(void)
{
    unsigned long raised;
    if (sbi_device(RAISED, 0, 0, 0, 0, &raised))
        return;
    for (unsigned n = 0; n < HAL_LINES; n++)
        if (connected >> n & 1 && raised >> lines[n] & 1)
            device_interrupt(n);
}

static __init_text unsigned count(const struct hal_device_kind *kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_devices; i++)
        n += devices[i].kind == kind;
    return n;
}

static __init_text void add(const struct hal_device_kind *kind, unsigned number)
{
    struct hal_device *d = &devices[n_devices++];
    ksnprintf(d->name, sizeof(d->name), "%s-%u", kind->name, count(kind));
    d->line = (u8)number;
    d->registers = (u16)number;
    d->kind = kind;
    printk("virtio: %s, of the firmware's device %u\n", d->name, number);
}

/* A number that no device of this cluster has is refused by the firmware. */
static __init_text void enumerate(void)
{
    for (unsigned number = 0; number < HAL_DEVICES; number++) {
        unsigned long kind;
        if (sbi_device(KIND, number, 0, 0, 0, &kind))
            continue;
        for (const struct hal_device_kind *const *k = __start_device_kinds; k < __stop_device_kinds; k++)
            if ((*k)->virtio == kind)
                add(*k, number);
    }
}
INIT_CALL(enumerate);
