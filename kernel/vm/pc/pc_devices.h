/* SPDX-License-Identifier: MIT */
/*
 * pc_devices.h - the old parts that every PC has, one record a VM: interrupt
 * controller pair, interval timer, clock, power registers.  They live together
 * because they are wired together: the timer drives input 0 of the pair, and
 * whether the timer runs at all depends on who listens.
 *
 * A device with several port ranges has one vdev for all of them: its registers are
 * numbered through, in the order in which the ranges are claimed.
 */
#ifndef AMALGAM_VM_PC_DEVICES_H
#define AMALGAM_VM_PC_DEVICES_H

#include <core/timer.h>
#include <vm/vdev.h>

struct i8259_chip {
    u8 irr, isr, imr, line, elcr;
    u8 base;   /* ICW2: vector of input 0 */
    u8 init;   /* the ICW expected next: 2, 3, 4; 0 none */
    u8 lowest; /* input of lowest priority */
    bool icw4, single, read_isr, poll, special_mask, auto_eoi, rotate_aeoi, nested;
};

struct i8259 {
    struct vdev dev;
    struct i8259_chip chip[2]; /* master, slave */
    bool intr;                 /* the output */
};

struct pit_channel {
    u32 count;       /* 1..65536; 0: none loaded since the mode was set */
    u64 start;       /* PIT time at which counting began */
    u64 held;        /* elapsed counts while not running */
    u8 mode, access; /* access: 1 low byte, 2 high byte, 3 both */
    bool bcd, gate, running, write_high, read_high, status_latched;
    u8 low, status;
    u8 latched; /* bytes of `latch` still to be read */
    u16 latch;
};

struct pit {
    struct vdev dev;
    struct timer timer;
    struct spinlock timer_lock; /* around its arming, which two cores must not do at once; inside all others */
    struct pit_channel ch[3];
    u64 next;     /* PIT time of channel 0's next rising edge, or PIT_NEVER */
    bool dormant; /* an edge is due but nobody listens: no host timer is armed */
    u8 port61_bits;
};

struct rtc {
    struct vdev dev;
    struct timer timer;
    s64 offset; /* seconds from the host's wall clock to the guest's */
    u64 seen;   /* guest wall clock, ns, up to which events are accounted for */
    u8 index;
    u8 reg[128];
};

struct pm {
    struct vdev dev;
    u16 enable; /* of the PM1a event block */
    u32 pci;    /* configuration address */
};

struct pc_devices {
    struct i8259 pic;
    struct pit pit;
    struct rtc rtc;
    struct pm pm;
};

int i8259_create(struct vm *vm, struct i8259 *pic);
int pit_create(struct vm *vm, struct pit *pit);
int rtc_create(struct vm *vm, struct rtc *rtc);
int pm_create(struct vm *vm, struct pm *pm);
/* Input 0's or GSI 2's mask was lifted: a timer that nobody listened to runs again. Any context, irqchip locks held. */
void pit_wake(struct vm *vm);
bool i8259_masked(struct vm *vm, unsigned irq);
bool ioapic_masked(struct vm *vm, unsigned gsi);

#endif
