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
#include "pc_parts.h"

struct i8259_chip {
    u8 irr, isr, imr;
    u8 base; /* ICW2: vector of input 0 */
    u8 icw4;
    u8 expected;     /* bit n: ICWn is still to come */
    u8 first;        /* the most urgent input */
    u8 special_mask; /* all ones or none */
    bool read_isr, poll, rotate_aeoi;
    u8 line, elcr; /* an initialisation leaves these alone */
    u8 cascade;    /* input, as a bit, that the other chip drives */
};

struct i8259 {
    struct vdev dev;
    struct i8259_chip chip[2]; /* master, slave */
    bool intr;                 /* the output */
};

struct pit_channel {
    u64 since;  /* running: PIT time at which it began to count; else the counts until it stopped */
    u32 count;  /* 1..65536 */
    u8 control; /* as in the status byte, without the output */
    u8 mode;    /* of it: 0..5 */
    u8 access;  /* of it: 1 low byte, 2 high byte, 3 both */
    bool gate, running, write_high, read_high;
    u8 low;     /* byte of a count, while the high one is awaited */
    u8 status;  /* latched; 0: none */
    u8 latched; /* bytes of `latch` still to be read */
    u16 latch;
};

struct pit {
    struct vdev dev;
    struct timer timer;
    struct spinlock timer_lock; /* around its arming, which two cores must not do at once; inside all others */
    u64 next;                   /* PIT time of channel 0's next rising edge, or PIT_NEVER */
    bool dormant;               /* nobody listens: no host timer is armed */
    u8 port61_bits;
    struct pit_channel ch[3];
};

struct rtc {
    struct vdev dev;
    struct timer timer;
    u64 offset; /* from the host's wall clock to the guest's; in periods of the crystal */
    u64 seen;   /* guest's clock up to which events are accounted for */
    u8 index;
    u8 reg[128];
};

/* As a guest reads them. */
struct pm_registers {
    u16 status, enable; /* of the PM1a event block */
    u32 control, timer;
    u32 pci_address, pci_data;
    u8 keyboard;   /* "input buffer empty", so that nobody waits */
    u8 nothing[7]; /* what a read of eight bytes reaches */
};

struct pm {
    struct vdev dev;
    struct pm_registers reg;
};

struct pc_devices {
    struct i8259 pic;
    struct pit pit;
    struct rtc rtc;
    struct pm pm;
};

/* What creates one of them. */
struct pc_part {
    struct vdev_ops ops;
    u16 at;                  /* of its record in struct pc_devices */
    u16 ports[3][2];         /* first and number of each range */
    void (*fire)(void *dev); /* of the timer that follows the vdev, if there is one */
};
extern const struct pc_part i8259_part, pit_part, rtc_part, pm_part;
/* Input 0's or GSI 2's mask was lifted: a timer that nobody listened to runs again. Any context, irqchip locks held. */
void pit_wake(struct vm *vm);
bool i8259_masked(struct vm *vm, unsigned irq);
bool ioapic_masked(struct vm *vm, unsigned gsi);

#endif
